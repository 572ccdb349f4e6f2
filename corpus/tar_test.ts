/** The archive is one that the system's tar reads, and the same whatever the order given. */
import { assertEquals, assertThrows } from "@std/assert";
import { type Member, tar } from "./tar.ts";
import { join } from "./writer/bytes.ts";

const LONG = `${"d".repeat(60)}/${"e".repeat(60)}/f.slm`;
const MEMBERS: readonly Member[] = [
  ["b/empty", new Uint8Array(0)],
  ["a.txt", new TextEncoder().encode("text")],
  [LONG, new Uint8Array(1000).fill(7)],
  ["block", new Uint8Array(512).fill(1)],
];
const archive = (members: readonly Member[]) => join([...tar(members)]);

/** Reads an archive by the field table of POSIX.1-1988. */
function* untar(bytes: Uint8Array): Generator<Member> {
  const text = (at: number, length: number) =>
    new TextDecoder().decode(bytes.subarray(at, at + length)).replace(/\0.*$/, "");
  for (let at = 0; bytes[at] !== 0;) {
    const size = Number.parseInt(text(at + 124, 12), 8);
    const sum = bytes.subarray(at, at + 512).reduce(
      (total, byte, i) => total + (i >= 148 && i < 156 ? 32 : byte),
      0,
    );
    assertEquals(Number.parseInt(text(at + 148, 8), 8), sum);
    assertEquals(text(at + 257, 6), "ustar");
    const prefix = text(at + 345, 155);
    yield [
      prefix === "" ? text(at, 100) : `${prefix}/${text(at, 100)}`,
      bytes.slice(at + 512, at + 512 + size),
    ];
    at += 512 + Math.ceil(size / 512) * 512;
  }
}

Deno.test("what goes in comes out, in the order of names", () => {
  const sorted = [...MEMBERS].sort(([a], [b]) => a < b ? -1 : 1);
  assertEquals([...untar(archive(MEMBERS))], sorted.map(([name, bytes]) => [name, bytes.slice()]));
});

Deno.test("the order given does not show", () => {
  assertEquals(archive(MEMBERS), archive([...MEMBERS].reverse()));
});

Deno.test("a name that ustar cannot hold is refused", () => {
  assertThrows(() => archive([["x".repeat(101), new Uint8Array(0)]]), RangeError);
});
