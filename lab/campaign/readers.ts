/**
 * The subject of a campaign: both readers on one input under watch, and the oracles over what they
 * did. Built with counters for a campaign, imported as it is by `replay`.
 */
import { CODES } from "../../readers/contract.ts";
import { cursor } from "../../readers/cursor/reader.ts";
import { table } from "../../readers/table/reader.ts";
import { isRequest } from "../../mutators/request.ts";
import { admits, HOUSE_ADMISSION } from "../oracle/admits.ts";
import { closes } from "../oracle/closes.ts";
import { buildHouse } from "../oracle/house.ts";
import { growing } from "../oracle/growing.ts";
import { identityMatrix } from "../oracle/identity_matrix.ts";
import { CHEAP, DEEP, judge, judgeLater, Observer } from "../oracle/observe.ts";
import type { Observation, Seen } from "../oracle/oracle.ts";
import { rendered } from "../oracle/rendered.ts";
import { resumesOn } from "../oracle/resumes.ts";
import { roundTrip } from "../oracle/round_trip.ts";
import { houseRuntime } from "../oracle/runtime.ts";
import { sameNumbers } from "../oracle/same_numbers.ts";
import { sourceIo } from "../oracle/source_io.ts";
import { type Ask, OPS } from "../testee/testee.ts";
import { probeOf } from "./growth.ts";
import type { Flaw, Subject } from "./subject.ts";

const CODE_NUMBER = new Map(Object.keys(CODES).map((code, i) => [code, i]));
const STAGES = 33;
/** Outcomes below are answers of other kinds, from here on rejections by code and stage. */
const REJECTED = 64;
/** Files that are accepted, by class, and the same where more than a reading was asked. */
const READ = 0, ASKED_READ = 14;
/** What requests of each other kind come to. */
const HELD = 28, SKIPPED = HELD + OPS.length, NO_REQUEST = SKIPPED + OPS.length;
const THROWN = REJECTED - 1;
/** What both readers say of sources that fail: no input has it, a second look does. */
const SOURCE_IO = REJECTED + CODE_NUMBER.get("SourceIo")! * STAGES + 1;
/** Where the histogram counts what the first reader accepts: beyond stage 26. */
const ACCEPTED = 27;

/** On each accepted artifact: what the runtime makes of it. */
const runtime = houseRuntime();
const RUNTIME = [roundTrip(runtime), sameNumbers(runtime)];

/** On some of them: what costs far more than both readers. */
const WHOLE = [...CHEAP, ...DEEP, rendered(runtime)];

const isAccepted = ({ seen }: Observation) =>
  seen.some(({ outcome }) => outcome.verdict === "accept");

const observer = new Observer([cursor, table]);

/** What takes longer; made when it is first asked for. */
let made: ReturnType<typeof laterOracles> | undefined;
const later = () => made ??= laterOracles();
const laterOracles = () => ({
  moves: identityMatrix(),
  admitted: admits(buildHouse(), HOUSE_ADMISSION, resumesOn),
  closed: closes(),
});

export const subject: Subject = {
  run(input, report, depth = "whole") {
    if (isRequest(input)) return runRequest(input, report);
    const observation = observer.observe(input);
    const outcome = outcomeOf(observation.seen[0], READ);
    const findings = judge(observation, CHEAP);
    // of an artifact that divides the readers, whatever else is wrong follows from that
    if (findings.length === 0 && isAccepted(observation)) {
      findings.push(...judge(observation, RUNTIME));
      if (depth === "whole") findings.push(...judge(observer.observe(input, true), WHOLE));
    }
    for (const finding of findings) report(finding);
    return outcome;
  },
  async later(input, report) {
    const observation = observer.input(input);
    if (observation === null) return;
    const { moves, admitted, closed } = later();
    const findings = judge(observation, [sourceIo]);
    const met = findings.length === 0 ? SOURCE_IO : undefined;
    if (observation.asked) findings.push(...await judgeLater(observation, closed));
    else if (isAccepted(observation)) {
      findings.push(...judge(observation, [moves]), ...await judgeLater(observation, admitted));
    }
    for (const finding of findings) report(finding);
    return met;
  },
  probe(input, report) {
    const asked = probeOf(input);
    if (asked === null) return;
    const { name, size, asked: { ask, most } } = asked;
    for (const reader of [cursor, table]) {
      const probed = { [name]: { ask, most: size ?? most } };
      const finding = growing(reader, probed, undefined, size === null);
      if (finding !== null) report(finding);
    }
  },
  costs: () => observer.costs(),
  stageOf(outcome) {
    if (outcome === THROWN || outcome === NO_REQUEST) return 0;
    return outcome < REJECTED ? ACCEPTED : (outcome - REJECTED) % STAGES;
  },
};

/** What an artifact that is asked about is accepted for alone, other inputs show. */
function runRequest(input: Uint8Array, report: (flaw: Flaw) => void): number {
  const observation = observer.input(input);
  if (observation === null) return NO_REQUEST;
  for (const finding of judge(observation, CHEAP)) report(finding);
  return outcomeOf(observation.seen[0], ASKED_READ, observation.asked);
}

/** @param accepted the outcome of an accepted file of class 0 */
function outcomeOf({ outcome }: Seen, accepted: number, ask?: Ask): number {
  const op = ask ? OPS.indexOf(ask.op) : 0;
  switch (outcome.verdict) {
    case "throw":
      return THROWN;
    case "skip":
      return SKIPPED + op;
    case "accept":
      return "identities" in outcome ? accepted + outcome.identities.class : HELD + op;
    case "reject":
      return REJECTED + (CODE_NUMBER.get(outcome.code) ?? 0) * STAGES + outcome.stage;
  }
}
