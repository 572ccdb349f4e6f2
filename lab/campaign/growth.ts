/**
 * Inputs that ask whether a reader's work grows faster than what it reads: each names a probe, which
 * is made large where it is asked. So a quadratic loop is a finding like any other.
 */
import { ASKS, type GrowingAsk } from "../watchdog/asks.ts";
import { probeInput, probeName } from "./probe_name.ts";

/** A part of the probes' full size: enough to tell a square from a line, and soon done. */
const PART = 4;

/** An input for each probe. */
export const growthInputs = (): Uint8Array[] => Object.keys(ASKS).map(probeInput);

/** A probe, and its place among all. */
export interface Probe {
  readonly place: number;
  readonly name: string;
  readonly ask: GrowingAsk;
}

/** The probe that an input names; null where it names none. */
export function probeOf(input: Uint8Array): Probe | null {
  const name = probeName(input);
  if (name === null || !Object.hasOwn(ASKS, name)) return null;
  const { most, ask } = ASKS[name];
  const place = Object.keys(ASKS).indexOf(name);
  return { place, name, ask: { most: Math.ceil(most / PART), ask: (n) => ask(Math.ceil(n)) } };
}
