/**
 * The bounds of section 8, "Work and memory", as formulas over the file and its verdict. What is
 * counted is judged; no clock is read.
 */
import type { Judgement, Reader, Verdict } from "../../readers/contract.ts";
import { HEADER, HEADER_SIZE } from "../../corpus/writer/fields.ts";
import { WatchedAllocator } from "./allocator.ts";
import { WatchedSource } from "./source.ts";

/** The bounds by name, each with the clause that sets it. */
export const BOUNDS = {
  "outside": "slm2-8-11",
  "payload-reads": "slm2-8-11",
  "structure-reads": "slm2-8-8",
  "early-read": "slm2-8-9",
  "early-memory": "slm2-8-9",
  "memory": "slm2-8-8",
  "window": "slm2-8-10",
} as const;
export type Bound = keyof typeof BOUNDS;

/** A bound that was passed: what was counted, and the most that the formula allows. */
export interface Breach {
  readonly bound: Bound;
  readonly counted: number;
  readonly most: number;
}

/** What one reading was seen to do. */
export interface Watch {
  readonly source: WatchedSource;
  readonly allocator: WatchedAllocator;
  /** what this reader holds whatever the file: its windows */
  readonly base: number;
}

const MIB = 1 << 20;
/** Section 8: 16 bytes of memory for each byte of structure. */
const PER_BYTE = 16;
/** The last stage at which no count or length is trusted, and the last structural one. */
const LAST_BLIND = 15, LAST_STRUCTURAL = 25;
/** A header, and whatever a reader finds handy to keep beside it. */
const EARLY = 4096;
/** Structure is read once, a gap perhaps again. */
const STRUCTURE_READS = 2;
const PAYLOAD_READS = 2;
/** Tokenizers, templates and piece sets: their blobs are judged, so held whole, and indexed. */
const JUDGED_CLASSES: readonly number[] = [4, 5, 9];

/** What a reader holds before it has read anything. */
export function baseOf(reader: Reader): number {
  const allocator = new WatchedAllocator();
  reader.read({ source: new WatchedSource(), allocator });
  return allocator.held;
}

const u64 = (file: Uint8Array, [at]: readonly [number, unknown]): number =>
  Number(new DataView(file.buffer, file.byteOffset, file.length).getBigUint64(at, true));

/** The first bound that a reading of `file` passed, or null. */
export function breachOf(
  { source, allocator, base }: Watch,
  file: Uint8Array,
  verdict: Verdict | Judgement,
): Breach | null {
  const over = (bound: Bound, counted: number, most: number): Breach | null =>
    counted > most ? { bound, counted, most } : null;
  if (source.outside) return { bound: "outside", counted: source.asked, most: file.length };
  const stage = verdict.verdict === "reject" ? verdict.stage : LAST_STRUCTURAL + 1;
  if (stage <= LAST_BLIND) {
    return over("early-read", source.asked, EARLY) ??
      over("early-memory", allocator.held, base + EARLY);
  }
  const has_payload = u64(file, HEADER.payload_offset) > 0;
  const structure = has_payload ? u64(file, HEADER.payload_offset) : file.length;
  const judged = JUDGED_CLASSES.includes(file[HEADER.artifact_class[0]]) ? file.length : 0;
  const late = stage > LAST_STRUCTURAL ? MIB + 2 * judged : 0;
  return over("structure-reads", source.mostReads(HEADER_SIZE, structure), STRUCTURE_READS) ??
    over("payload-reads", source.mostReads(structure, file.length), PAYLOAD_READS) ??
    over("window", source.largest, Math.max(MIB, structure)) ??
    over("memory", allocator.held, MIB + PER_BYTE * structure + late);
}
