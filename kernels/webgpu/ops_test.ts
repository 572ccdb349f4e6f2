/** Each operation on the device against the reference: the same bits, or within its envelope. */
import { assert, assertEquals } from "@std/assert";
import type { AnyBackend, MatrixSpec, Tail, Weight } from "../backend.ts";
import { isRefusal } from "../backend.ts";
import { openCpu } from "../cpu/backend.ts";
import { BOUNDS } from "../envelope.ts";
import { encode } from "../quant/codec.ts";
import { type Format, LAYOUTS } from "../quant/format.ts";
import { seededRandom } from "../sample.ts";
import { gpuTest } from "./testing.ts";

const cpu = openCpu();
const FORMATS = Object.keys(LAYOUTS) as Format[];

function noise(count: number, seed: number): Float32Array {
  const random = seededRandom(seed);
  return Float32Array.from(
    { length: count },
    () => random() < 0.05 ? 0 : (random() - 0.5) * 4 ** Math.floor(random() * 4),
  );
}

async function load(backend: AnyBackend, spec: MatrixSpec, values: Float32Array): Promise<Weight> {
  const stored = encode(spec, values);
  if ("refused" in stored) throw new Error(stored.refused);
  const weight = await backend.load(
    spec,
    (into, offset) => into.set(stored.bytes.subarray(offset, offset + into.length)),
    stored.scales,
  );
  if (isRefusal(weight)) throw new Error(weight.why);
  return weight;
}

function assertNear(
  got: Float32Array,
  want: Float32Array,
  bound: (i: number) => number,
  what: string,
): void {
  assertEquals(got.length, want.length, what);
  for (let i = 0; i < got.length; i++) {
    const near = Object.is(got[i], want[i]) || Math.abs(got[i] - want[i]) <= bound(i);
    assert(near, `${what}[${i}]: ${got[i]}, not ${want[i]}`);
  }
}

/** Rows that fill blocks, that do not, that begin inside a block, and single ones. */
const SHAPES: readonly [rows: number, columns: number, count: number][] = [
  [9, 64, 3],
  [5, 33, 9],
  [70, 20, 1],
  [1, 1, 2],
];

for (const format of FORMATS) {
  const { elements, quantised } = LAYOUTS[format], kind = quantised ? "quantised" : "dense";
  const tails = (size: number): Tail[] =>
    !quantised || format === "q8-row"
      ? ["exact"]
      : size % elements === 0
      ? ["pad", "exact", "row"]
      : ["pad", "row"];

  gpuTest(`${format} rows and products under each tail rule`, async (backend) => {
    for (const [rows, columns, count] of SHAPES) {
      const values = noise(rows * columns, columns), xs = noise(count * columns, rows);
      for (const tail of tails(values.length)) {
        const spec: MatrixSpec = { format, tail, rows, columns };
        const mine = await load(backend, spec, values), theirs = await load(cpu, spec, values);
        const what = `${tail} [${rows}, ${columns}]`;
        const decoded = await Promise.all(
          Array.from({ length: rows }, (_, row) => cpu.ops.row(theirs, row)),
        );
        for (const row of new Set([0, rows >> 1, rows - 1])) {
          assertNear(await backend.ops.row(mine, row), decoded[row], () => 0, what);
        }
        const got = await backend.ops.matmul(mine, xs, count);
        const want = await cpu.ops.matmul(theirs, xs, count);
        const alone = await backend.ops.matvec(mine, xs.slice(0, columns));
        assertEquals(alone, got.slice(0, rows), `${what}: an x has the same bits among others`);
        const x = (i: number) => xs.subarray(i * columns, (i + 1) * columns);
        const bound = (i: number) => BOUNDS[kind](decoded[i % rows], x(Math.floor(i / rows)));
        assertNear(got, want, bound, what);
        const last = await backend.ops.matvec(mine, x(count - 1));
        assertNear(last, want.slice(-rows), (i) => bound((count - 1) * rows + i), what);
      }
    }
  });
}

