/**
 * The subject of a campaign: both readers on one input, and the oracles that hold them against
 * each other. Built with counters for a campaign, imported as it is by `replay`.
 */
import { CODES, type Reader, type Reading, type ReadRequest } from "../../readers/contract.ts";
import { cursor } from "../../readers/cursor/reader.ts";
import { memorySource } from "../../readers/source.ts";
import { table } from "../../readers/table/reader.ts";
import { differences } from "../oracle/verdicts.ts";
import { flawOfThrow } from "./flaw.ts";
import type { Flaw, Subject } from "./subject.ts";
import { tupleOf } from "./tuple.ts";

const CODE_NUMBER = new Map(Object.keys(CODES).map((code, i) => [code, i]));
const STAGES = 33;
/** Outcomes below are accepted artifacts by class, from here on rejections by code and stage. */
const REJECTED = 64;
/** Where the histogram counts what both readers accept: beyond stage 26. */
const ACCEPTED = 27;
const THROWN = 63;

type Report = (flaw: Flaw) => void;

function read(reader: Reader, request: ReadRequest, report: Report): Reading | null {
  try {
    return reader.read(request);
  } catch (error) {
    const flaw = flawOfThrow(error);
    report({ ...flaw, key: `${reader.name}: ${flaw.key}` });
    return null;
  }
}

function judge(request: ReadRequest, report: Report): Reading | null {
  const [left, right] = [read(cursor, request, report), read(table, request, report)];
  if (left === null || right === null) return null;
  const fields = differences(left.verdict, right.verdict);
  if (fields.length > 0) {
    const tuples = [tupleOf(left.verdict), tupleOf(right.verdict)];
    report({
      class: "disagreement",
      key: `cursor ${tuples[0]}, table ${tuples[1]}: ${fields.join(" ")}`,
      detail: JSON.stringify({ cursor: left.verdict, table: right.verdict }, null, 2),
    });
  }
  return left;
}

export const subject: Subject = {
  run(input, report) {
    const source = memorySource(input);
    const reading = judge({ source, pieces: false }, report);
    if (reading === null) return THROWN;
    const { verdict } = reading;
    if (verdict.verdict === "reject") {
      return REJECTED + (CODE_NUMBER.get(verdict.code) ?? 0) * STAGES + verdict.stage;
    }
    judge({ source }, report);
    return verdict.identities.class;
  },
  stageOf: (outcome) =>
    outcome === THROWN ? 0 : outcome < REJECTED ? ACCEPTED : (outcome - REJECTED) % STAGES,
};
