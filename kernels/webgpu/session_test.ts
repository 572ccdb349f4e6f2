/** Whole passes on the device: the bundled model's reference values, its cache, its readbacks. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import {
  isRefusal,
  type KvShape,
  type LlamaModel,
  type Session,
  Unserved,
  type Weight,
} from "../backend.ts";
import { readCheckpoint } from "../checkpoint.ts";
import { openCpu } from "../cpu/backend.ts";
import { decode } from "../quant/codec.ts";
import type { WebGpuBackend } from "./backend.ts";
import { gpuTest } from "./testing.ts";

const FABLE = new URL("../../corpus/models/fable/", import.meta.url);
const checkpoint = readCheckpoint(Deno.readFileSync(new URL("fable.bin", FABLE)));
const { prompts } = JSON.parse(Deno.readTextFileSync(new URL("expected.json", FABLE)));
const floats = (file: string) => new Float32Array(Deno.readFileSync(new URL(file, FABLE)).buffer);

/** The bundled model on the device: its weights as the reference backend has them. */
async function fable(backend: WebGpuBackend): Promise<LlamaModel> {
  const cpu = openCpu(), model = checkpoint.load(cpu), moved = new Map<Weight, Weight>();
  const move = async (weight: Weight) => {
    const { rows, columns } = weight.spec, all = new Float32Array(rows * columns);
    for (let row = 0; row < rows; row++) all.set(await cpu.ops.row(weight, row), row * columns);
    const bytes = new Uint8Array(all.buffer);
    const there = await backend.load(
      weight.spec,
      (into, offset) => into.set(bytes.subarray(offset, offset + into.length)),
    );
    if (isRefusal(there)) throw new Error(there.why);
    moved.set(weight, there);
  };
  const all = [model.tokenEmbedding, model.finalNorm, ...model.layers.flatMap(Object.values)];
  for (const weight of all) await move(weight);
  const at = (weight: Weight) => moved.get(weight)!;
  const layers = model.layers.map((layer) =>
    Object.fromEntries(Object.entries(layer).map(([name, weight]) => [name, at(weight)]))
  ) as unknown as LlamaModel["layers"];
  const tokenEmbedding = at(model.tokenEmbedding);
  return {
    ...model,
    tokenEmbedding,
    finalNorm: at(model.finalNorm),
    layers,
    output: tokenEmbedding,
  };
}

function open(
  backend: WebGpuBackend,
  model: LlamaModel,
  element: KvShape["element"] = "f32",
): Session {
  const session = backend.session(model, { element, positions: checkpoint.positions });
  if (isRefusal(session)) throw new Error(session.why);
  return session;
}

function assertNear(got: Float32Array, want: Float32Array, bound: number, what: string): void {
  assertEquals(got.length, want.length, what);
  got.forEach((x, i) =>
    assert(Math.abs(x - want[i]) <= bound, `${what}[${i}]: ${x}, not ${want[i]}`)
  );
}

gpuTest("fable's logits, activations and greedy ids; a readback a call", async (backend) => {
  const session = open(backend, await fable(backend)), { gpu } = backend;
  const [p1, p2] = prompts;
  for (const { position, file } of p1.logits.slice(0, 3)) {
    const logits = await session.forward(p1.sequence_ids.slice(0, position + 1), 0);
    assertNear(logits, floats(file), 1e-4, file);
  }
  const { position, file } = p2.activations;
  await session.forward(p2.sequence_ids.slice(0, position), 0);
  const { activations } = await session.trace(p2.sequence_ids[position], position);
  // the residual stream goes to 751, whose last place is 6e-5: four of them
  assertNear(activations, floats(file), 2.4e-4, file);

  const ids: number[] = p1.sequence_ids, given: number = p1.prompt_ids.length;
  await session.forward(ids.slice(0, given - 1), 0);
  const before = gpu.readbacks, chosen: number[] = [];
  for (let call = 0; call < 4; call++) {
    const { tokens, nan } = await session.greedy(
      chosen.at(-1) ?? ids[given - 1],
      given - 1 + chosen.length,
      16,
    );
    assertEquals(nan, false);
    chosen.push(...tokens);
  }
  assertEquals(chosen, ids.slice(given, given + 64));
  assertEquals(gpu.readbacks - before, 4);
  session.close();
});

gpuTest(
  "a cache of each element type, taken out and put back, answers the same bits",
  async (backend) => {
    const model = await fable(backend), ids: number[] = prompts[0].sequence_ids.slice(0, 12);
    const { shape } = checkpoint, exact = await open(backend, model).forward(ids, 0);
    for (const element of ["f32", "f16", "bf16"] as const) {
      const first = open(backend, model, element), again = open(backend, model, element);
      await first.forward(ids.slice(0, 10), 0);
      for (let layer = 0; layer < shape.layers; layer++) {
        const cached = await first.readKv(layer, 10);
        await again.writeKv(layer, 10, cached);
        assertEquals(await again.readKv(layer, 10), cached);
        const spec = {
          format: element,
          tail: "exact",
          rows: shape.kvHeads * 10,
          columns: shape.headDim,
        } as const;
        assert(decode(spec, { bytes: cached.keys }).every(Number.isFinite));
      }
      const want = await first.forward(ids.slice(10), 10);
      assertEquals(await again.forward(ids.slice(10), 10), want);
      assertNear(want, exact, { f32: 0, f16: 0.05, bf16: 0.5 }[element], element);
      if (element !== "f32") assert(want.some((x, i) => x !== exact[i]));
    }
  },
);

gpuTest(
  "a prompt in batches: the bits of its tokens one by one, one submission each",
  async (backend) => {
    const model = await fable(backend), ids: number[] = prompts[0].sequence_ids.slice(0, 70);
    const batched = open(backend, model), single = open(backend, model);
    await batched.forward(ids.slice(0, 1), 0); // constants are confirmed
    let submitted = 0;
    const submit = backend.gpu.submit.bind(backend.gpu);
    backend.gpu.submit = (encode) => (submitted++, submit(encode));
    const got = await batched.forward(ids, 0);
    assertEquals(submitted, 2 + 1, "64 and 6 tokens, and the readback");
    let want = new Float32Array();
    for (const [position, id] of ids.entries()) {
      want = await single.forward(
        [id],
        position,
      ) as typeof want;
    }
    assertEquals(got, want);
    for (let layer = 0; layer < checkpoint.shape.layers; layer++) {
      assertEquals(await batched.readKv(layer, 70), await single.readKv(layer, 70));
    }
  },
);

gpuTest("a constant that the device changes: no token is fed, then or later", async (backend) => {
  const model = await fable(backend), { gpu } = backend, write = gpu.write.bind(gpu);
  gpu.write = (buffer, values, offset) =>
    write(
      buffer,
      buffer.usage & GPUBufferUsage.UNIFORM ? values.map((x) => x + 1) : values,
      offset,
    );
  const session = open(backend, model), changed = "the device changed byte 0 of a constant";
  for (let time = 0; time < 2; time++) {
    await assertRejects(() => Promise.resolve(session.forward([1], 0)), Unserved, changed);
  }
});

gpuTest("tokens and positions that do not exist are bugs", async (backend) => {
  const session = open(backend, await fable(backend));
  await assertRejects(() => Promise.resolve(session.forward([512], 0)), RangeError, "token 512");
  await assertRejects(() => Promise.resolve(session.forward([1], 256)), RangeError, "position 256");
  await assertRejects(
    () => Promise.resolve(session.greedy(1, 250, 16)),
    RangeError,
    "position 265",
  );
});
