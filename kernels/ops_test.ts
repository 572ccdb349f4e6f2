/** Each operation of each backend against the reference: the same bits, or within its envelope. */
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import type { Backend, Envelopes, Format, MatrixSpec, Tail, Weight } from "./backend.ts";
import { loadMatrix } from "./checkpoint.ts";
import { openCpu } from "./cpu/backend.ts";
import { BOUNDS } from "./envelope.ts";
import { decodeRow, encode } from "./quant/codec.ts";
import { LAYOUTS } from "./quant/format.ts";
import { seededRandom } from "./sample.ts";
import { openWasm } from "./wasm/backend.ts";

const cpu = openCpu();
const BACKENDS: Record<string, Backend> = { cpu, wasm: openWasm() as Backend };

const FORMATS = Object.keys(LAYOUTS) as Format[];

/** Values with a few orders of magnitude between them, and zeros. */
function noise(count: number, random: () => number): Float32Array {
  return Float32Array.from(
    { length: count },
    () => random() < 0.05 ? 0 : (random() - 0.5) * 4 ** Math.floor(random() * 4),
  );
}

const shape = fc.record({
  rows: fc.integer({ min: 1, max: 11 }),
  columns: fc.integer({ min: 1, max: 140 }),
  seed: fc.nat(),
});

/** `got` has the bits of `want`, or lies within `times` bounds of it. NaN meets only NaN. */
function assertWithin(
  got: Float32Array,
  want: Float32Array,
  times: number,
  bound: (i: number) => number,
  what: string,
): void {
  assertEquals(got.length, want.length, what);
  for (let i = 0; i < got.length; i++) {
    const near = times > 0 && Math.abs(got[i] - want[i]) <= times * bound(i);
    assert(Object.is(got[i], want[i]) || near, `${what}[${i}]: ${got[i]}, not ${want[i]}`);
  }
}

/** The tail rules under which a matrix may be stored. */
function tails(format: Format, rows: number, columns: number): Tail[] {
  const { elements, quantised } = LAYOUTS[format];
  if (!quantised || format === "q8-row") return ["exact"];
  return rows * columns % elements === 0 ? ["pad", "exact", "row"] : ["pad", "row"];
}

