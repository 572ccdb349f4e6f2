/** Stage 19: the string table. */
import { concat, u32, utf8 } from "../../writer/bytes.ts";
import { tensorPack } from "../../writer/build/model.ts";
import { encodeStrings } from "../../writer/plan.ts";
import type { Code } from "../../../readers/contract.ts";
import { type Case, corrupt, lazy, type Recipe, valid } from "../case.ts";
import { full, tok } from "../library.ts";
import { rebuilt } from "../parts.ts";
import { NO_IDENTIFIERS } from "../schema_faults.ts";
import { dense } from "../valid/tensors.ts";

/** Four strings, each used: `a`, `bb`, `n`, `w`. */
const parent = lazy(() =>
  valid(
    "valid/strings/four",
    "a string table of four, each used",
    tensorPack([
      dense("u8", [], { role: "a", name: "bb" }),
      dense("u8", [], { role: "w", name: "n" }),
    ]),
  )
);

const valids: Recipe = {
  name: "valid/strings",
  reason: "a string table that corrupt ones are made from",
  spec: "slm2.md 6",
  cites: [
    "slm2-6 String table",
    "slm2-6 References are",
    "slm2-6 Every string in the table",
  ],
  cases: () => [parent()],
};

const STRINGS = ["a", "bb", "n", "w"];
const POOL = "abbnw";

/** A table from its four parts, whatever they say. */
const table = (count: number, pool_length: number, offsets: readonly number[], pool = POOL) =>
  concat(u32(count), u32(pool_length), ...offsets.map(u32), utf8(pool));

function one(recipe: Recipe, local: string, bytes: Uint8Array, code: Code, why: string): Case {
  return corrupt(
    parent(),
    `${recipe.name}/${local}`,
    why,
    rebuilt(parent().artifact.bytes, (parts) => void (parts.strings = bytes)),
    [19, code, "strings"],
  );
}

const GOOD = [0, 1, 3, 4, 5];
const MAX = 0xffffffff;

const sizes: Recipe = {
  name: "corrupt/strings/size",
  reason: "count, pool_length and the section's length add up, exactly",
  spec: "slm2.md 6 and 8, stage 19",
  cites: ["slm2-6 String table"],
  cases: () => [
    ...Array.from({ length: 8 }, (_, i) => i).filter((i) => i > 0).map((n) =>
      one(sizes, `length-${n}`, new Uint8Array(n), "StringTableSize", `a table of ${n} bytes`)
    ),
    one(sizes, "empty", concat(u32(0), u32(0), u32(0)), "StringTableSize", "a table of no strings"),
    one(sizes, "zeros-8", new Uint8Array(8), "StringTableSize", "count 0 and no offsets"),
    ...[[0, "0"], [3, "minus-one"], [5, "plus-one"], [MAX, "max"], [0x3ffffffe, "wraps-by-4"], [
      0x40000003,
      "wraps",
    ]].map(([n, name]) =>
      one(
        sizes,
        `count-${name}`,
        table(n as number, 5, GOOD),
        "StringTableSize",
        `count ${n} for four strings`,
      )
    ),
    ...[[0, "0"], [4, "minus-one"], [6, "plus-one"], [MAX, "max"]].map(([n, name]) =>
      one(
        sizes,
        `pool-${name}`,
        table(4, n as number, GOOD),
        "StringTableSize",
        `pool_length ${n} for five bytes`,
      )
    ),
    one(
      sizes,
      "byte-more",
      concat(table(4, 5, GOOD), u32(0).slice(3)),
      "StringTableSize",
      "a byte after the pool",
    ),
    one(
      sizes,
      "byte-less",
      table(4, 5, GOOD).slice(0, -1),
      "StringTableSize",
      "the pool's last byte is missing",
    ),
  ],
};

