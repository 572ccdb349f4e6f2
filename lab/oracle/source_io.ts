/**
 * Oracle: a source that fails is seen to fail (stage 1). Each reader is asked again over sources that
 * throw, fall short or change their size at one of its reads: where it met the fault the answer is
 * `SourceIo`, and where it did not, what it was.
 */
import type { Judgement, Reader, Source, Verdict } from "../../readers/contract.ts";
import { opened } from "../testee/open.ts";
import type { Ask } from "../testee/testee.ts";
import { subjectOf } from "../testee/input.ts";
import { clause } from "./clauses.ts";
import { type Finding, type Observation, tuple } from "./oracle.ts";
import { throwPlace } from "./total.ts";

const NAME = "source-io";
const FAULTS = ["throws", "short", "size"] as const;
type Fault = typeof FAULTS[number];

/** Bytes whose reading fails at one read. */
class FailingSource implements Source {
  met = false;
  reads = 0;

  constructor(
    private readonly bytes: Uint8Array,
    private readonly fault: Fault,
    private readonly at: number,
  ) {}

  size(): number {
    if (this.fault !== "size" || this.reads <= this.at) return this.bytes.length;
    this.met = true;
    return this.bytes.length + 1;
  }

  read(offset: number, into: Uint8Array): number {
    const now = this.reads++ === this.at && into.length > 0 && this.fault !== "size";
    const part = this.bytes.subarray(offset, offset + into.length);
    if (!now) {
      into.set(part);
      return part.length;
    }
    this.met = true;
    if (this.fault === "throws") throw new Error("cannot be read");
    into.set(part.subarray(0, -1));
    return part.length - 1;
  }
}

export function sourceIo({ bytes, seen, asked }: Observation): Finding | null {
  const ask: Ask = asked ?? { op: "read", artifact: { bytes } };
  for (const { reader, outcome, source } of seen) {
    if (outcome.verdict === "throw") continue;
    const reads = [...new Set([0, source.reads >> 1, source.reads - 1])].filter((at) => at >= 0);
    for (const fault of FAULTS) {
      for (const at of reads) {
        const failing = new FailingSource(bytes, fault, at);
        let answer: Verdict | Judgement;
        try {
          answer = answered(reader, ask, failing);
        } catch (error) {
          return flaw("crash", reader, `${fault} throw ${throwPlace(error)}`, String(error));
        }
        const said = tuple(answer), right = failing.met ? "reject 1 SourceIo [none]" : null;
        const good = right === null ? same(answer, outcome) : said.startsWith(right);
        if (good) continue;
        const what = answer.verdict === "reject"
          ? `${answer.stage} ${answer.code}`
          : answer.verdict;
        const detail = `${reader.name}: read ${at} of ${source.reads} ${fault}; ` +
          `says ${said}, not ${right ?? tuple(outcome)}`;
        return flaw("disagreement", reader, `${fault} ${what}`, detail);
      }
    }
  }
  return null;
}

/** An answer to the request, its own artifact in a source. */
function answered(reader: Reader, ask: Ask, source: Source): Verdict | Judgement {
  const main = subjectOf(ask);
  const request = opened(
    ask,
    (artifact) => artifact === main ? source : "bytes" in artifact ? memory(artifact.bytes) : null,
  );
  switch (request.op) {
    case "read":
      return reader.read({ ...request, pieces: false }).verdict;
    case "piece":
      return reader.piece(request);
    case "signature":
      return reader.signature(request);
  }
}

/** A source that never fails. */
const memory = (bytes: Uint8Array): Source => new FailingSource(bytes, "size", Infinity);

/** Whether two answers are one; an acceptance without pieces is one with them. */
function same(a: Verdict | Judgement, b: Verdict | Judgement): boolean {
  return a.verdict === b.verdict &&
    (a.verdict !== "reject" || tuple(a) === tuple(b));
}

const flaw = (kind: Finding["class"], reader: Reader, what: string, detail: string): Finding => ({
  oracle: NAME,
  class: kind,
  key: `${NAME} ${reader.name} ${what}`,
  detail,
  clause: clause("slm2-8.1-1"),
});
