/** A product whose bits are known: asked of a backend before anything that it says is believed. */
import { type AnyBackend, isRefusal, type Refusal } from "./backend.ts";

/** 64 columns; every product and every partial sum is a small integer over 4: exact in any order. */
const COLUMNS = 64;
const WEIGHTS = Float32Array.from(
  { length: 2 * COLUMNS },
  (_, i) => (i < COLUMNS ? 1 + i % 7 : 3 - i % 5) / 2,
);
const X = Float32Array.from({ length: COLUMNS }, (_, i) => (i % 11 - 5) / 2);

/** -8.75 and -1.25, by integer arithmetic. */
const BITS: readonly number[] = [0xc10c0000, 0xbfa00000];

/** Null where a backend's product has the known bits; else why it cannot be used. */
export async function probe(backend: AnyBackend): Promise<Refusal | null> {
  const spec = { format: "f32", tail: "exact", rows: 2, columns: COLUMNS } as const;
  const bytes = new Uint8Array(WEIGHTS.buffer);
  const weight = await backend.load(
    spec,
    (into, offset) => into.set(bytes.subarray(offset, offset + into.length)),
  );
  if (isRefusal(weight)) return weight;
  const got = new Uint32Array((await backend.ops.matvec(weight, X)).buffer);
  if (got.length === BITS.length && got.every((bits, i) => bits === BITS[i])) return null;
  const hex = (bits: Iterable<number>) => [...bits].map((one) => one.toString(16)).join(" ");
  const why = `a fixed product has the bits ${hex(got)}, not ${hex(BITS)}`;
  return { refused: "RuntimeCapability", why };
}
