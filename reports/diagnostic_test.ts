import { assertEquals } from "@std/assert";
import type { Value } from "../readers/contract.ts";
import { diagnostic } from "./diagnostic.ts";

Deno.test("integers below zero and beyond 2^53 are exact", () => {
  const value: Value = new Map<string, Value>([
    ["n", -62654812000],
    ["m", -9223372036854775808n],
    ["u", 18446744073709551615n],
  ]);
  assertEquals(
    diagnostic(value),
    '{"n": -62654812000, "m": -9223372036854775808, "u": 18446744073709551615}',
  );
});

Deno.test("every kind of value has its notation", () => {
  assertEquals(
    diagnostic([true, false, null, "a\n", Uint8Array.of(1, 255)]),
    "[true, false, null, \"a\\n\", h'01ff']",
  );
});

Deno.test("output is bounded whatever the value", () => {
  const wide: Value = Array.from({ length: 16_384 }, () => "x".repeat(65_536));
  assertEquals(diagnostic(wide, 100).length <= 101, true);
});
