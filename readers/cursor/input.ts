/**
 * The source behind one cursor: every read is guarded, so that whatever a source does
 * (throw, stop short, change its size) is one fault, `SourceIo` of stage 1.
 */
import type { Reject, Source } from "../contract.ts";
import { reject } from "./fault.ts";

/** Stage 1, whenever it is seen. */
export const SOURCE_IO: Reject = reject(1, "SourceIo", "none", undefined, "a readable source");

/** Whether `source.read` filled all of `into` from `offset`. */
export function fill(source: Source, offset: number, into: Uint8Array): boolean {
  if (into.length === 0) return true;
  try {
    return source.read(offset, into) === into.length;
  } catch {
    return false;
  }
}

/** The size that the source states now, or null where it states none. */
export function sizeOf(source: Source): number | null {
  try {
    const size = source.size();
    return Number.isInteger(size) && size >= 0 ? size : null;
  } catch {
    return null;
  }
}
