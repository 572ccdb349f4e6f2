import { assertEquals } from "@std/assert";
import { compare, concat, getInteger, integer, u64 } from "./bytes.ts";

Deno.test("integers are little-endian, modulo their width, in two's complement", () => {
  assertEquals(integer(0x01020304, 4).toHex(), "04030201");
  assertEquals(integer(-1, 4).toHex(), "ffffffff");
  assertEquals(integer(-2n, 8).toHex(), "feffffffffffffff");
  assertEquals(integer(0x1ffff, 2).toHex(), "ffff");
  assertEquals(integer(2n ** 64n + 5n, 8).toHex(), "0500000000000000");
});

Deno.test("64-bit integers survive the borders of 2^31, 2^32 and 2^53", () => {
  for (const n of [2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1]) {
    assertEquals(getInteger(u64(n), 0, 8), n);
  }
  for (const n of [2n ** 53n, 2n ** 53n + 1n, 2n ** 64n - 1n]) {
    assertEquals(getInteger(u64(n), 0, 8), n);
  }
});

Deno.test("bytes compare bytewise, a prefix first", () => {
  const bytes = (...list: number[]) => Uint8Array.from(list);
  assertEquals(Math.sign(compare(bytes(1), bytes(1, 0))), -1);
  assertEquals(Math.sign(compare(bytes(0xff), bytes(0x7f, 1))), 1);
  assertEquals(compare(bytes(), bytes()), 0);
  assertEquals(concat(bytes(1), bytes(), bytes(2, 3)), bytes(1, 2, 3));
});
