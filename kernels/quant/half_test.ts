import { assert, assertEquals } from "@std/assert";
import { dataTest } from "../../lab/data.ts";
import { fromBrain, fromHalf, halfBits, toBrain, toHalf } from "./half.ts";

Deno.test("double to half rounds once; through f32 it may round twice", () => {
  const direct: [number, number][] = [
    [2.980232238769532e-8, 0x0001],
    [2.98023223876953125e-8, 0x0000],
    [0.499994, 0x3800],
    [7.9999999, 0x4800],
    [65519.99, 0x7bff],
    [65520, 0x7c00],
    [-65520, 0xfc00],
    [1.0004882812509095, 0x3c01],
    [-0, 0x8000],
    [Infinity, 0x7c00],
  ];
  for (const [x, half] of direct) assertEquals(toHalf(x), half, String(x));
  assertEquals(toHalf(Math.fround(1.0004882812509095)), 0x3c00);
  assert(Number.isNaN(fromHalf(toHalf(NaN))));
  assert(Number.isNaN(fromBrain(toBrain(NaN))));
});

Deno.test("every half survives the way to f32 and back", () => {
  for (let half = 0; half < 65536; half++) {
    if (Number.isNaN(fromHalf(half))) continue;
    assertEquals(toHalf(fromHalf(half)), half);
  }
});

Deno.test("every bfloat16 survives the way to f32 and back", () => {
  for (let brain = 0; brain < 65536; brain++) {
    if (!Number.isNaN(fromBrain(brain))) assertEquals(toBrain(fromBrain(brain)), brain);
  }
});

dataTest("f16 to f32: all 65,536, NaN payloads too", (data) => {
  const want = new Uint32Array(Deno.readFileSync(new URL("quant/f16_to_f32.f32", data)).buffer);
  for (let half = 0; half < 65536; half++) assertEquals(halfBits(half), want[half]);
});

dataTest("f32 to f16 and bf16: ties, subnormals, overflow, NaN", (data) => {
  const bytes = Deno.readFileSync(new URL("quant/f32_to_half.bin", data));
  const view = new DataView(bytes.buffer);
  let compared = 0;
  for (let at = 0; at < bytes.length; at += 8) {
    const x = view.getFloat32(at, true), half = view.getUint16(at + 4, true);
    const brain = view.getUint16(at + 6, true);
    if (Number.isNaN(x)) {
      assert(Number.isNaN(fromHalf(toHalf(x))) && Number.isNaN(fromBrain(toBrain(x))));
    } else {
      assertEquals([toHalf(x), toBrain(x)], [half, brain], `bits ${view.getUint32(at, true)}`);
      compared++;
    }
  }
  assertEquals(compared, bytes.length / 8 - 11);
});
