/** A product whose bits are known: asked of a backend before anything that it says is believed. */
import { type AnyBackend, isRefusal } from "./backend.ts";

/** 64 columns; every product and every partial sum is a small integer over 4: exact in any order. */
const COLUMNS = 64;
const WEIGHTS = Float32Array.from(
  { length: 2 * COLUMNS },
  (_, i) => (i < COLUMNS ? 1 + i % 7 : 3 - i % 5) / 2,
);
const X = Float32Array.from({ length: COLUMNS }, (_, i) => (i % 11 - 5) / 2);

/** -8.75 and -1.25, by integer arithmetic. */
const BITS: readonly number[] = [0xc10c0000, 0xbfa00000];

/** What is wrong with a backend's product, in a few words; null where its bits are the known ones. */
export async function probe(backend: AnyBackend): Promise<string | null> {
  const spec = { format: "f32", tail: "exact", rows: 2, columns: COLUMNS } as const;
  const bytes = new Uint8Array(WEIGHTS.buffer);
  const weight = await backend.load(
    spec,
    (into, offset) => into.set(bytes.subarray(offset, offset + into.length)),
  );
  if (isRefusal(weight)) return weight.why;
  const got = new Uint32Array((await backend.ops.matvec(weight, X)).buffer);
  if (got.length === BITS.length && got.every((bits, i) => bits === BITS[i])) return null;
  const hex = (bits: Iterable<number>) => [...bits].map((one) => one.toString(16)).join(" ");
  return `a fixed product has the bits ${hex(got)}, not ${hex(BITS)}`;
}
