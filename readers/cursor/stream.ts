/**
 * Stage 26: the payload, once from its first byte to its last. Each byte goes through one
 * window into the hash of its object, of the whole file and of its piece, and to the judge of
 * its content.
 */
import type { Code, Reject } from "../contract.ts";
import type { Artifact } from "./artifact.ts";
import { WINDOW, window } from "./blake3.ts";
import { equalBytes } from "./bytes.ts";
import { Contents, type Judge } from "./content.ts";
import { reject } from "./fault.ts";
import { beginBlobPayload, beginTensorPayload, beginWholeFile } from "./identities.ts";
import { fill, SOURCE_IO } from "./input.ts";
import { Lanes, lanesOf } from "./lanes.ts";
import { PieceStream } from "./pieces.ts";
import { blobRecord, CONTENT_HASH, PAYLOAD_HASH, tensor, TENSOR_RECORD } from "./records.ts";
import { SlmHash } from "./slm_hash.ts";
import type { Source } from "../contract.ts";

const wholeFile = new SlmHash();
const object = new SlmHash();

/** The payload of one artifact, forward only. */
class Payload {
  readonly #source: Source;
  readonly #end: number;
  readonly #pieces: PieceStream | null;
  /** absolute offset of the next byte, and of the end of what the window holds */
  #at: number;
  #loaded: number;
  /** absolute offset of the window's first byte */
  #from: number;

  constructor({ bytes, sections: { payload }, size, source, wantsPieces }: Artifact) {
    this.#source = source;
    this.#at = this.#loaded = this.#from = bytes.length;
    this.#end = payload.offset + payload.size;
    this.#pieces = wantsPieces ? new PieceStream(size) : null;
    beginWholeFile(wholeFile, size);
    this.#pass(bytes);
  }

  #pass(part: Uint8Array): void {
    wholeFile.append(part);
    this.#pieces?.feed(part);
  }

  /** Goes on to absolute offset `to`; false where the source cannot be read. */
  skip(to: number): boolean {
    while (this.#at < to) if (this.next(to) === null) return false;
    return true;
  }

  /** The next bytes up to absolute offset `to`, valid until the next call; null as above. */
  next(to: number): Uint8Array | null {
    if (this.#at === this.#loaded) {
      const part = window.subarray(0, Math.min(WINDOW, this.#end - this.#at));
      if (!fill(this.#source, this.#at, part)) return null;
      this.#pass(part);
      this.#from = this.#at;
      this.#loaded += part.length;
    }
    const from = this.#at;
    this.#at = Math.min(to, this.#loaded);
    return window.subarray(from - this.#from, this.#at - this.#from);
  }

  get at(): number {
    return this.#at;
  }

  /** piece_root, or null where it was not asked for. */
  pieceRoot(): Uint8Array | null {
    return this.#pieces?.root() ?? null;
  }
}

function fault(code: Code, at: number, expected: string): Reject {
  return reject(26, code, "payload", at, expected);
}

/** Stage 26. */
export function checkObjects(artifact: Artifact): Reject | null {
  const { bytes, sections: { tensors, blobs } } = artifact;
  const payload = new Payload(artifact);
  for (let i = 0; i < tensors.count; i++) {
    const wrong = checkTensor(artifact, payload, tensors.offset + TENSOR_RECORD * i);
    if (wrong !== null) return wrong;
  }
  const contents = new Contents(artifact);
  for (let i = 0; i < blobs.count; i++) {
    const wrong = checkBlob(artifact, payload, contents, i);
    if (wrong !== null) return wrong;
  }
  if (!contents.isComplete()) {
    return fault("BlobContent", bytes.length, "the blobs that this tokenizer needs");
  }
  artifact.wholeFile = wholeFile.end();
  artifact.pieceRoot = payload.pieceRoot();
  return null;
}

/** Passes the object at `[from, from + length)`, whose hash is begun, by its judge. */
function pass(payload: Payload, from: number, length: number, judge: Pick<Judge, "feed"> | null) {
  if (!payload.skip(from)) return false;
  while (payload.at < from + length) {
    const part = payload.next(from + length);
    if (part === null) return false;
    object.append(part);
    judge?.feed(part);
  }
  return true;
}

function checkTensor(artifact: Artifact, payload: Payload, at: number): Reject | null {
  const { bytes, sections } = artifact;
  const offset = sections.payload.offset + tensor.relativeOffset(bytes, at);
  const lanes: Lanes | null = lanesOf(artifact, at);
  beginTensorPayload(object, artifact, at);
  if (!pass(payload, offset, tensor.length(bytes, at), lanes)) return SOURCE_IO;
  const hash = bytes.subarray(at + PAYLOAD_HASH, at + TENSOR_RECORD);
  if (!equalBytes(object.end(), hash)) {
    return fault("PayloadHashMismatch", offset, "bytes whose hash is payload_hash");
  }
  return lanes === null || lanes.wrong < 0
    ? null
    : fault("PaddedLane", offset + lanes.wrong, "the code of a padded lane");
}

function checkBlob(
  artifact: Artifact,
  payload: Payload,
  contents: Contents,
  index: number,
): Reject | null {
  const { bytes, sections } = artifact;
  const blob = blobRecord(artifact, index);
  const offset = sections.payload.offset + blob.relativeOffset;
  const judge = contents.judgeOf(blob);
  beginBlobPayload(object, artifact, blob);
  if (!pass(payload, offset, blob.length, judge)) return SOURCE_IO;
  const good = judge.end();
  if (good === null) return SOURCE_IO; // where bytes cannot be read, what was read says nothing
  const hash = bytes.subarray(blob.at + CONTENT_HASH, blob.at + CONTENT_HASH + 32);
  if (!equalBytes(object.end(), hash)) {
    return fault("PayloadHashMismatch", offset, "bytes whose hash is content_hash");
  }
  return good ? null : fault("BlobContent", offset, "the content grammar of its kind");
}

/** The whole_file of a source that nobody judged, or null where it cannot be read. */
export function wholeFileOf(source: Source, size: number): Uint8Array | null {
  beginWholeFile(wholeFile, size);
  for (let at = 0; at < size;) {
    const part = window.subarray(0, Math.min(WINDOW, size - at));
    if (!fill(source, at, part)) return null;
    wholeFile.append(part);
    at += part.length;
  }
  return wholeFile.end();
}