const offsets: Recipe = {
  name: "corrupt/strings/offsets",
  reason: "offsets begin at zero, rise strictly and end at pool_length",
  spec: "slm2.md 8, stage 19",
  cites: ["slm2-6 String table"],
  cases: () =>
    ([
      ["first-1", [1, 2, 3, 4, 5], "the first is 1"],
      ["first-max", [MAX, 1, 3, 4, 5], "the first is 2^32 - 1"],
      ["equal", [0, 1, 1, 4, 5], "two are equal: an empty string"],
      ["falling", [0, 3, 1, 4, 5], "one falls"],
      ["past-then-back", [0, 1, 9, 4, 5], "one passes the pool, the next comes back"],
      ["past", [0, 1, 3, 6, 5], "the last but one passes the pool"],
      ["wraps", [0, 1, MAX, 4, 5], "one is 2^32 - 1"],
      ["last-short", [0, 1, 2, 3, 4], "the last is one short of the pool"],
      ["last-long", [0, 1, 3, 4, 6], "the last is one past the pool"],
      ["last-equal", [0, 1, 3, 5, 5], "the last string is empty"],
      ["all-zero", [0, 0, 0, 0, 0], "all are zero"],
    ] as const).map(([local, list, why]) =>
      one(offsets, local, table(4, 5, list), "StringOffsets", why)
    ),
};

/** The table with another string in one place. */
const withString = (i: number, text: string) =>
  encodeStrings(STRINGS.map((string, j) => utf8(i === j ? text : string)));

const texts: Recipe = {
  name: "corrupt/strings/text",
  reason: "each string is an identifier, and they stand in order",
  spec: "slm2.md 6 and 8, stage 19",
  cites: ["slm2-6 Identifier:", "slm2-6 Compared as raw bytes"],
  cases: () => [
    ...NO_IDENTIFIERS.filter(([, text]) => text !== "").flatMap(([local, text]) => [
      one(
        texts,
        `first-${local}`,
        withString(0, text),
        "StringInvalid",
        `the first string is ${JSON.stringify(text)}`,
      ),
      one(
        texts,
        `last-${local}`,
        withString(3, text),
        "StringInvalid",
        `the last string is ${JSON.stringify(text)}`,
      ),
    ]),
    ...["80", "ff", "c3", "eda080"].map((hex) =>
      one(
        texts,
        `bytes-${hex}`,
        encodeStrings([...STRINGS.slice(0, 3).map(utf8), Uint8Array.fromHex(hex)]),
        "StringInvalid",
        `the last string is the bytes ${hex}`,
      )
    ),
    one(texts, "duplicate", withString(1, "a"), "StringDuplicate", "the second equals the first"),
    one(
      texts,
      "duplicate-last",
      withString(3, "n"),
      "StringDuplicate",
      "the last equals the one before",
    ),
    one(
      texts,
      "duplicate-apart",
      withString(2, "a"),
      "StringOrder",
      "the third equals the first: it sorts before the second",
    ),
    one(
      texts,
      "order-swapped",
      withString(2, "x"),
      "StringOrder",
      "the last sorts before the third",
    ),
    one(
      texts,
      "order-prefix",
      encodeStrings(["a", "bb", "b", "w"].map(utf8)),
      "StringOrder",
      "a prefix sorts before what it begins",
    ),
    one(
      texts,
      "order-by-length",
      encodeStrings(["b", "ab", "n", "w"].map(utf8)),
      "StringOrder",
      "order is by bytes, not by length",
    ),
    one(
      texts,
      "order-digits",
      encodeStrings(["9", "10", "n", "w"].map(utf8)),
      "StringOrder",
      "order is by bytes, not by number",
    ),
    one(
      texts,
      "order-punctuation",
      encodeStrings(["a.b", "a-b", "n", "w"].map(utf8)),
      "StringOrder",
      "a dash sorts before a dot",
    ),
    one(
      texts,
      "order-underscore",
      encodeStrings(["aa", "a_", "n", "w"].map(utf8)),
      "StringOrder",
      "an underscore sorts before letters, whatever a collation says",
    ),
  ],
};

const absent: Recipe = {
  name: "corrupt/strings/absent",
  reason: "without a string table every string id is one of none",
  spec: "slm2.md 8",
  cites: ["slm2-8 an absent string table"],
  cases: () =>
    ([[parent(), 21, "tensors"], [full(), 20, "quant"], [tok(), 22, "blobs"]] as const).map((
      [one, stage, section],
    ) =>
      corrupt(
        one,
        `${absent.name}/${section}`,
        `no string table, and records of ${section}`,
        rebuilt(one.artifact.bytes, (parts) => void (parts.strings = new Uint8Array(0))),
        [stage, "BadStringId", section],
      )
    ),
};

export const strings: readonly Recipe[] = [valids, sizes, offsets, texts, absent];
