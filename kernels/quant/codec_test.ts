import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { dataTest } from "../../lab/data.ts";
import { decode, decodeRow, encode, type Encoded } from "./codec.ts";
import { type Format, LAYOUTS, type MatrixSpec, profileFormat, storedBytes } from "./format.ts";
import { fromHalf } from "./half.ts";
import { NF4 } from "./nf4.ts";

const QUANTISED = (Object.keys(LAYOUTS) as Format[]).filter((f) => LAYOUTS[f].quantised);

function packed(spec: MatrixSpec, values: Float32Array): Encoded {
  const result = encode(spec, values);
  if ("refused" in result) throw new Error(`${result.refused} at ${result.element}`);
  return result;
}

/** One block of `first`, then zeros. */
function block(format: Format, first: number[]): Encoded {
  const columns = LAYOUTS[format].elements;
  const values = new Float32Array(columns);
  values.set(first);
  return packed({ format, tail: "exact", rows: 1, columns }, values);
}

for (
  const [name, format] of [["q8_0", "q8-0.b32"], ["q4_0", "q4-0.b32"], ["q4_1", "q4-1.b32"], [
    "q5_0",
    "q5-0.b32",
  ]] as [string, Format][]
) {
  dataTest(`${format}: GGML's own blocks, bit for bit`, (data) => {
    const load = (file: string) => Deno.readFileSync(new URL(`quant/${file}`, data));
    const rows = new Float32Array(load("rows.f32").buffer);
    const notes = JSON.parse(new TextDecoder().decode(load("rows.json"))).row as {
      undefined_in_c: string[];
      nonfinite_after_dequantisation: string[];
    }[];
    const want = load(`${name}.bin`);
    const values = new Float32Array(load(`${name}.dequantised.f32`).buffer);
    const spec: MatrixSpec = { format, tail: "row", rows: 1, columns: 256 };
    const bytes = storedBytes(spec);
    let compared = 0, refused = 0;
    for (let row = 0; row < 64; row++) {
      const stored = want.subarray(row * bytes, (row + 1) * bytes);
      const out = new Float32Array(256);
      decodeRow(spec, { bytes: stored }, 0, out);
      for (let j = 0; j < 256; j++) assert(Object.is(out[j], values[row * 256 + j]), `row ${row}`);

      const source = rows.subarray(row * 256, (row + 1) * 256);
      const result = encode(spec, source);
      if (notes[row].nonfinite_after_dequantisation.includes(name)) {
        assert("refused" in result, `row ${row} must be refused`);
        refused++;
      } else if (!notes[row].undefined_in_c.includes(name)) {
        assert(!("refused" in result), `row ${row}`);
        assertEquals(result.bytes, stored, `row ${row}`);
        compared++;
      }
    }
    assert(compared >= 50 && refused >= 1, `${compared} compared, ${refused} refused`);
  });
}

dataTest("nf4: the codebook, bit for bit", (data) => {
  const levels = JSON.parse(Deno.readTextFileSync(new URL("quant/nf4_codebook.json", data)));
  const bits = new Uint32Array(NF4.codebook.buffer);
  levels.values.forEach((level: { f32_bits: string }, i: number) =>
    assertEquals(bits[i], parseInt(level.f32_bits, 16))
  );
});

Deno.test("q4-0 rounds every f32 step: neither fused nor in doubles", () => {
  // 2.0625 / -(3 / 8) + 8.5 is just over 3 as f32 steps, just under in doubles
  const codes = block("q4-0.b32", [3, 2.0625]).bytes;
  assertEquals(codes[2 + 1] & 15, 3);
});

Deno.test("q4-0 ties go up, not away from zero", () => {
  // -2.5 * (1 / 1) + 8.5 = 6
  assertEquals(block("q4-0.b32", [-8, -2.5]).bytes[2 + 1] & 15, 6);
});

Deno.test("q8-0 ties go away from zero", () => {
  const codes = new Int8Array(block("q8-0.b32", [127, 2.5, -2.5, 3.5]).bytes.buffer, 2, 4);
  assertEquals([...codes], [127, 3, -3, 4]);
});

Deno.test("an all-zero block has the scale bytes of the formula and the codes of zero", () => {
  for (const zero of [0, -0]) {
    const all = (format: Format) => [...block(format, Array(32).fill(zero)).bytes.slice(0, 8)];
    assertEquals(all("q8-0.b32"), [0, 0, 0, 0, 0, 0, 0, 0]);
    assertEquals(all("q4-0.b32"), [0, 0x80, 0x88, 0x88, 0x88, 0x88, 0x88, 0x88]);
    assertEquals(all("q5-0.b32"), [0, 0x80, 255, 255, 255, 255, 0, 0]);
  }
  assertEquals([...block("nf4.b64", [0]).bytes.slice(0, 4)], [0, 0, 0x77, 0x77]);
});

Deno.test("where the inverse is not finite the codes are those of zero", () => {
  const tiny = 1e-44; // 1 / (tiny / 8) overflows f32
  assertEquals(block("q8-0.b32", [tiny]).bytes[2], 0);
  assertEquals(block("q4-0.b32", [tiny]).bytes[2] & 15, 8);
  assertEquals(block("q4-1.b32", [tiny]).bytes[4] & 15, 0);
  assertEquals(block("q5-0.b32", [tiny]).bytes[2] & 1, 1);
  assertEquals(block("nf4.b64", [tiny]).bytes[2] & 15, 7);
});

