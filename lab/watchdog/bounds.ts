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
  "untold-memory": "slm2-8-8",
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
  /** what a resolver gave besides, each a file of its own */
  readonly companions?: readonly Companion[];
  /** what this reader holds whatever the file: its windows */
  readonly base: number;
}

/** An artifact that a resolver may find, and what a reader asked of it. */
export interface Companion {
  readonly bytes: Uint8Array;
  readonly source: WatchedSource;
  /** under an id that a store claims: its bytes are hashed before it is read (decision 1) */
  readonly claimed: boolean;
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

/** What a reader need not tell: hashes, small lists, and twice what it was given to judge. */
const UNTOLD = 8 * MIB, UNTOLD_PER_BYTE = 2;

const u64 = (file: Uint8Array, [at]: readonly [number, unknown]): number =>
  Number(new DataView(file.buffer, file.byteOffset, file.length).getBigUint64(at, true));

/** The first bound that a reading of `file` passed, or null. */
export function breachOf(
  { source, allocator, base, companions = [] }: Watch,
  file: Uint8Array,
  verdict: Verdict | Judgement,
): Breach | null {
  if (source.outside) return { bound: "outside", counted: source.asked, most: file.length };
  const given = companions.reduce((sum, { bytes }) => sum + bytes.length, file.length);
  const untold = over(
    "untold-memory",
    allocator.grown,
    allocator.held + UNTOLD + UNTOLD_PER_BYTE * given,
  );
  if (untold !== null) return untold;
  const stage = verdict.verdict === "reject" ? verdict.stage : LAST_STRUCTURAL + 1;
  if (stage <= LAST_BLIND) {
    return over("early-read", source.asked, EARLY) ??
      over("early-memory", allocator.held, base + EARLY);
  }
  const most = companions.reduce(
    (sum, { bytes }) => sum + memoryOf(bytes, true),
    memoryOf(file, stage > LAST_STRUCTURAL),
  );
  return readsOf(source, file, 0) ?? over("memory", allocator.held, most) ??
    companions.reduce<Breach | null>(
      (breach, one) => breach ?? readsOf(one.source, one.bytes, one.claimed ? 1 : 0),
      null,
    );
}

const over = (bound: Bound, counted: number, most: number): Breach | null =>
  counted > most ? { bound, counted, most } : null;

/** Where the payload of a file begins, or its end; what a bad header says ends with the file. */
function structureOf(file: Uint8Array): number {
  const offset = file.length < HEADER_SIZE ? 0 : u64(file, HEADER.payload_offset);
  return offset > 0 ? Math.min(offset, file.length) : file.length;
}

/** @param late whether stage 26 may have been reached */
function memoryOf(file: Uint8Array, late: boolean): number {
  const judged = JUDGED_CLASSES.includes(file[HEADER.artifact_class[0]]) ? file.length : 0;
  return MIB + PER_BYTE * structureOf(file) + (late ? MIB + 2 * judged : 0);
}

/** @param before how often the whole file may be read before it is read as an artifact */
function readsOf(source: WatchedSource, file: Uint8Array, before: number): Breach | null {
  if (source.outside) return { bound: "outside", counted: source.asked, most: file.length };
  const structure = structureOf(file);
  const structure_reads = source.mostReads(HEADER_SIZE, structure);
  return over("structure-reads", structure_reads, STRUCTURE_READS + before) ??
    over("payload-reads", source.mostReads(structure, file.length), PAYLOAD_READS + before) ??
    over("window", source.largest, Math.max(MIB, structure));
}
