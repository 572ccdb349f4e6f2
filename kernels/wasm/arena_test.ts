import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { address, Arena } from "./arena.ts";

Deno.test("an address from 2 GiB up is unsigned, and so is where an arena begins", () => {
  assertEquals(address(-1256092352), 3038874944);
  assertEquals(address(16), 16);
  // a stand-in for a memory of more than 3 GiB
  const buffer = { byteLength: 3038874944 + 65536 };
  const arena = new Arena({ buffer } as unknown as WebAssembly.Memory, -1256092352);
  assertEquals(arena.take(100), 3038874944);
});

Deno.test("what is taken is apart, aligned, and free again when given back", () => {
  const command = fc.record({ bytes: fc.integer({ min: 0, max: 200_000 }), give: fc.nat() });
  fc.assert(fc.property(fc.array(command, { maxLength: 40 }), (commands) => {
    const memory = new WebAssembly.Memory({ initial: 1 }), arena = new Arena(memory, 1000);
    const held: { at: number; bytes: number }[] = [];
    for (const { bytes, give } of commands) {
      const at = arena.take(bytes)!;
      assert(at >= 1000 && at % 16 === 0);
      assert(held.every((other) => at + bytes <= other.at || other.at + other.bytes <= at));
      arena.bytes(at, bytes).fill(255);
      held.push({ at, bytes });
      if (give % 2 === 1) arena.give(held.splice(give % held.length, 1)[0].at);
    }
    for (const { at } of held) arena.give(at);
    // all is one range again
    assertEquals(arena.take(memory.buffer.byteLength - 1008), 1008);
  }));
});

Deno.test("no room is null, and nothing is lost by asking", () => {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 2 }), arena = new Arena(memory, 0);
  assertEquals(arena.take(3 * 65536), null);
  assertEquals(arena.take(2 * 65536), 0);
  assertEquals(arena.take(1), null);
});

Deno.test("giving back what was not taken is a bug", () => {
  const arena = new Arena(new WebAssembly.Memory({ initial: 1 }), 0), at = arena.take(10)!;
  arena.give(at);
  assertThrows(() => arena.give(at), RangeError);
});
