import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { sameBits, within } from "./case.ts";
import { breaches, distance } from "./distance.ts";

const f32 = (...values: number[]) => new Float32Array(values);

Deno.test("figures of a small difference", () => {
  const { absolute, relative, ulp, kl, differing, argMax } = distance(
    f32(2 + 2 ** -22, -4, 0.5),
    f32(2, -4, 0.25),
  );
  // 0.5 against 0.25 counts absolutely alone: below 1 relative figures say nothing
  assertEquals([absolute, relative, ulp, differing], [0.25, 2 ** -23, 1, 2]);
  assert(kl > 0 && kl < 0.25 ** 2 / 2);
  assertEquals(argMax, { got: 0, want: 0 });
});

Deno.test("a NaN is within no tolerance, not even of a NaN", () => {
  const loose = within(1e30, false, "anything");
  for (const [a, b] of [[NaN, 1], [1, NaN], [NaN, NaN]]) {
    const found = distance(f32(5, a), f32(5, b));
    assertEquals(breaches(found, loose), ["absolute", "relative", "ulp", "kl"]);
  }
  assert(breaches(distance(f32(Infinity), f32(1)), loose).length > 0);
});

Deno.test("the same bits: zeros of two signs are two values", () => {
  const same = sameBits("declared");
  assertEquals(breaches(distance(f32(0, 1), f32(0, 1)), same), []);
  assertEquals(breaches(distance(f32(-0, 1), f32(0, 1)), same), ["bits"]);
});

Deno.test("another arg max is a breach only where the envelope says so", () => {
  const found = distance(f32(1, 1.001), f32(1.001, 1));
  assertEquals(breaches(found, within(0.01, true, "")), ["arg-max"]);
  assertEquals(breaches(found, within(0.01, false, "")), []);
});

Deno.test("arrays of two lengths cannot be compared", () => {
  assertThrows(() => distance(f32(1), f32(1, 2)), RangeError);
});

Deno.test("what lies within an absolute bound lies within all that follow from it", () => {
  const noise = fc.array(
    fc.tuple(
      fc.float({ min: -30, max: 30, noNaN: true }),
      fc.double({ min: -1, max: 1, noNaN: true }),
    ),
    { minLength: 1, maxLength: 40 },
  );
  fc.assert(fc.property(noise, fc.double({ min: 1e-6, max: 3, noNaN: true }), (pairs, bound) => {
    const want = f32(...pairs.map(([x]) => x));
    const got = f32(...pairs.map(([x, e]) => x + e * bound * 0.999));
    // rounding to f32 may add half a step of 32
    const envelope = within(bound + 2 ** -19, false, "");
    assertEquals(breaches(distance(got, want), envelope), []);
  }));
});