for (const [name, { ops, envelopes }] of Object.entries(BACKENDS)) {
  const backend = BACKENDS[name];

  for (const format of FORMATS) {
    const kind: keyof Envelopes = LAYOUTS[format].quantised ? "quantised" : "dense";

    Deno.test(`${name}: ${format} rows and products under each tail rule`, async () => {
      await fc.assert(
        fc.asyncProperty(shape, async ({ rows, columns, seed }) => {
          const random = seededRandom(seed), count = 1 + seed % 5;
          const values = noise(rows * columns, random), xs = noise(count * columns, random);
          for (const tail of tails(format, rows, columns)) {
            const spec: MatrixSpec = { format, tail, rows, columns };
            const mine = loadMatrix(backend, spec, values), theirs = loadMatrix(cpu, spec, values);
            const what = `${tail} [${rows}, ${columns}]`;
            for (let row = 0; row < rows; row++) {
              assertWithin(
                await ops.row(mine, row),
                await cpu.ops.row(theirs, row),
                0,
                () => 0,
                what,
              );
            }
            const got = await ops.matmul(mine, xs, count);
            const want = await cpu.ops.matmul(theirs, xs, count);
            const bounds = await Promise.all(Array.from(want, async (_, i) => {
              const x = xs.subarray(Math.floor(i / rows) * columns).subarray(0, columns);
              return BOUNDS[kind](await cpu.ops.row(theirs, i % rows), x);
            }));
            assertWithin(got, want, envelopes[kind], (i) => bounds[i], what);
            // one at a time they have the very bits of all at once
            for (let i = 0; i < count; i++) {
              const one = await ops.matvec(mine, xs.subarray(i * columns, (i + 1) * columns));
              assertEquals(one, got.slice(i * rows, (i + 1) * rows), what);
            }
          }
        }),
        { numRuns: 60 },
      );
    });
  }

  Deno.test(`${name}: a row that fills no block reads nothing of its neighbour`, async () => {
    for (const format of FORMATS) {
      const columns = LAYOUTS[format].elements + 1;
      const tail = LAYOUTS[format].quantised && format !== "q8-row" ? "row" : "exact";
      const spec: MatrixSpec = { format, tail, rows: 2, columns };
      const values = noise(2 * columns, seededRandom(1)), x = noise(columns, seededRandom(2));
      const before = await ops.matvec(loadMatrix(backend, spec, values), x);
      values.fill(0, columns);
      const after = await ops.matvec(loadMatrix(backend, spec, values), x);
      assert(Object.is(before[0], after[0]), format);
      assertEquals(after[1] + 0, 0, format);
    }
  });

  Deno.test(`${name}: NaN and infinity in x or in a scale show in the product`, async () => {
    for (const format of FORMATS.filter((f) => LAYOUTS[f].quantised && f !== "q8-row")) {
      const { elements } = LAYOUTS[format];
      const spec: MatrixSpec = { format, tail: "row", rows: 3, columns: 2 * elements };
      const values = noise(6 * elements, seededRandom(3)), x = noise(2 * elements, seededRandom(4));
      const strange = x.slice();
      for (const value of [NaN, Infinity, -Infinity]) {
        strange[elements] = value;
        const got = await ops.matvec(loadMatrix(backend, spec, values), strange);
        assert(got.every((y) => !Number.isFinite(y)), `${format} ${value}`);
      }
      const stored = encode(spec, values);
      if ("refused" in stored) throw new Error(stored.refused);
      stored.bytes[0] = 0;
      stored.bytes[1] = 0x7c; // infinity as the first block's scale
      const weight = backend.load(
        spec,
        (into, at) => into.set(stored.bytes.subarray(at, at + into.length)),
      );
      const got = await ops.matvec(weight as Weight, x);
      assert(!Number.isFinite(got[0]) && Number.isFinite(got[1]), format);
    }
  });

  Deno.test(`${name}: rmsNorm, rope, add, swiglu, softmax`, async () => {
    await fc.assert(fc.asyncProperty(shape, async ({ columns: n, seed }) => {
      const random = seededRandom(seed), a = noise(n, random), b = noise(n, random);
      const spec = { format: "f32", tail: "exact", rows: 1, columns: n } as const;
      const mine = loadMatrix(backend, spec, b), theirs = loadMatrix(cpu, spec, b);
      const check = async (
        op: keyof Envelopes,
        run: (backend: Backend) => Float32Array | Promise<Float32Array>,
        bound: (y: number, i: number) => number,
      ) => {
        const got = await run(backend), want = await run(cpu);
        assertWithin(got, want, envelopes[op], (i) => bound(want[i], i), op);
      };
      await check(
        "rmsNorm",
        (on) => on.ops.rmsNorm(a, on === cpu ? theirs : mine, 1e-5),
        (y) => BOUNDS.rmsNorm(y, n),
      );
      await check("add", (on) => on.ops.add(a, b), () => 0);
      await check("swiglu", (on) => on.ops.swiglu(a, b), (y) => BOUNDS.swiglu(y));
      await check("softmax", (on) => on.ops.softmax(a), (p) => BOUNDS.softmax(p, n));
      for (const ropeStyle of [0, 1] as const) {
        const headDim = 2 * (1 + seed % 9), x = noise(3 * headDim, random);
        const turn = { headDim, ropeTheta: 10000, ropeStyle }, most = Math.max(...x.map(Math.abs));
        await check(
          "rope",
          (on) => on.ops.rope(x, seed % 500, turn),
          () => BOUNDS.rope(most, most),
        );
      }
    }));
  });

  Deno.test(`${name}: attention over shared heads of any size`, async () => {
    const any = fc.record({
      kvHeads: fc.integer({ min: 1, max: 3 }),
      shared: fc.integer({ min: 1, max: 3 }),
      headDim: fc.integer({ min: 1, max: 20 }).map((half) => 2 * half),
      positions: fc.integer({ min: 1, max: 40 }),
    });
    await fc.assert(fc.asyncProperty(any, fc.nat(), async ({ shared, ...rest }, seed) => {
      const how = { ...rest, heads: rest.kvHeads * shared }, random = seededRandom(seed);
      const q = noise(how.heads * how.headDim, random);
      const keys = noise(how.kvHeads * how.positions * how.headDim, random);
      const values = noise(keys.length, random);
      const got = await ops.attention(q, keys, values, how);
      const want = await cpu.ops.attention(q, keys, values, how);
      const bound = BOUNDS.attention(q, keys, values, how);
      assertWithin(got, want, envelopes.attention, () => bound, JSON.stringify(how));
    }));
  });

  Deno.test(`${name}: rope turns pairs by position * theta^(-2i / headDim)`, async () => {
    const x = new Float32Array([1, 0, 0, 1]), turn = { headDim: 4, ropeTheta: 100 };
    const near = (got: Float32Array, want: number[]) =>
      want.forEach((value, i) => assert(Math.abs(got[i] - value) < 1e-6, `${got}`));
    // angles 2 and 2 / 10
    const [c0, s0, c1, s1] = [Math.cos(2), Math.sin(2), Math.cos(0.2), Math.sin(0.2)];
    near(await ops.rope(x, 2, { ...turn, ropeStyle: 0 }), [c0, s0, -s1, c1]);
    near(await ops.rope(x, 2, { ...turn, ropeStyle: 1 }), [c0, -s1, s0, c1]);
    assertEquals(await ops.rope(x, 0, { ...turn, ropeStyle: 1 }), x);
  });

  Deno.test(`${name}: softmax of extremes`, async () => {
    const soft = async (...x: number[]) => [...await ops.softmax(new Float32Array(x))];
    assertEquals(await soft(-1e30, 0, -Infinity), [0, 1, 0]);
    assertEquals(await soft(3e38, 3e38), [0.5, 0.5]);
    assert((await soft(1, NaN, 2)).every(Number.isNaN));
    assert((await soft(0, 1, 2, 3, NaN)).every(Number.isNaN));
  });

  Deno.test(`${name}: silu of extremes`, async () => {
    const gate = new Float32Array([-200, -104, 0, 90, 1e30]), up = new Float32Array(5).fill(1);
    const got = await ops.swiglu(gate, up);
    for (const [i, want] of [-0, -0, 0, 90, 1e30].entries()) {
      assert(Math.abs(got[i] - want) <= Math.abs(want) * 1e-6 + 1e-36, `${got}`);
    }
    assert(Number.isNaN((await ops.swiglu(new Float32Array([NaN]), up.slice(0, 1)))[0]));
  });

  Deno.test(`${name}: loads come in windows, in order; what fill throws passes through`, async () => {
    const spec: MatrixSpec = { format: "q8-0.b32", tail: "row", rows: 700, columns: 320 };
    const stored = encode(spec, noise(700 * 320, seededRandom(5)));
    if ("refused" in stored) throw new Error(stored.refused);
    let at = 0;
    const weight = backend.load(spec, (into, offset) => {
      assertEquals(offset, at);
      into.set(stored.bytes.subarray(at, at += into.length));
    }) as Weight;
    assertEquals(at, stored.bytes.length);
    const want = new Float32Array(320);
    decodeRow(spec, stored, 699, want);
    assertEquals(await ops.row(weight, 699), want);
    const broken = new Error("flipped bit");
    let thrown: unknown;
    try {
      backend.load(spec, () => {
        throw broken;
      });
    } catch (error) {
      thrown = error;
    }
    assertEquals(thrown, broken);
  });
}
