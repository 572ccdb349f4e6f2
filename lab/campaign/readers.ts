/**
 * The subject of a campaign: both readers on one input under watch, and the oracles over what they
 * did. Built with counters for a campaign, imported as it is by `replay`.
 */
import { CODES, type Reader } from "../../readers/contract.ts";
import { cursor } from "../../readers/cursor/reader.ts";
import { table } from "../../readers/table/reader.ts";
import { parseRequest } from "../../mutators/request.ts";
import { admits, HOUSE_ADMISSION } from "../oracle/admits.ts";
import { closes } from "../oracle/closes.ts";
import { buildHouse } from "../oracle/house.ts";
import { evidence } from "../oracle/evidence.ts";
import { growing, type Measure, stepsOf } from "../oracle/growing.ts";
import { identityMatrix } from "../oracle/identity_matrix.ts";
import { CHEAP, DEEP, judge, judgeLater, Observer } from "../oracle/observe.ts";
import type { Finding, Observation, Seen } from "../oracle/oracle.ts";
import { rendered, renderedLarge } from "../oracle/rendered.ts";
import { resumesOn } from "../oracle/resumes.ts";
import { roundTrip } from "../oracle/round_trip.ts";
import { houseRuntime } from "../oracle/runtime.ts";
import { sameIds } from "../oracle/same_ids.ts";
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
const WHOLE = [...CHEAP, ...DEEP];
const RUNTIME_WHOLE = [...RUNTIME, sameIds(runtime), rendered(runtime), evidence()];

const isAccepted = ({ seen }: Observation) =>
  seen.some(({ outcome }) => outcome.verdict === "accept");

/** What takes longer; made when it is first asked for. */
let made: ReturnType<typeof laterOracles> | undefined;
const later = () => made ??= laterOracles();
const laterOracles = () => ({
  computed: [identityMatrix(), renderedLarge(runtime)],
  admitted: admits(buildHouse(), HOUSE_ADMISSION, resumesOn),
  closed: closes(),
});

/** Both readers as they stand in this build. */
export const subject: Subject = subjectOf([cursor, table]);

/** Readers under all oracles; of what follows from something else at the same input nothing is told. */
export function subjectOf(readers: readonly Reader[]): Subject {
  const observer = new Observer(readers);

  /** What divides readers that read an artifact of a request and nothing more. */
  const partedAlone = (input: Uint8Array): Finding[] => {
    for (const bytes of parseRequest(input)?.artifacts ?? []) {
      const findings = judge(observer.observe(bytes), CHEAP);
      if (findings.length > 0) return findings;
    }
    return [];
  };

  return {
    run(input, report, depth = "whole") {
      const observation = observer.input(input);
      if (observation === null) return NO_REQUEST;
      const { asked, seen } = observation;
      const outcome = outcomeOf(seen[0], asked ? ASKED_READ : READ, asked);
      const parted = judge(observation, CHEAP);
      if (parted.length > 0) reportFirst([...asked ? partedAlone(input) : [], ...parted], report);
      // what an artifact that is asked about is accepted for alone, other inputs show
      else if (!asked && isAccepted(observation)) {
        const computed = judge(observation, depth === "whole" ? RUNTIME_WHOLE : RUNTIME);
        const decoded = depth === "whole" || computed.length > 0
          ? judge(observer.observe(input, true), WHOLE)
          : [];
        if (decoded.length > 0) reportFirst(decoded, report);
        else computed.forEach(report);
      }
      return outcome;
    },
    async later(input, report) {
      const observation = observer.input(input);
      if (observation === null) return;
      const { computed, admitted, closed } = later();
      const taken = !observation.asked && isAccepted(observation);
      const parted = judge(observation, taken ? WHOLE : CHEAP);
      if (parted.length > 0) {
        if (taken) reportFirst(parted, report);
        return; // of a request and of what is rejected, `run` has told
      }
      const findings = judge(observation, [sourceIo]);
      const met = findings.length === 0 ? SOURCE_IO : undefined;
      if (observation.asked) findings.push(...await judgeLater(observation, closed));
      else if (taken) {
        findings.push(...judge(observation, computed), ...await judgeLater(observation, admitted));
      }
      findings.forEach(report);
      return met;
    },
    probe(input, report, steps) {
      const asked = probeOf(input);
      if (asked === null) return;
      const { name, size, asked: { ask, most } } = asked;
      for (const reader of readers) {
        const probed = { [name]: { ask, most: size ?? most } };
        const look = (measure?: Measure) => growing(reader, probed, measure, size === null);
        // what the platform's own code does takes no steps, but time
        const finding = (steps && look(stepsOf(reader, steps))) ?? look();
        if (finding !== null) report(finding);
      }
    },
    costs: () => observer.costs(),
    stageOf(outcome) {
      if (outcome === THROWN || outcome === NO_REQUEST) return 0;
      return outcome < REJECTED ? ACCEPTED : (outcome - REJECTED) % STAGES;
    },
  };
}

/** The first of what oracles find, in their order: what the later ones see follows from it. */
function reportFirst([first]: readonly Finding[], report: (flaw: Flaw) => void): void {
  if (first !== undefined) report(first);
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
