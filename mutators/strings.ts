/** The string table (section 6): its numbers, its order, and every kind of bad identifier. */
import { type Artifact, layOut, parse, stringsOf, stringTable } from "./artifact.ts";
import { getU32, splice } from "./bytes.ts";
import { perturb } from "./integers.ts";
import type { Mutator } from "./mutator.ts";
import type { Random } from "./random.ts";

const utf8 = new TextEncoder();

/** What is no identifier, or just one (section 6); the letter is a good first one. */
const IDENTIFIERS = [
  "",
  "a",
  "0",
  "A",
  "-a",
  ".a",
  "_a",
  "/a",
  "a/",
  "a//b",
  "a/./b",
  "a/../b",
  "a/.",
  "a/..",
  ".",
  "..",
  "a/...",
  "a/.b",
  "a..b",
  "a b",
  "a\u0000",
  "a~",
  "a`",
  "a{",
  "a@",
  "a:",
  "\u00e9",
  "\u017f",
  "a".repeat(254),
  "a".repeat(255),
  "a".repeat(256),
  "a".repeat(257),
] as const;

/** An identifier, good or bad, of the kinds that checks miss. */
export function oddIdentifier(random: Random): Uint8Array {
  return utf8.encode(random.pick(IDENTIFIERS));
}

/** One string of a good table changed; the table stays in order where `sorted` holds. */
function withString(
  input: Uint8Array,
  random: Random,
  change: (list: Uint8Array[], random: Random) => void,
): Uint8Array | null {
  const artifact = parse(input);
  const list = stringsOf(artifact.strings);
  if (list.length === 0) return null;
  change(list, random);
  return layOut({ ...artifact, strings: stringTable(list) } satisfies Artifact);
}

export const strings: readonly Mutator[] = [
  {
    name: "string-number",
    reason: "count, pool length and each offset of the table have a border and an order",
    mutate(input, random) {
      const artifact = parse(input);
      const { strings } = artifact;
      if (strings.length < 12) return null;
      const words = Math.min(getU32(strings, 0) + 3, Math.floor(strings.length / 4));
      perturb(strings, 4 * random.below(Math.max(1, words)), 4, random);
      return layOut(artifact);
    },
  },
  {
    name: "string-identifier",
    reason: "every rule of an identifier, one breach at a time",
    mutate: (input, random) =>
      withString(input, random, (list) => {
        list[random.below(list.length)] = oddIdentifier(random);
      }),
  },
  {
    name: "string-byte",
    reason: "a byte of a name: order, identifier and hash all see it",
    mutate: (input, random) =>
      withString(input, random, (list) => {
        const one = random.pick(list);
        if (one.length > 0) one[random.below(one.length)] ^= 1 << random.below(8);
      }),
  },
  {
    name: "string-order",
    reason: "strings must be strictly increasing, equal ones are duplicates",
    mutate: (input, random) =>
      withString(input, random, (list) => {
        const i = random.below(list.length), j = random.below(list.length);
        if (random.oneIn(2)) list[i] = list[j];
        else [list[i], list[j]] = [list[j], list[i]];
      }),
  },
  {
    name: "string-unreferenced",
    reason: "a string more or less than the records refer to",
    mutate: (input, random) =>
      withString(input, random, (list) => {
        const at = random.below(list.length + 1);
        if (random.oneIn(3)) list.splice(at, 1);
        else list.splice(at, 0, splice(list[Math.max(0, at - 1)], 255, 0, utf8.encode("0")));
      }),
  },
];
