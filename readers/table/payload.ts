/** Payload placement (section 7.6) and stage 24. */
import { type Artifact, REFERENCED } from "./artifact.ts";
import { type Fault, reject, SOURCE_IO } from "./fault.ts";
import { alignUp, type Field } from "./fields.ts";
import { B, Q, T } from "./layouts.ts";

/** Where an object stands in the file. */
export interface Extent {
  readonly start: number;
  readonly end: number;
}

/** The tensors, then the blobs: all that the payload holds, in order. */
export class Objects {
  readonly #tensors: number;
  readonly count: number;

  constructor(readonly artifact: Artifact) {
    this.#tensors = artifact.tensors.count;
    this.count = this.#tensors + artifact.blobs.count;
  }
  isTensor(i: number): boolean {
    return i < this.#tensors;
  }
  /** The row in its own table. */
  row(i: number): number {
    return this.isTensor(i) ? i : i - this.#tensors;
  }
  get(i: number, tensorField: Field, blobField: Field): number {
    return this.isTensor(i)
      ? this.artifact.tensors.get(i, tensorField)
      : this.artifact.blobs.get(this.row(i), blobField);
  }
  /** Absolute; of records that passed stage 24. */
  extent(i: number): Extent {
    const start = this.artifact.payload.offset +
      this.get(i, T.payload_relative_offset, B.payload_relative_offset);
    return { start, end: start + this.get(i, T.payload_length, B.payload_length) };
  }
}

/** Stage 24. */
export function checkPayload(artifact: Artifact): Fault {
  return checkExtents(artifact) ?? checkGaps(artifact) ?? checkReferences(artifact);
}

function checkExtents(artifact: Artifact): Fault {
  const { payload, tensors, blobs } = artifact;
  const objects = new Objects(artifact);
  let end = payload.offset;
  for (let i = 0; i < objects.count; i++) {
    const offset = objects.get(i, T.payload_relative_offset, B.payload_relative_offset);
    const length = objects.get(i, T.payload_length, B.payload_length);
    const place = alignUp(end, objects.get(i, T.payload_alignment, B.alignment)) - payload.offset;
    const where = objects.isTensor(i)
      ? tensors.where(i, T.payload_relative_offset)
      : blobs.where(objects.row(i), B.payload_relative_offset);
    if (offset !== place) {
      return reject(24, "PayloadOutOfPlace", "payload", where, `relative offset ${place}`);
    }
    if (offset + length > payload.length) {
      const expected = `an end of at most ${payload.length}`;
      return reject(24, "PayloadOutOfBounds", "payload", where, expected);
    }
    end = payload.offset + offset + length;
  }
  if (end === payload.offset + payload.length) return null;
  return reject(24, "PayloadTrailing", "payload", end, "the end of the payload");
}

/** A look at a gap also takes in the gaps after it, as far as this. */
const LOOK = 16 * 1024;

/**
 * The bytes between objects. One look may serve many gaps, but no look goes on into a blob: with
 * the reading of stage 26 and that of a document list, no byte is read more than twice.
 */
function checkGaps(artifact: Artifact): Fault {
  const { input, payload, workspace, tensors } = artifact;
  const objects = new Objects(artifact);
  const window = workspace.payload;
  window.bind(input, payload.offset, payload.offset + payload.length);
  const firstBlob = objects.count > tensors.count ? objects.extent(tensors.count).start : Infinity;
  let at = payload.offset;
  for (let i = 0; i < objects.count; i++) {
    const { start, end } = objects.extent(i);
    while (at < start) {
      const look = Math.max(start, Math.min(at + LOOK, firstBlob, payload.offset + payload.length));
      const view = window.at(at, look);
      if (view === null) return SOURCE_IO;
      const length = Math.min(view.length, start - at);
      for (let j = 0; j < length; j++) {
        if (view[j] !== 0) return reject(24, "NonZeroPadding", "payload", at + j, "zero");
      }
      at += length;
    }
    at = end;
  }
  return null;
}

/** What no record refers to. */
function checkReferences({ strings, stringMarks, quants, profileUsed }: Artifact): Fault {
  for (let id = 0; id < strings.count; id++) {
    if ((stringMarks[id] & REFERENCED) === 0) {
      const where = strings.start(id);
      return reject(24, "UnreferencedString", "strings", where, "a record that refers to it");
    }
  }
  for (let row = 0; row < quants.count; row++) {
    if (profileUsed[row] === 0) {
      const where = quants.where(row, Q.profile_id);
      return reject(24, "UnreferencedProfile", "quant", where, "a tensor that refers to it");
    }
  }
  return null;
}
