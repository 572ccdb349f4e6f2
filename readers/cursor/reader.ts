/**
 * Reader one: forward-only and streaming. `STAGES` is the whole of it; the README beside this
 * file says where each section of the specification stands.
 */
import type {
  Dependency,
  Identities,
  Judgement,
  PieceRequest,
  Reader,
  Reading,
  ReadRequest,
  Reject,
  SignatureRequest,
} from "../contract.ts";
import { checkCapability } from "./architecture.ts";
import { Artifact } from "./artifact.ts";
import { checkAuxiliaries } from "./auxiliaries.ts";
import { WINDOW } from "./blake3.ts";
import { checkBlobs } from "./blobs.ts";
import { hex } from "./bytes.ts";
import { candidateOf } from "./candidate.ts";
import { checkClosure, Resolver } from "./closure.ts";
import { reject } from "./fault.ts";
import { checkHeader, checkPlaces, checkSize } from "./header.ts";
import { artifactId, manifestId, semanticManifestId, tensorLayoutId } from "./identities.ts";
import { sizeOf, SOURCE_IO } from "./input.ts";
import { checkCbor, checkManifest } from "./manifest.ts";
import { checkPayload } from "./payload.ts";
import { judgePiece } from "./piece_set.ts";
import { pieceCount } from "./pieces.ts";
import { checkQuant } from "./quant.ts";
import { BLOB_RECORD, CONTENT_HASH, PAYLOAD_HASH, QUANT_RECORD, TENSOR_RECORD } from "./records.ts";
import { checkLayout, checkPadding } from "./sections.ts";
import { judgeSignature } from "./signature.ts";
import { checkObjects } from "./stream.ts";
import { checkStrings } from "./strings.ts";
import { checkTensors } from "./tensors.ts";

/** Section 8: stages in order; each gives the first fault that it finds. */
const STAGES: readonly ((artifact: Artifact) => Reject | null)[] = [
  checkSize, // 2, 3
  checkHeader, // 4 to 11
  checkPlaces, // 12
  checkLayout, // 13 to 15
  checkPadding, // 16
  checkCbor, // 17
  checkManifest, // 18
  checkStrings, // 19
  checkQuant, // 20
  checkTensors, // 21
  checkBlobs, // 22
  checkAuxiliaries, // 23
  checkPayload, // 24
  checkCapability, // 25
  checkClosure, // 25, with a resolver
  checkObjects, // 26
];

/** Stages 1 to 26, and what an id needs. */
function judge(request: ReadRequest, resolver: Resolver | null): Artifact | Reject {
  const size = sizeOf(request.source);
  if (size === null) return SOURCE_IO;
  const artifact = new Artifact(request, size, resolver);
  let fault: Reject | null = null;
  for (const stage of STAGES) {
    fault = stage(artifact);
    if (fault !== null) break;
  }
  if (sizeOf(request.source) !== size) return SOURCE_IO;
  if (fault !== null) return fault;
  artifact.semanticManifest = semanticManifestId(artifact);
  artifact.tensorLayout = tensorLayoutId(artifact);
  artifact.artifactId = artifactId(artifact, artifact.semanticManifest, artifact.tensorLayout);
  return artifact;
}

/** Section 9: what an accept verdict carries. */
function identitiesOf(artifact: Artifact): Identities {
  const { bytes, pieceRoot, sections: { blobs, quant, tensors }, size } = artifact;
  const column = (first: number, count: number, step: number) =>
    Array.from({ length: count }, (_, i) => hex(bytes, first + step * i, 32));
  const identities = {
    class: artifact.artifact_class,
    whole_file: hex(artifact.wholeFile),
    manifest: hex(manifestId(artifact)),
    semantic_manifest: hex(artifact.semanticManifest),
    tensor_layout: hex(artifact.tensorLayout),
    artifact_id: hex(artifact.artifactId),
    profiles: column(quant.offset, quant.count, QUANT_RECORD),
    tensors: column(tensors.offset + PAYLOAD_HASH, tensors.count, TENSOR_RECORD),
    blobs: column(blobs.offset + CONTENT_HASH, blobs.count, BLOB_RECORD),
  };
  return pieceRoot === null
    ? identities
    : { ...identities, piece_count: pieceCount(size), piece_root: hex(pieceRoot) };
}

/** Stage 27, of a file. */
function expectationFault(
  { whole_file, artifact_id }: Identities,
  expect: ReadRequest["expect"],
): Reject | null {
  if ((expect?.whole_file ?? whole_file) !== whole_file) {
    return reject(27, "WholeFileHashMismatch", "file", 0, expect?.whole_file);
  }
  if ((expect?.artifact_id ?? artifact_id) !== artifact_id) {
    return reject(27, "IdentityMismatch", "file", 0, expect?.artifact_id);
  }
  return null;
}

/** Bytes that the reader keeps between calls: its window, and below it in Wasm the hash's own. */
const KEPT = WINDOW + 128 * 1024;

function read(request: ReadRequest): Reading {
  const { allocator, expect, resolve } = request;
  allocator?.hold(KEPT);
  const readAlone = ({ source }: Dependency) => {
    const found = judge({ source, allocator, pieces: false }, null);
    return found instanceof Artifact ? found : null;
  };
  const resolver = resolve === undefined ? null : new Resolver(resolve, readAlone);
  const artifact = judge(request, resolver);
  if (!(artifact instanceof Artifact)) return { verdict: artifact };
  const identities = identitiesOf(artifact);
  const fault = expectationFault(identities, expect);
  if (fault !== null) return { verdict: fault };
  return {
    verdict: { verdict: "accept", identities },
    candidate: () => candidateOf(artifact, identities),
  };
}

const PIECE_SET = 9;
const SIGNATURE_ENVELOPE = 10;

function piece(request: PieceRequest): Judgement {
  const { allocator } = request;
  allocator?.hold(KEPT);
  const set = judge({ source: request.set, allocator, pieces: false }, null);
  if (!(set instanceof Artifact)) return set;
  if (set.artifact_class !== PIECE_SET) return { verdict: "skip", why: "no piece set" };
  return judgePiece(set, request);
}

function signature(request: SignatureRequest): Judgement {
  const { allocator } = request;
  allocator?.hold(KEPT);
  const envelope = judge({ source: request.envelope, allocator, pieces: false }, null);
  if (!(envelope instanceof Artifact)) return envelope;
  if (envelope.artifact_class !== SIGNATURE_ENVELOPE) {
    return { verdict: "skip", why: "no signature envelope" };
  }
  return judgeSignature(envelope, request);
}

/** Reader one. */
export const cursor: Reader = { name: "cursor", read, piece, signature };
