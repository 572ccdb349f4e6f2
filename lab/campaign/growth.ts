/**
 * Inputs that ask whether a reader's work grows faster than what it reads: each names a probe, which
 * is made large where it is asked. So a quadratic loop is a finding like any other.
 */
import { ASKS, type GrowingAsk } from "../watchdog/asks.ts";
import { probeInput, probeName } from "./probe_name.ts";

/** An input for each probe. */
export const growthInputs = (): Uint8Array[] => Object.keys(ASKS).map(probeInput);

/** The probe that an input names, as `growing` takes it; null where it names none. */
export function probeOf(input: Uint8Array): { readonly [name: string]: GrowingAsk } | null {
  const name = probeName(input);
  if (name === null || !Object.hasOwn(ASKS, name)) return null;
  return { [name]: ASKS[name] };
}
