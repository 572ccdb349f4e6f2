/** Oracles that say no: planted faults are found, under one bucket each, whatever errors say. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { setField } from "../../corpus/writer/fields.ts";
import { mutate } from "../../mutators/mutate.ts";
import { Random } from "../../mutators/random.ts";
import { seedArtifacts } from "../../mutators/seeds.ts";
import type { Reader, Reject, Verdict } from "../../readers/contract.ts";
import { cursor } from "../../readers/cursor/reader.ts";
import { table } from "../../readers/table/reader.ts";
import { checkOf, earlier } from "./clauses.ts";
import { CHEAP, DEEP, judge, Observer } from "./observe.ts";
import { houseRuntime } from "./runtime.ts";
import { rendered, renderedLarge } from "./rendered.ts";
import { roundTrip } from "./round_trip.ts";
import { sameNumbers } from "./same_numbers.ts";
import { throwPlace } from "./total.ts";

const SEEDS = seedArtifacts(11, 4);

/** Reader one whose verdicts pass through `change`. */
const changed = (change: (verdict: Verdict, size: number) => Verdict): Reader => ({
  ...cursor,
  read(request) {
    const { verdict, ...rest } = cursor.read(request);
    return { ...rest, verdict: change(verdict, request.source.size()) };
  },
});

/** The keys of a campaign of `cases` mutants against a planted reader. */
function keysOf(reader: Reader, cases = 6000, seed = 5): Set<string> {
  const observer = new Observer([reader, table]);
  const random = new Random(seed);
  const keys = new Set<string>();
  for (let i = 0; i < cases; i++) {
    const { bytes } = mutate(random.pick(SEEDS), random, random.pick(SEEDS));
    for (const { key } of judge(observer.observe(bytes), CHEAP)) keys.add(key);
  }
  return keys;
}

const isCode = (verdict: Verdict, code: string): boolean =>
  verdict.verdict === "reject" && verdict.code === code;

Deno.test("every seed is accepted, and no oracle has anything to say", () => {
  const runtime = houseRuntime();
  const oracles = [
    ...CHEAP,
    ...DEEP,
    roundTrip(runtime),
    rendered(runtime),
    renderedLarge(runtime),
    sameNumbers(runtime),
  ];
  const observer = new Observer([cursor, table]);
  for (const bytes of SEEDS) {
    const observation = observer.observe(bytes, true);
    for (const { outcome } of observation.seen) assertEquals(outcome.verdict, "accept");
    assertEquals(judge(observation, oracles), []);
  }
});

Deno.test("trial: two planted faults, at stage 17 and a wrong code at 21, are exactly two buckets", () => {
  const planted = changed((verdict) =>
    isCode(verdict, "CborInvalidUtf8")
      ? { ...verdict, code: "CborNotNfc" }
      : isCode(verdict, "UnknownElementType")
      ? { ...verdict, code: "TailRule" }
      : verdict
  );
  assertEquals([...keysOf(planted)].sort(), [
    "same-verdict 17 CborInvalidUtf8 manifest table",
    "same-verdict 21 UnknownElementType tensors table",
  ]);
});

Deno.test("trial: a skipped check is one bucket, whatever the rest of the file leads to", () => {
  // what is rejected for an unsorted set goes on, and ends anywhere later or is accepted
  const planted = changed((verdict, size) =>
    isCode(verdict, "UnsortedSet")
      ? size % 2 === 0
        ? { verdict: "reject", stage: 24, code: "PayloadTrailing", section: "payload" }
        : { verdict: "reject", stage: 18, code: "TableNotPermitted", section: "manifest" }
      : verdict
  );
  assertEquals([...keysOf(planted)], ["same-verdict 18 UnsortedSet manifest table"]);
});

Deno.test("trial: buckets are the same set when every error text is another", () => {
  const thrower = (text: string) =>
    changed((verdict) => {
      if (isCode(verdict, "ZeroHash")) throw new RangeError(`${text} ${Math.sqrt(2)}`);
      return verdict;
    });
  const keys = keysOf(thrower("offset is out of bounds"));
  assertEquals(keys, keysOf(thrower("anders gesagt")));
  assertEquals(keys.size, 1);
});

