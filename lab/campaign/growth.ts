/**
 * Questions whether a reader's work grows faster than what it reads: each names a probe, which is made
 * large where it is asked. So a quadratic loop is a finding like any other, and its input a file.
 */
import { inputOfAsk } from "../testee/input.ts";
import { ASKS, type GrowingAsk } from "../watchdog/asks.ts";
import { probeInput, probeName } from "./probe_name.ts";

/** A question for each probe, at whatever size shows the growth. */
export const growthQuestions = (): Uint8Array[] => Object.keys(ASKS).map(probeInput);

/** A probe as `growing` takes it, and the size at which alone it is asked about. */
export interface Probed {
  readonly name: string;
  readonly asked: GrowingAsk;
  readonly size: number | null;
}

/** The probe that a question names, `NAME` or `NAME SIZE`; null where it names none. */
export function probeOf(question: Uint8Array): Probed | null {
  const [, name, size] = /^(.*?)(?: (\d+))?$/.exec(probeName(question) ?? "") ?? [];
  if (name === undefined || !Object.hasOwn(ASKS, name)) return null;
  return { name, asked: ASKS[name], size: size === undefined ? null : Number(size) };
}

/** What a probe has readers read at its size, as a file. @throws RangeError where it has none */
export function fileOfProbe(probe: string): Uint8Array {
  const probed = probeOf(probeInput(probe));
  if (probed === null || probed.size === null) throw new RangeError(`no probe of a size: ${probe}`);
  return inputOfAsk(probed.asked.ask(probed.size));
}
