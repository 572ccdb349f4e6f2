/** The parts of a nightly run, in order: quick and telling ones first. */
import {
  benchFigures,
  compareFigures,
  conformFigures,
  corpusFigures,
  fuzzFigures,
  type Reduce,
  testFigures,
} from "./figures.ts";
import { READER_NAMES } from "../readers.ts";

/** What a person chose for the run. */
export interface Choice {
  /** of fuzzing */
  readonly seconds: number;
  readonly seed: number;
  /** further testees: command lines */
  readonly testees: readonly string[];
}

export interface Part {
  readonly name: string;
  /** for people */
  readonly what: string;
  /** seconds after which it is ended: generous, for a loaded machine */
  limit(choice: Choice): number;
  /** arguments to deno; a path that is not there is left out of a list of tests */
  args(choice: Choice, out: string): readonly string[];
  readonly reduce: Reduce;
}

const MINUTES = 60;

const lab = (...args: readonly string[]) => ["run", "-A", "lab/main.ts", ...args];

/** The readers of the house once more, as strangers: each a process that speaks the protocol. */
const AS_PROCESSES = READER_NAMES.map((name) => `deno run -A lab/main.ts testee --reader ${name}`);

/** The readers in this engine and in a browser's. */
const HERE_AND_THERE = READER_NAMES.flatMap((name) => [name, `${name}@chromium`]).join(",");

/** A part that runs tests. */
function tests(name: string, what: string, paths: readonly string[]): Part {
  return {
    name,
    what,
    limit: () => 15 * MINUTES,
    args: () => ["test", "-A", "--quiet", ...paths],
    reduce: testFigures,
  };
}

/** `table` and `cursor` each have a file of that name. */
const both = (file: string) => [`readers/cursor/${file}`, `readers/table/${file}`];

export const PARTS: readonly Part[] = [
  {
    name: "corpus",
    what: "the committed corpus is what its recipes build, and leaves no sentence out",
    limit: () => 10 * MINUTES,
    args: () => lab("corpus", "check", "--json"),
    reduce: corpusFigures,
  },
  {
    name: "conform",
    what: "every testee against the corpus",
    limit: () => 20 * MINUTES,
    args: ({ testees }, out) =>
      lab(
        ...["conform", "--json", "--out", `${out}/conform`, "--reader", READER_NAMES.join(",")],
        ...[...AS_PROCESSES, ...testees].flatMap((one) => ["--testee", one]),
      ),
    reduce: conformFigures,
  },
  tests("neighbours", "vectors and files that other projects publish", [
    ...["blake3_test.ts", "cbor_test.ts"].flatMap(both),
    "readers/cursor/text_test.ts",
    "readers/cursor/merkle_test.ts",
    "readers/table/ed25519_test.ts",
    "readers/table/unicode_test.ts",
    "corpus/importers",
    "corpus/writer",
    "kernels/forward_test.ts",
  ]),
  tests("resources", "memory and work stay within what size and policy allow", [
    "readers/cursor/bounds_test.ts",
    "readers/cursor/total_test.ts",
    "readers/runtime/resources_test.ts",
    "lab/watchdog",
  ]),
  tests("quant", "block codecs against vectors, and both readers on profiles", [
    "kernels/quant",
    "lab/quantised_test.ts",
    ...both("quant_test.ts"),
  ]),
  tests("tokenizers", "tokenizers and chat templates against their sources", [
    "readers/runtime/tokenizer",
    "readers/runtime/template",
    "corpus/importers/chat_templates_test.ts",
  ]),
  tests("atomic", "a broken write or activation leaves what was there", [
    "corpus/store_test.ts",
    "readers/runtime/store_test.ts",
    "readers/runtime/activation_faults_test.ts",
  ]),
  tests("pieces", "pieces and their proofs, whole and corrupted", [
    ...both("pieces_test.ts"),
    "readers/cursor/merkle_test.ts",
    "corpus/writer/pieces_test.ts",
  ]),
  tests("activation", "nothing is active before its hash was checked", [
    "readers/runtime/activation_test.ts",
    "readers/runtime/activation_faults_test.ts",
    "readers/runtime/capability_test.ts",
  ]),
  tests("adapters", "order of adapters and binding to a base", [
    "readers/runtime/adapters_test.ts",
    ...both("closure_test.ts"),
  ]),
  {
    name: "compare",
    what: "logits against references, backends against each other",
    limit: () => 30 * MINUTES,
    args: (_, out) => lab("compare", "--json", "--out", `${out}/tensors`),
    reduce: compareFigures,
  },
  {
    name: "bench",
    what: "rates as ratios, each with its bound",
    limit: () => 30 * MINUTES,
    args: () => lab("bench", "--json"),
    reduce: benchFigures,
  },
  {
    name: "browser",
    what: "both readers here and in a browser, against the corpus and each other",
    limit: () => 20 * MINUTES,
    args: (_, out) =>
      lab("conform", "--json", "--out", `${out}/browser`, "--reader", HERE_AND_THERE),
    reduce: conformFigures,
  },
  {
    name: "fuzz",
    what: "a campaign against both readers",
    limit: ({ seconds }) => 2 * seconds + 5 * MINUTES,
    args: ({ seconds, seed }, out) =>
      lab(
        ...["fuzz", "--json", "--out", `${out}/fuzz`],
        ...["--seconds", String(seconds), "--seed", String(seed)],
      ),
    reduce: fuzzFigures,
  },
];

export const PART_NAMES: readonly string[] = PARTS.map(({ name }) => name);