gpuTest("every f16 and bf16 has its value, NaN and subnormals included", async (backend) => {
  const all = Uint8Array.from({ length: 1 << 17 }, (_, i) => i >> 1 >> (i % 2 * 8));
  for (const format of ["f16", "bf16"] as const) {
    const spec: MatrixSpec = { format, tail: "exact", rows: 1, columns: 1 << 16 };
    const fill = (into: Uint8Array, offset: number) =>
      into.set(all.subarray(offset, offset + into.length));
    const mine = await backend.load(spec, fill) as Weight, theirs = cpu.load(spec, fill) as Weight;
    const want = cpu.ops.row(theirs, 0) as Float32Array;
    assertNear(await backend.ops.row(mine, 0), want, () => 0, format);
  }
});

gpuTest("rmsNorm, rope, add, swiglu, softmax of many lengths", async (backend) => {
  const { ops } = backend;
  for (const n of [1, 2, 63, 64, 65, 200]) {
    const a = noise(n, n), b = noise(n, n + 1);
    const spec = { format: "f32", tail: "exact", rows: 1, columns: n } as const;
    const mine = await load(backend, spec, b), theirs = await load(cpu, spec, b);
    const norm = await cpu.ops.rmsNorm(a, theirs, 1e-5);
    assertNear(
      await ops.rmsNorm(a, mine, 1e-5),
      norm,
      (i) => BOUNDS.rmsNorm(norm[i], n),
      "rmsNorm",
    );
    assertNear(await ops.add(a, b), await cpu.ops.add(a, b), () => 0, "add");
    const silu = await cpu.ops.swiglu(a, b);
    assertNear(await ops.swiglu(a, b), silu, (i) => BOUNDS.swiglu(silu[i]), "swiglu");
    const soft = await cpu.ops.softmax(a);
    assertNear(await ops.softmax(a), soft, (i) => BOUNDS.softmax(soft[i], n), "softmax");
    for (const ropeStyle of [0, 1] as const) {
      const turn = { headDim: 2 * (1 + n % 9), ropeTheta: 10000, ropeStyle };
      const x = noise(3 * turn.headDim, n), most = Math.max(...x.map(Math.abs));
      const want = await cpu.ops.rope(x, 3 * n, turn);
      assertNear(await ops.rope(x, 3 * n, turn), want, () => BOUNDS.rope(most, most), "rope");
    }
  }
});

gpuTest("attention over shared heads of any size", async ({ ops }) => {
  for (
    const [kvHeads, shared, headDim, positions] of [[1, 1, 2, 1], [3, 2, 16, 70], [2, 3, 6, 5]]
  ) {
    const how = { kvHeads, heads: kvHeads * shared, headDim, positions };
    const q = noise(how.heads * headDim, 1), keys = noise(kvHeads * positions * headDim, 2);
    const values = noise(keys.length, 3), want = await cpu.ops.attention(q, keys, values, how);
    const bound = BOUNDS.attention(q, keys, values, how);
    assertNear(await ops.attention(q, keys, values, how), want, () => bound, JSON.stringify(how));
  }
});

gpuTest(
  "extremes: NaN and infinities are seen, exp neither overflows nor sinks",
  async (backend) => {
    const { ops } = backend;
    const soft = async (...x: number[]) => [...await ops.softmax(new Float32Array(x))];
    assertEquals(await soft(-1e30, 0, -Infinity), [0, 1, 0]);
    assertEquals(await soft(3e38, 3e38), [0.5, 0.5]);
    assert((await soft(1, NaN, 2)).every(Number.isNaN));
    const gate = new Float32Array([-200, -104, 0, 90, 1e30]), up = new Float32Array(5).fill(1);
    const got = await ops.swiglu(gate, up);
    for (const [i, want] of [-0, -0, 0, 90, 1e30].entries()) {
      assert(Math.abs(got[i] - want) <= Math.abs(want) * 1e-6 + 1e-36, `${got}`);
    }
    assert(Number.isNaN((await ops.swiglu(new Float32Array([NaN]), up.slice(0, 1)))[0]));
    const spec: MatrixSpec = { format: "q8-0.b32", tail: "row", rows: 3, columns: 64 };
    const weight = await load(backend, spec, noise(192, 3));
    for (const strange of [NaN, Infinity, -Infinity]) {
      const x = noise(64, 4);
      x[40] = strange;
      assert((await ops.matvec(weight, x)).every((y) => !Number.isFinite(y)), `${strange}`);
    }
  },
);
