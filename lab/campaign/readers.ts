/**
 * The subject of a campaign: both readers on one input under watch, and the oracles over what they
 * did. Built with counters for a campaign, imported as it is by `replay`.
 */
import { CODES } from "../../readers/contract.ts";
import { cursor } from "../../readers/cursor/reader.ts";
import { table } from "../../readers/table/reader.ts";
import { CHEAP, DEEP, judge, Observer } from "../oracle/observe.ts";
import type { Seen } from "../oracle/oracle.ts";
import { rendered } from "../oracle/rendered.ts";
import { roundTrip } from "../oracle/round_trip.ts";
import { houseRuntime } from "../oracle/runtime.ts";
import { sameNumbers } from "../oracle/same_numbers.ts";
import type { Subject } from "./subject.ts";

const CODE_NUMBER = new Map(Object.keys(CODES).map((code, i) => [code, i]));
const STAGES = 33;
/** Outcomes below are accepted artifacts by class, from here on rejections by code and stage. */
const REJECTED = 64;
/** Where the histogram counts what the first reader accepts: beyond stage 26. */
const ACCEPTED = 27;
const THROWN = 63;

/** On accepted artifacts: what the runtime makes of them. */
const runtime = houseRuntime();
const RUNTIME = [roundTrip(runtime), rendered(runtime), sameNumbers(runtime)];

const observer = new Observer([cursor, table]);

export const subject: Subject = {
  run(input, report) {
    const observation = observer.observe(input);
    for (const finding of judge(observation, CHEAP)) report(finding);
    const outcome = outcomeOf(observation.seen[0]);
    if (!observation.seen.some(({ outcome }) => outcome.verdict === "accept")) return outcome;
    const whole = observer.observe(input, true);
    for (const finding of judge(whole, [...CHEAP, ...DEEP, ...RUNTIME])) report(finding);
    return outcome;
  },
  stageOf: (outcome) =>
    outcome === THROWN ? 0 : outcome < REJECTED ? ACCEPTED : (outcome - REJECTED) % STAGES,
};

function outcomeOf({ outcome }: Seen): number {
  if (outcome.verdict === "throw") return THROWN;
  if (outcome.verdict === "accept") return outcome.identities.class;
  return REJECTED + (CODE_NUMBER.get(outcome.code) ?? 0) * STAGES + outcome.stage;
}
