/** Stage 19: the string table. */
import { assertEquals } from "@std/assert";
import { getField } from "../../corpus/writer/fields.ts";
import { assemble } from "../../corpus/writer/write.ts";
import { described, judged, PACK, poked } from "./testing.ts";

const file = assemble(PACK).bytes;
const get = (path: string) => Number(getField(file, path));

Deno.test("strings: a size, offsets, then each string", () => {
  // a, q, q8-0.b32.row, q8-row.exact, r, s, z
  const at = get("header.string_table_offset");
  const count = 7;
  const pool = at + 8 + 4 * (count + 1);
  assertEquals(file[at], count);
  const offset = (i: number) => at + 8 + 4 * i;
  for (
    const [place, byte, verdict] of [
      [at, 0, "19 StringTableSize strings"],
      [at, count + 1, "19 StringTableSize strings"],
      [at + 3, 0xff, "19 StringTableSize strings"],
      [at + 4, 0, "19 StringTableSize strings"],
      [offset(0), 1, "19 StringOffsets strings"],
      [offset(1), 0, "19 StringOffsets strings"],
      [offset(1), 0xff, "19 StringOffsets strings"],
      [offset(count), 0xff, "19 StringOffsets strings"],
      [pool, 0x41, "19 StringInvalid strings"],
      [pool, 0x2f, "19 StringInvalid strings"],
      [pool, 0x62, "26 PayloadHashMismatch payload"], // b for a: a good table
      [pool, 0x71, "19 StringDuplicate strings"],
      [pool, 0x7a, "19 StringOrder strings"],
    ] as [number, number, string][]
  ) {
    assertEquals(judged(poked(file, place, byte)), verdict, `${place}`);
  }
});

Deno.test("strings: identifiers", () => {
  const named = (name: string) => {
    const [first, ...rest] = PACK.tensors ?? [];
    return described({ ...PACK, tensors: [{ ...first, name }, ...rest] });
  };
  for (const name of ["0", "a/b", "a/...", "a..b", "a-", "a".repeat(255), "a/.b", "a_"]) {
    assertEquals(named(name), "accept", name);
  }
  for (
    const name of [
      "a/../b",
      "a//b",
      "..",
      "a/",
      "A",
      "/a",
      ".a",
      "_a",
      "a/.",
      "a/..",
      "a b",
      "\u00e9",
      "a".repeat(256),
    ]
  ) assertEquals(named(name), "19 StringInvalid strings", name);
});
