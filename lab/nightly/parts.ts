/** The parts of a nightly run, in order: quick and telling ones first. */
import {
  benchFigures,
  compareFigures,
  conformFigures,
  corpusFigures,
  faultFigures,
  fuzzFigures,
  type Reduce,
  testFigures,
} from "./figures.ts";
import { READER_NAMES } from "../readers.ts";

/** What a person chose for the run. */
export interface Choice {
  /** seconds for all of it */
  readonly budget: number;
  /** of them, of fuzzing */
  readonly seconds: number;
  readonly seed: number;
  /** further testees: command lines */
  readonly testees: readonly string[];
}

export interface Part {
  readonly name: string;
  /** for people */
  readonly what: string;
  /** seconds that it takes on a quiet machine of two cores */
  usual(choice: Choice): number;
  /** arguments to deno; a path that is not there is left out of a list of tests */
  args(choice: Choice, out: string): readonly string[];
  /** whether the budget is so small that it does a part of its work only, which is no evidence */
  sampled?(choice: Choice): boolean;
  readonly reduce: Reduce;
}

/** Seconds below which the costly parts take samples. */
const SMALL = 600;

/** Of a budget, what fuzzing gets where nothing else was said. */
export const FUZZ_SHARE = 0.4;

/** No part takes more than so many times what it usually does, nor is cut off before this many s. */
const PATIENCE = 20, LEAST = 30;

/**
 * Seconds that the first of `parts` may take: all that is left but for what those after it usually
 * need. So a part that hangs is cut off while there is time for the others, and a slow machine may
 * use up the whole budget.
 * @param left seconds of the budget
 */
export function timeFor([part, ...later]: readonly Part[], choice: Choice, left: number): number {
  const reserved = later.reduce((sum, one) => sum + one.usual(choice), 0);
  const usual = part.usual(choice);
  return Math.min(Math.max(left - reserved, usual, LEAST), Math.max(PATIENCE * usual, LEAST));
}

/** Seconds from which on every seeded fault is hunted. */
const LONG = 3600;
const long = ({ budget }: Choice) => budget >= LONG;

const small = ({ budget }: Choice) => budget < SMALL;

const lab = (...args: readonly string[]) => ["run", "-A", "lab/main.ts", ...args];

/** The readers of the house once more, as strangers: each a process that speaks the protocol. */
const AS_PROCESSES = READER_NAMES.map((name) => `deno run -A lab/main.ts testee --reader ${name}`);

/** The readers in this engine and in a browser's. */
const HERE_AND_THERE = READER_NAMES.flatMap((name) => [name, `${name}@chromium`]).join(",");

/** Cases of the comparison, by parts of their names, and suites of the bench, for a small budget. */
const SAMPLED_CASES = ["source/", "adapter/", "resumed/", "q4-0.b32.row"];
const SAMPLED_SUITES = ["readers"];

/** A part that runs tests. */
function tests(name: string, what: string, usual: number, paths: readonly string[]): Part {
  return {
    name,
    what,
    usual: () => usual,
    args: () => ["test", "-A", "--quiet", ...paths],
    reduce: testFigures,
  };
}

/** `table` and `cursor` each have a file of that name. */
const both = (file: string) => [`readers/cursor/${file}`, `readers/table/${file}`];

const SAMPLED_FAULTS = ["--only", "class-fourteen,padding-high-nibble"];

