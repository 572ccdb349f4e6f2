/** Requests, broken: what is asked, or one of the artifacts that it is asked about. */
import { at, parseTree } from "../cbor_tree.ts";
import { parse } from "../artifact.ts";
import type { Random } from "../random.ts";
import { isRequest, layOutRequest, parseRequest, type Request } from "../request.ts";
import type { Asker } from "./asker.ts";
import { claimAskers } from "./claims.ts";
import { pieceAskers } from "./piece.ts";
import { readAskers } from "./read.ts";
import { relink } from "./relink.ts";
import { resolveAskers } from "./resolve.ts";
import { signatureAskers } from "./signature.ts";

export const ASKERS: readonly Asker[] = [
  ...readAskers,
  ...resolveAskers,
  ...claimAskers,
  ...pieceAskers,
  ...signatureAskers,
];

/** Each as often as it weighs. */
const TICKETS = ASKERS.flatMap((asker) => new Array<Asker>(asker.weight ?? 1).fill(asker));

/** A broken input, and the names of what broke it. */
export interface Broken {
  readonly bytes: Uint8Array;
  readonly by: readonly string[];
}

/** Breaks one artifact, as a campaign breaks any. */
export type BreakArtifact = (file: Uint8Array, other: Uint8Array) => Broken;

/** Out of 8: in three an artifact is broken, in the others what is asked. */
const ARTIFACT = 3;
/** One in so many leaves the others as they are where an artifact has changed. */
const UNLINKED = 4;
const TRIES = 8;
const NOTHING = new Uint8Array(0);

/** Breaks a request once; null where it is none, or nothing was found to do. */
export function breakRequest(
  input: Uint8Array,
  random: Random,
  other: Uint8Array,
  breakArtifact: BreakArtifact,
): Broken | null {
  const before = parseRequest(input);
  if (before === null || before.artifacts.length === 0) return null;
  const donor = artifactOf(other, random);
  const request: Request = { line: structuredClone(before.line), artifacts: [...before.artifacts] };
  const by = random.below(8) < ARTIFACT
    ? brokenArtifact(request, random, donor, breakArtifact)
    : asked(request, random, donor);
  if (by.length === 0) return null;
  const linked = random.oneIn(UNLINKED) ? request : relink(request, before);
  return { bytes: layOutRequest(linked), by };
}

/** An artifact of an input that may be a request. */
function artifactOf(input: Uint8Array, random: Random): Uint8Array {
  const artifacts = parseRequest(input)?.artifacts ?? [];
  return artifacts.length > 0 ? random.pick(artifacts) : isRequest(input) ? NOTHING : input;
}

function brokenArtifact(
  { artifacts }: Request,
  random: Random,
  donor: Uint8Array,
  breakArtifact: BreakArtifact,
): readonly string[] {
  const place = random.below(artifacts.length);
  const { bytes, by } = breakArtifact(artifacts[place], donor);
  artifacts[place] = bytes;
  return by;
}

function asked(request: Request, random: Random, donor: Uint8Array): string[] {
  const fitting = TICKETS.filter(({ op }) => op === request.line.op);
  for (let tries = 0; fitting.length > 0 && tries < TRIES; tries++) {
    const { name, ask } = random.pick(fitting);
    if (ask(request, random, donor)) return [name];
  }
  return [];
}

const PIECE_SET = 9, SIGNATURE_ENVELOPE = 10;

/** The request that an artifact asks for: one of its own class, or a reading with a resolver. */
export function wrapped(file: Uint8Array, random: Random, other: Uint8Array): Broken | null {
  const request = { line: {}, artifacts: [file] } as Request;
  const artifact_class = file[36];
  if (artifact_class === PIECE_SET) {
    request.line = { op: "piece", set: { path: "0" }, index: 0, data: "" };
  } else if (artifact_class === SIGNATURE_ENVELOPE) {
    request.line = { op: "signature", envelope: { path: "0" }, trust: {}, now: 0 };
    request.line.trust = { epoch: 0, keys: [], revoked: [] };
  } else {
    request.line = { op: "read", path: "0" };
    const { root } = parseTree(parse(file).manifest);
    if (at(root, "dependencies", 0) && !random.oneIn(4)) {
      request.artifacts.push(artifactOf(other, random));
      request.line.resolve = [{ path: "1" }];
    }
  }
  const by = asked(request, random, artifactOf(other, random));
  return by.length === 0 ? null : { bytes: layOutRequest(request), by: ["wrap", ...by] };
}
