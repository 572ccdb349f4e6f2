import { assert, assertEquals } from "@std/assert";
import { type Backend, isRefusal, type MatrixSpec } from "../backend.ts";
import { loadMatrix, readCheckpoint } from "../checkpoint.ts";
import { seededRandom } from "../sample.ts";
import { openWasm } from "./backend.ts";
import { compile, dataModule } from "./build.ts";

Deno.test("the committed module is what the sources give, byte for byte", async () => {
  const committed = Deno.readTextFileSync(new URL("kernels_data.ts", import.meta.url));
  assert(dataModule(await compile()) === committed, 'run "deno task build:kernels"');
});

Deno.test("beyond 2 GiB addresses stay what they are: products equal those below", async () => {
  const far = openWasm(2.2 * 2 ** 30);
  if (isRefusal(far)) return; // a machine without the room; arena_test.ts has a stand-in
  const near = openWasm() as Backend, random = seededRandom(6);
  const values = Float32Array.from({ length: 70 * 320 }, () => random() - 0.5);
  const x = values.slice(0, 320);
  for (const format of ["f32", "q8-0.b32", "q4-0.b32"] as const) {
    const tail = format === "f32" ? "exact" : "row";
    const spec: MatrixSpec = { format, tail, rows: 70, columns: 320 };
    const [a, b] = [far, near].map((on) => on.ops.matvec(loadMatrix(on, spec, values), x));
    assertEquals(await a, await b, format);
    assertEquals(
      await far.ops.row(loadMatrix(far, spec, values), 69),
      await near.ops.row(
        loadMatrix(near, spec, values),
        69,
      ),
    );
  }
  far.close();
});

Deno.test("an engine without SIMD is a refusal", () => {
  const { validate } = WebAssembly;
  WebAssembly.validate = () => false;
  try {
    const refused = openWasm();
    assert(isRefusal(refused) && refused.refused === "RuntimeCapability");
  } finally {
    WebAssembly.validate = validate;
  }
});

Deno.test("more columns than addresses are refused, and the next weight is none the worse", () => {
  const backend = openWasm() as Backend;
  for (const columns of [2 ** 30, 2 ** 31 + 1, 2 ** 32 - 1]) {
    const spec: MatrixSpec = { format: "q4-0.b32", tail: "row", rows: 1, columns };
    assert(isRefusal(backend.load(spec, () => {})));
  }
  const spec: MatrixSpec = { format: "q8-row", tail: "exact", rows: 1, columns: 3 };
  const weight = loadMatrix(backend, spec, new Float32Array([127, 0, -127]));
  assertEquals(backend.ops.matvec(weight, new Float32Array([3, 5, 1])), new Float32Array([254]));
});

Deno.test("what does not fit is refused before anything is read, and leaves room for the rest", () => {
  const backend = openWasm() as Backend;
  const refused = backend.load(
    { format: "f32", tail: "exact", rows: 2 ** 16, columns: 2 ** 15 },
    () => {
      throw new Error("asked for bytes");
    },
  );
  assert(isRefusal(refused) && refused.refused === "ResourceLimit");
  const fable = new URL("../../corpus/models/fable/fable.bin", import.meta.url);
  const model = readCheckpoint(Deno.readFileSync(fable)).load(backend);
  const session = backend.session(model, { element: "f32", positions: 2 ** 24 });
  assert(isRefusal(session) && session.refused === "ResourceLimit");
  assert(!isRefusal(backend.session(model, { element: "f32", positions: 16 })));
});

Deno.test("sessions of one model are apart, and a closed one's room is used again", async () => {
  const backend = openWasm() as Backend;
  const fable = new URL("../../corpus/models/fable/fable.bin", import.meta.url);
  const model = readCheckpoint(Deno.readFileSync(fable)).load(backend);
  const open = () => {
    const session = backend.session(model, { element: "f32", positions: 32 });
    if (isRefusal(session)) throw new Error(session.why);
    return session;
  };
  const first = open(), second = open();
  const want = await first.forward([1, 340, 450], 0);
  await second.forward([7, 8, 9, 10], 0);
  assertEquals(await first.forward([450], 2), want);
  for (let i = 0; i < 300; i++) open().close(); // 300 caches of 590 KB, were they kept
  assertEquals(await first.forward([450], 2), want);
});

Deno.test("quantised products are as exact as f32: few roundings from a sum in doubles", async () => {
  const backend = openWasm() as Backend, random = seededRandom(8), rows = 64, columns = 64;
  const values = Float32Array.from({ length: rows * columns }, () => random() - 0.5);
  const x = Float32Array.from({ length: columns }, () => random() - 0.5);
  // blocks of two columns' worth, and the steps within a block; q4-1 cancels d q against m
  const roundings = { "q8-0.b32": 8, "q4-0.b32": 8, "q4-1.b32": 24, "q5-0.b32": 8, "nf4.b64": 24 };
  for (const [format, steps] of Object.entries(roundings)) {
    const spec = { format, tail: "row", rows, columns } as MatrixSpec;
    const weight = loadMatrix(backend, spec, values), got = await backend.ops.matvec(weight, x);
    for (let row = 0; row < rows; row++) {
      const w = await backend.ops.row(weight, row);
      const terms = Array.from(x, (value, j) => value * w[j]);
      const sum = terms.reduce((a, b) => a + b), size = terms.reduce((a, b) => a + Math.abs(b), 0);
      assert(Math.abs(got[row] - sum) <= steps * 2 ** -24 * size, `${format} ${row}`);
    }
  }
});

Deno.test("exp is within two units in the last place", async () => {
  const { ops } = openWasm() as Backend;
  // beside 0, and far enough below, softmax gives exp itself
  for (let x = -87; x < -18; x += 0.0137) {
    const at = Math.fround(x), [got] = await ops.softmax(new Float32Array([at, 0]));
    const want = Math.exp(at), unit = 2 ** (Math.floor(Math.log2(want)) - 23);
    assert(Math.abs(got - want) <= 2 * unit, `exp(${at}): ${got}, not ${want}`);
  }
});