Deno.test("a verdict outside the closed type is a finding of its own class", () => {
  const planted = changed((verdict) =>
    isCode(verdict, "ZeroHash") ? { ...verdict, stage: 5 } : verdict
  );
  const observer = new Observer([planted, table]);
  const random = new Random(1);
  for (let i = 0; i < 20000; i++) {
    const { bytes } = mutate(random.pick(SEEDS), random);
    const [found] = judge(observer.observe(bytes), CHEAP);
    if (!found) continue;
    assertEquals([found.class, found.key], ["protocol", "total cursor verdict 5 ZeroHash tensors"]);
    return;
  }
  assert(false, "no tensor lost its hash");
});

Deno.test("an identity that differs is a finding that names the least derived one", () => {
  const planted = changed((verdict) =>
    verdict.verdict === "accept"
      ? {
        ...verdict,
        identities: {
          ...verdict.identities,
          tensor_layout: "00".repeat(32),
          artifact_id: "00".repeat(32),
        },
      }
      : verdict
  );
  assertEquals([...keysOf(planted, 100)], ["same-identities tensor_layout cursor table"]);
  const [finding] = judge(new Observer([planted, table]).observe(SEEDS[0]), CHEAP);
  assertMatch(finding.clause!.text, /^`tensor_layout = /);
});

Deno.test("a candidate that was decoded wrong does not come back from the writer", () => {
  const planted: Reader = {
    ...cursor,
    read(request) {
      const { verdict, candidate } = cursor.read(request);
      if (!candidate) return { verdict };
      return {
        verdict,
        candidate: () => {
          const good = candidate();
          return {
            ...good,
            tensors: good.tensors.map((one) => ({ ...one, layer: one.layer + 1 })),
          };
        },
      };
    },
  };
  const observer = new Observer([planted, table]);
  const keys = SEEDS.flatMap((bytes) => judge(observer.observe(bytes), DEEP).map(({ key }) => key));
  assertEquals([...new Set(keys)], ["rewrites cursor tensors layer"]);
});

Deno.test("checks run in the order of the text, and of two records the earlier one counts", () => {
  const at = (stage: number, code: Reject["code"], offset: number): Reject => ({
    verdict: "reject",
    stage,
    code,
    section: "tensors",
    offset,
  });
  const start = 640, file = SEEDS[0].slice();
  setField(file, "header.tensor_table_offset", start);
  const order = (a: Reject, b: Reject) => earlier(a, b, file);
  assert(order(at(20, "ProfileIdMismatch", 0), at(21, "BadRecordVersion", 0)) < 0);
  assert(order(at(21, "TailRule", 900), at(21, "ShapeOverflow", 901)) > 0);
  // the hash of one record and an earlier field of the next are less than a record apart
  const hash = at(21, "ZeroHash", start + 160), next = at(21, "BadAlignment", start + 192 + 128);
  assert(order(hash, next) < 0);
  // a reader that misses a repeated key goes on to whatever is wrong with a later item
  assert(order(at(17, "CborDuplicateKey", 615), at(17, "CborIndefiniteLength", 844)) < 0);
  assert(order(at(17, "CborDuplicateKey", 615), at(17, "CborIndefiniteLength", 615)) > 0);
  assertEquals(checkOf(21, "TailRule")?.clause.id, "slm2-8.21-13");
  assertEquals(checkOf(17, "CborKeyOrder")?.clause.id, "slm2-5-28");
});

Deno.test("a throw is placed by its kind and the function of ours, not by its text or line", () => {
  const error = new TypeError("x");
  error.stack = "TypeError: x\n    at Uint8Array.set (<anonymous>)\n" +
    "    at decode (file:///copy/readers/cursor/cbor.ts:10:3)\n";
  assertEquals(throwPlace(error), "TypeError decode readers/cursor/cbor.ts");
});
