/**
 * Second looks inside a worker: oracles that take their time, or a turn of the event loop, see a share
 * of what a slice kept and of the rest. So what they see follows from the campaign's seed.
 */
import { flawOfThrow } from "./flaw.ts";
import type { EngineOptions, Found, Plan, Report } from "./plan.ts";
import type { Flaw } from "./subject.ts";

/** Looks again at what a slice did. @returns its report, with what is found beside */
export async function lookAgain(
  { subject, beat, found }: EngineOptions,
  plan: Plan,
  report: Report,
): Promise<Report> {
  if (!subject.later) return report;
  const all = new Map<string, Found>(report.found.map((one) => [one.flaw.key, one]));
  const stages = [...report.stages];
  let execution = report.executions;
  for (const input of inputsOf(report)) {
    const number = execution++;
    if (plan.skip.includes(number)) continue;
    beat?.(input, number);
    const file = (flaw: Flaw) => {
      const known = all.get(flaw.key);
      if (known) known.times++;
      else {
        const one = { flaw, input: input.slice(), execution: number, times: 1 };
        all.set(flaw.key, one);
        found?.(one);
      }
    };
    try {
      const met = await subject.later(input, file);
      if (met !== undefined && subject.stageOf) stages[subject.stageOf(met)]++;
    } catch (error) {
      file(flawOfThrow(error));
    }
  }
  return { ...report, stages, found: [...all.values()] };
}

/** Of what is kept, one in so many: an admission costs as much as fifty readings. */
const KEPT_IN = 8;

const inputsOf = ({ entries, samples }: Report) => [
  ...entries.flatMap(({ bytes }, i) => i % KEPT_IN === 0 ? [bytes] : []),
  ...samples,
];
