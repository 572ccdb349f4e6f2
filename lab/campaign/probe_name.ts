/**
 * How a question to a judge names a probe of growing work: a word, the probe's name, and where it is
 * asked at one size alone, that. A finding's input is the file of the probe: growth is between two
 * sizes, so whoever judges it again needs the name.
 */
import type { Flaw } from "./subject.ts";

const WORD = "slm2-grow ";
const MOST_BYTES = 64;

/** Time for an answer about a probe: it takes seconds, and more on a busy machine. */
export const PROBE_MS = 120_000;

/** The question that names a probe. */
export const probeInput = (name: string): Uint8Array => new TextEncoder().encode(WORD + name);

/** What a judge is asked, so that it sees a flaw that `input` showed. */
export const questionOf = (flaw: Pick<Flaw, "probe"> | null, input: Uint8Array): Uint8Array =>
  flaw?.probe === undefined ? input : probeInput(flaw.probe);

/** The name in a question, with the size; null where it is none of that kind. */
export function probeName(input: Uint8Array): string | null {
  if (input.length > MOST_BYTES || input[0] !== WORD.charCodeAt(0)) return null;
  const text = new TextDecoder().decode(input);
  return text.startsWith(WORD) ? text.slice(WORD.length) : null;
}
