/**
 * The valid artifact that an input is nearest to: the accepted case of the golden corpus with the
 * fewest fields that differ. What a campaign broke is mostly broken itself, and tells less.
 */
import { CorpusFiles } from "../../corpus/files.ts";
import { GOLDEN } from "../../corpus/golden.ts";
import type { Index } from "../../corpus/index.ts";
import { isRequest } from "../../mutators/request.ts";
import { askOfInput, subjectOf } from "../testee/input.ts";
import { HEADER } from "../../corpus/writer/fields.ts";
import { against } from "./hex.ts";
import { type Span, spansOf } from "./spans.ts";

export interface Parent {
  /** what it is, for people */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The artifact that an input is about: itself, or the subject of a request. */
export function artifactIn(input: Uint8Array): Uint8Array {
  const ask = isRequest(input) ? askOfInput(input) : null;
  const subject = ask && subjectOf(ask);
  return subject && "bytes" in subject ? subject.bytes : input;
}

/** Bytes of a case of the corpus that is considered, and how many are. */
const MOST_BYTES = 1 << 16, MOST_CASES = 2000;

/** Fields that may differ before two files are called unlike. */
const MOST_FIELDS = 64;

interface Candidate extends Parent {
  readonly spans: readonly Span[];
}

/** Finds parents; the corpus is read once, and only when it is asked. */
export class Parents {
  #candidates: Candidate[] | null = null;

  constructor(private readonly index: Index) {}

  /** The accepted case of the corpus that is most like an input; null where none is. */
  nearest(input: Uint8Array): Parent | null {
    const own = spansOf(input);
    // those of its class and size are likelier, and no other is looked at where one of them is like it
    const alike = this.#all().filter(({ bytes }) =>
      bytes.length === input.length || sameClass(bytes, input)
    );
    const best = closest(input, own, alike) ?? closest(input, own, this.#all());
    return best && { name: `the nearest valid artifact, ${best.name}`, bytes: best.bytes };
  }

  #all(): readonly Candidate[] {
    if (this.#candidates !== null) return this.#candidates;
    const files = new CorpusFiles(this.index, GOLDEN);
    this.#candidates = this.index.entries
      .filter(({ expected, file, size, withdrawn }) =>
        expected.verdict === "accept" && file !== undefined && !withdrawn &&
        (size ?? 0) <= MOST_BYTES
      )
      .slice(0, MOST_CASES)
      .flatMap(({ id, file }) => {
        const bytes = files.bytes(file!);
        return bytes === null ? [] : [{ name: id, bytes, spans: spansOf(bytes) }];
      });
    return this.#candidates;
  }
}

/** The candidate of which the fewest fields differ; null where too many do in each. */
function closest(
  input: Uint8Array,
  own: readonly Span[],
  candidates: readonly Candidate[],
): Candidate | null {
  let best: Candidate | null = null, least = MOST_FIELDS;
  for (const candidate of candidates) {
    const { differing } = against(input, candidate.bytes, candidate.spans, () => own);
    if (differing < least) [best, least] = [candidate, differing];
  }
  return best;
}

const [AT] = HEADER.artifact_class;

const sameClass = (a: Uint8Array, b: Uint8Array) => a[AT] === b[AT] && a[AT + 1] === b[AT + 1];
