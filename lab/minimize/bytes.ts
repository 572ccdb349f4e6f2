/** Bytes: left out, and then made zero, so that what is left is what it takes. */
import type { Search } from "./search.ts";

/** Leaves out stretches of bytes, long ones first. */
export async function shrinkBytes(search: Search): Promise<void> {
  await search.thin(
    () => search.best.length,
    (at, length) => search.take(without(search.best, at, length)),
  );
}

/** Puts zeros for bytes. */
export async function zeroBytes(search: Search): Promise<void> {
  for (let length = 64; length > 0 && !search.over; length >>= 3) {
    for (let at = 0; at < search.best.length && !search.over; at += length) {
      const part = search.best.subarray(at, at + length);
      if (part.some((byte) => byte !== 0)) {
        await search.take(search.best.slice().fill(0, at, at + length), true);
      }
    }
  }
}

/** A copy without `length` bytes from `at` on. */
export function without(bytes: Uint8Array, at: number, length: number): Uint8Array {
  const rest = bytes.subarray(at + length);
  const result = new Uint8Array(at + rest.length);
  result.set(bytes.subarray(0, at));
  result.set(rest, at);
  return result;
}
