import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { encode } from "../../kernels/quant/codec.ts";
import { profileFormat } from "../../kernels/quant/format.ts";
import { seededRandom } from "../../kernels/sample.ts";
import { memorySource } from "../../readers/source.ts";
import { REGISTERED } from "../writer/profiles.ts";
import { QuantisedMatrix, quantiseTo } from "./quantise.ts";

const profiles = fc.constantFrom(...REGISTERED.keys());
const bytesOf = (values: Float32Array) => new Uint8Array(values.buffer);

Deno.test("read in windows, in any order, a matrix has the bytes that it has as a whole", () => {
  const shape = fc.record({
    // long rows too, so that there are several groups
    columns: fc.oneof(fc.integer({ min: 1, max: 200 }), fc.constantFrom(9000, 20_001)),
    rows: fc.integer({ min: 1, max: 20 }),
  });
  fc.assert(
    fc.property(profiles, shape, fc.nat(), fc.integer({ min: 1, max: 50_000 }), (name, ...it) => {
      const [size, seed, window] = it, random = seededRandom(seed);
      const spec = { ...profileFormat(name)!, ...size };
      const values = Float32Array.from({ length: size.rows * size.columns }, () => random() - 0.5);
      const whole = encode(spec, values);
      const matrix = new QuantisedMatrix(spec, memorySource(bytesOf(values)));
      const checked = matrix.check();
      if ("refused" in whole) {
        assert("refused" in checked && checked.refused === whole.refused, name);
        return;
      }
      assert(!("refused" in checked));
      assertEquals(checked.scales, whole.scales);
      assertEquals(matrix.size(), whole.bytes.length);
      const got = new Uint8Array(matrix.size());
      const starts = Array.from({ length: Math.ceil(got.length / window) }, (_, i) => i * window);
      for (const at of starts.reverse()) {
        const part = got.subarray(at, at + window);
        assertEquals(matrix.read(at, part), part.length);
      }
      assertEquals(got, whole.bytes);
      assertEquals(matrix.read(got.length, new Uint8Array(1)), 0);
    }),
    { numRuns: 40 },
  );
});

Deno.test("a refusal names row and block", () => {
  const values = new Float32Array(3 * 70);
  values[2 * 70 + 40] = 65520 * 127;
  const refusal = (name: string) => {
    const spec = { ...profileFormat(name)!, rows: 3, columns: 70 };
    const checked = new QuantisedMatrix(spec, memorySource(bytesOf(values))).check();
    return "refused" in checked ? [checked.refused, checked.row, checked.block] : [];
  };
  assertEquals(refusal("q8-0.b32.row"), ["ScaleRange", 2, 1]);
  assertEquals(refusal("q8-0.b32.pad"), ["ScaleRange", 2, Math.floor(180 / 32)]);
  assertEquals(refusal("q8-0.b32.exact"), ["TailRule", 0, 0]);
  values[3] = NaN;
  assertEquals(refusal("q8-row.exact"), ["NonFiniteSource", 0, 3]);
});

Deno.test("a profile that is not registered stores nothing", () => {
  for (const name of ["q8-0.b32", "q8-row.row", "q4-0.b32.ROW", "f32"]) {
    assertEquals(quantiseTo(name), null, name);
  }
});