export const PARTS: readonly Part[] = [
  {
    name: "corpus",
    what: "the committed corpus is what its recipes build, and leaves no sentence out",
    usual: () => 10,
    args: () => lab("corpus", "check", "--json"),
    reduce: corpusFigures,
  },
  {
    name: "conform",
    what: "every testee against the corpus",
    usual: ({ testees }) => 10 + 10 * testees.length,
    args: ({ testees }, out) =>
      lab(
        ...["conform", "--json", "--out", `${out}/conform`, "--reader", READER_NAMES.join(",")],
        ...[...AS_PROCESSES, ...testees].flatMap((one) => ["--testee", one]),
      ),
    reduce: conformFigures,
  },
  tests("neighbours", "vectors and files that other projects publish", 12, [
    ...["blake3_test.ts", "cbor_test.ts"].flatMap(both),
    "readers/cursor/text_test.ts",
    "readers/cursor/merkle_test.ts",
    "readers/table/ed25519_test.ts",
    "readers/table/unicode_test.ts",
    "corpus/importers",
    "corpus/writer",
    "kernels/forward_test.ts",
  ]),
  tests("resources", "memory and work stay within what size and policy allow", 20, [
    "readers/cursor/bounds_test.ts",
    "readers/cursor/total_test.ts",
    "readers/runtime/resources_test.ts",
    "lab/watchdog",
  ]),
  tests("quant", "block codecs against vectors, and both readers on profiles", 5, [
    "kernels/quant",
    "lab/quantised_test.ts",
    ...both("quant_test.ts"),
  ]),
  tests("tokenizers", "tokenizers and chat templates against their sources", 8, [
    "readers/runtime/tokenizer",
    "readers/runtime/template",
    "corpus/importers/chat_templates_test.ts",
  ]),
  tests("atomic", "a broken write or activation leaves what was there", 5, [
    "corpus/store_test.ts",
    "readers/runtime/store_test.ts",
    "readers/runtime/activation_faults_test.ts",
  ]),
  tests("pieces", "pieces and their proofs, whole and corrupted", 3, [
    ...both("pieces_test.ts"),
    "readers/cursor/merkle_test.ts",
    "corpus/writer/pieces_test.ts",
  ]),
  tests("activation", "nothing is active before its hash was checked", 5, [
    "readers/runtime/activation_test.ts",
    "readers/runtime/activation_faults_test.ts",
    "readers/runtime/capability_test.ts",
  ]),
  tests("adapters", "order of adapters and binding to a base", 5, [
    "readers/runtime/adapters_test.ts",
    ...both("closure_test.ts"),
  ]),
  {
    name: "compare",
    what: "logits against references, backends against each other",
    usual: (choice) => small(choice) ? 15 : 60,
    args: (choice, out) =>
      lab("compare", "--json", "--out", `${out}/tensors`, ...(small(choice) ? SAMPLED_CASES : [])),
    sampled: small,
    reduce: compareFigures,
  },
  {
    name: "bench",
    what: "rates as ratios, each with its bound",
    usual: (choice) => small(choice) ? 30 : 90,
    args: (choice) => lab("bench", "--json", ...(small(choice) ? SAMPLED_SUITES : [])),
    sampled: small,
    reduce: benchFigures,
  },
  {
    name: "browser",
    what: "both readers here and in a browser, against the corpus and each other",
    usual: () => 40,
    args: (_, out) =>
      lab("conform", "--json", "--out", `${out}/browser`, "--reader", HERE_AND_THERE),
    reduce: conformFigures,
  },
  {
    name: "faults",
    what: "seeded faults in copies of the readers: each found by a campaign, and how soon",
    usual: (choice) => long(choice) ? 900 : 12,
    args: (choice, out) =>
      lab("faults", "--json", "--out", `${out}/faults`, ...(long(choice) ? [] : SAMPLED_FAULTS)),
    sampled: (choice) => !long(choice),
    reduce: faultFigures,
  },
  {
    name: "fuzz",
    what: "a campaign against both readers",
    usual: ({ seconds }) => seconds + 15,
    args: ({ seconds, seed }, out) =>
      lab(
        ...["fuzz", "--json", "--out", `${out}/fuzz`],
        ...["--seconds", String(seconds), "--seed", String(seed)],
      ),
    reduce: fuzzFigures,
  },
];

export const PART_NAMES: readonly string[] = PARTS.map(({ name }) => name);