Deno.test("sources without a finite scale or minimum are refused by name", () => {
  const refusal = (format: Format, first: number[]) => {
    const columns = LAYOUTS[format].elements, values = new Float32Array(columns);
    values.set(first);
    const result = encode({ format, tail: "exact", rows: 1, columns }, values);
    return "refused" in result ? result.refused : "accepted";
  };
  for (const format of QUANTISED) {
    assertEquals(refusal(format, [NaN]), "NonFiniteSource");
    assertEquals(refusal(format, [-Infinity]), "NonFiniteSource");
  }
  assertEquals(refusal("q8-0.b32", [65520 * 127]), "ScaleRange");
  assertEquals(refusal("q8-0.b32", [65504 * 127]), "accepted");
  assertEquals(refusal("q4-0.b32", [65520 * -8]), "ScaleRange");
  assertEquals(refusal("q5-0.b32", [65520 * -16]), "ScaleRange");
  assertEquals(refusal("q4-1.b32", [3e38, -3e38]), "ScaleRange");
  assertEquals(refusal("q4-1.b32", [-65520]), "MinimumRange");
  assertEquals(refusal("nf4.b64", [65520]), "ScaleRange");
  assertEquals(refusal("q8-row", [3e38]), "accepted");
});

Deno.test("tail rules: row stores 204 bytes, pad 136, exact refuses [3, 33]", () => {
  const spec = { format: "q8-0.b32", rows: 3, columns: 33 } as const;
  const values = new Float32Array(99).fill(1);
  assertEquals(packed({ ...spec, tail: "row" }, values).bytes.length, 204);
  assertEquals(packed({ ...spec, tail: "pad" }, values).bytes.length, 136);
  assertEquals(encode({ ...spec, tail: "exact" }, values), { refused: "TailRule", element: 0 });
});

Deno.test("padded lanes hold the code of zero, and take no part in scale or minimum", () => {
  const spec = (format: Format): MatrixSpec => ({ format, tail: "row", rows: 1, columns: 1 });
  const one = (format: Format) => packed(spec(format), new Float32Array([5])).bytes;
  assertEquals([...one("q8-0.b32").slice(3)], Array(31).fill(0));
  assertEquals([...one("q4-0.b32").slice(2)], [0x80, ...Array(15).fill(0x88)]);
  assertEquals([...one("q5-0.b32").slice(2)], [254, 255, 255, 255, ...Array(16).fill(0)]);
  assertEquals([...one("nf4.b64").slice(2)], [0x7f, ...Array(31).fill(0x77)]);
  const q4_1 = one("q4-1.b32");
  assertEquals(fromHalf(q4_1[2] | (q4_1[3] << 8)), 5);
  assertEquals([...q4_1.slice(4)], Array(16).fill(0));
});

Deno.test("q8-row: one f32 scale a row, zero rows included", () => {
  const spec: MatrixSpec = { format: "q8-row", tail: "exact", rows: 2, columns: 3 };
  const { bytes, scales } = packed(spec, new Float32Array([0, 0, 0, 1, -2, 0.5]));
  assertEquals([...bytes].map((b) => (b << 24) >> 24), [0, 0, 0, 64, -127, 32]);
  assertEquals(scales, new Float32Array([0, 2 / 127]));
});

Deno.test("profile names", () => {
  assertEquals(profileFormat("q4-0.b32.row"), { format: "q4-0.b32", tail: "row" });
  assertEquals(profileFormat("q8-row.exact"), { format: "q8-row", tail: "exact" });
  for (const name of ["q8-row.pad", "q4-0.b32", "f32.exact", "q4-0.b32.all", "toString.pad"]) {
    assertEquals(profileFormat(name), null, name);
  }
});

Deno.test("nf4 picks the nearest level, the lower one on ties", () => {
  fc.assert(fc.property(fc.float({ min: -1, max: 1, noNaN: true }), (x) => {
    const distance = (i: number) => Math.abs(x - NF4.codebook[i]);
    const best = NF4.nearest(x);
    for (let i = 0; i < 16; i++) assert(distance(best) <= distance(i));
  }));
  for (let i = 0; i < 15; i++) {
    assertEquals(NF4.nearest((NF4.codebook[i] + NF4.codebook[i + 1]) / 2), i);
  }
});

Deno.test("decoded values lie within a step of the source, and rows decode alone as in the whole", () => {
  const shape = fc.record({
    format: fc.constantFrom<Format>("q8-0.b32", "q8-row", "nf4.b64", "q4-0.b32", "q5-0.b32"),
    tail: fc.constantFrom<"pad" | "row">("pad", "row"),
    rows: fc.integer({ min: 1, max: 4 }),
    columns: fc.integer({ min: 1, max: 70 }),
  });
  fc.assert(fc.property(shape, fc.integer(), ({ format, tail, rows, columns }, seed) => {
    const spec: MatrixSpec = { format, tail: format === "q8-row" ? "exact" : tail, rows, columns };
    const values = Float32Array.from(
      { length: rows * columns },
      (_, i) => Math.sin(seed + i * i) * 4,
    );
    const stored = packed(spec, values), whole = decode(spec, stored);
    // The widest: half of nf4's last gap, 0.152, and q4-0's clamped upper end, 1 / 8
    const bound = Math.max(...values.map(Math.abs)) * 0.16;
    whole.forEach((x, i) => assert(Math.abs(x - values[i]) <= bound));
    const last = new Float32Array(columns);
    decodeRow(spec, stored, rows - 1, last);
    assertEquals(last, whole.slice((rows - 1) * columns));
  }));
});
