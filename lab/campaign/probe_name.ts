/** How an input names a probe of growing work: a word, and the probe's name. */

const WORD = "slm2-grow ";
const MOST_BYTES = 64;

/** Time for an answer about a probe: it takes seconds, and more on a busy machine. */
export const PROBE_MS = 120_000;

/** The input that names a probe. */
export const probeInput = (name: string): Uint8Array => new TextEncoder().encode(WORD + name);

/** The name in an input; null where it is none of that kind. */
export function probeName(input: Uint8Array): string | null {
  if (input.length > MOST_BYTES || input[0] !== WORD.charCodeAt(0)) return null;
  const text = new TextDecoder().decode(input);
  return text.startsWith(WORD) ? text.slice(WORD.length) : null;
}
