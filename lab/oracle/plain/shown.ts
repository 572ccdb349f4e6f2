/** A tokenizer's normalizer and pretokenizer before a vocabulary that shows every byte and every cut. */
import type { Value } from "../../../readers/contract.ts";
import type { Accepted } from "../runtime.ts";
import { bodyOf, withBody } from "./deciding.ts";

const VOCABULARY = 1, TABLE = 4;

/** Before each word: wordpiece/1 puts it there. */
const MARKER = "\u2581";
const BYTES = 256;
const SIZE = BYTES + 1;

/** The 256 bytes, from the space on so that the first ids make texts, then the marker. */
const vocabulary = (() => {
  const marker = new TextEncoder().encode(MARKER);
  const offsets = Array.from({ length: SIZE + 1 }, (_, id) => id);
  offsets[SIZE] = BYTES + marker.length;
  const head = new Uint8Array(Uint32Array.of(SIZE, ...offsets).buffer);
  return Uint8Array.of(...head, ...Array.from({ length: BYTES }, (_, id) => id + 0x20), ...marker);
})();

const NO_EDGE: Value = new Map<string, Value>([["auto", false], ["id", null]]);
const FIELDS: readonly (readonly [field: string, value: Value])[] = [
  ["kind", "wordpiece/1"],
  ["vocab_size", SIZE],
  ["space_marker", MARKER],
  ["byte_fallback", false],
  ["unknown", new Map<string, Value>([["id", 0], ["policy", "token"]])],
  ["bos", NO_EDGE],
  ["eos", NO_EDGE],
  ["roles", new Map()],
  ["stop_tokens", []],
];

/** The same steps, of which every cut is a token and every byte; null where there are none. */
export function shown(accepted: Accepted): Accepted | null {
  const { candidate, blobs } = accepted;
  const body = bodyOf(candidate);
  const table = candidate.blobs.findIndex(({ kind }) => kind === TABLE);
  const ops = ["normalizer", "pretokenizer"].flatMap((field) => body.get(field) as Value[]);
  if (table < 0 && ops.length === 0) return null;
  const kept = candidate.blobs.filter(({ kind }) => kind === VOCABULARY || kind === TABLE);
  return withBody({
    ...accepted,
    candidate: { ...candidate, blobs: kept },
    blobs: (index) => kept[index].kind === TABLE ? blobs(table) : vocabulary,
  }, new Map([...body, ...FIELDS]));
}
