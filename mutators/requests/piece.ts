/** Pieces against their set (classes.md section 7): index, data, audit path and subject. */
import {
  auditPath,
  merkleRoot,
  PIECE_SIZE,
  pieceHasher,
  pieceLeaves,
} from "../../corpus/writer/pieces.ts";
import { layOut, parse, setObject } from "../artifact.ts";
import { at, bytes, encodeTree, parseTree, uint } from "../cbor_tree.ts";
import type { Random } from "../random.ts";
import type { Json, Line, Request } from "../request.ts";
import { seal } from "../seal.ts";
import { type Asker, listAt, near, objectAt, otherHash } from "./asker.ts";

/** Bytes of a last piece: no other piece fits into an input. */
const MOST_DATA = 200;
const MOST_PIECES = 17;

const dataOf = (line: Line): Uint8Array => {
  try {
    return Uint8Array.fromBase64(String(line.data));
  } catch {
    return new Uint8Array(0);
  }
};

/** The numbers of the set that a request holds its piece against. */
function setOf({ artifacts }: Request) {
  const { root } = parseTree(parse(artifacts[0]).manifest);
  const number = (key: string) => Number(at(root, "body", key)?.value ?? 0);
  const hash = (key: string) => at(root, "body", key)?.bytes.toHex() ?? "";
  return {
    count: number("piece_count"),
    size: number("subject_bytes"),
    artifact_id: hash("subject"),
    whole_file: hash("subject_whole_file"),
  };
}

/** A set of several pieces of which the last one is at hand, and the request that holds it. */
function rebuild(request: Request, random: Random): boolean {
  const data = random.bytes(random.between(1, MOST_DATA));
  const count = random.between(1, MOST_PIECES), index = count - 1;
  const size = index * PIECE_SIZE + data.length;
  const hasher = pieceHasher(size, index, data.length);
  hasher.update(data);
  const hashes = Array.from({ length: index }, () => random.bytes(32));
  hashes.push(hasher.finish());
  const leaves = pieceLeaves(size, hashes);
  const artifact = parse(request.artifacts[0]);
  const { root, rest } = parseTree(artifact.manifest);
  const body = at(root, "body"), [blob] = artifact.blobs;
  const put = (key: string, by: ReturnType<typeof uint>) => {
    const there = body && at(body, key);
    if (there) Object.assign(there, by);
  };
  if (!blob) return false;
  put("piece_count", uint(count));
  put("subject_bytes", uint(size));
  put("root", bytes(merkleRoot(leaves)));
  const all = new Uint8Array(32 * count);
  for (const [i, hash] of hashes.entries()) all.set(hash, 32 * i);
  setObject(blob, "blob", all);
  const sealed = { ...artifact, manifest: encodeTree(root, rest) };
  seal(sealed);
  request.artifacts[0] = layOut(sealed);
  request.line.index = index;
  request.line.data = data.toBase64();
  request.line.proof = auditPath(leaves, index).map((node) => node.toHex());
  return true;
}

/** Ways in which an audit path is wrong. */
const PROOFS: readonly ((proof: Json[], random: Random) => Json[])[] = [
  (proof) => proof.slice(1),
  (proof) => proof.slice(0, -1),
  (proof) => [...proof, ...proof.slice(-1)],
  (proof, random) => [...proof, random.bytes(32).toHex()],
  (proof, random) => [random.bytes(32).toHex(), ...proof],
  (proof) => [...proof].reverse(),
  () => [],
  (proof, random) => {
    const i = random.below(proof.length || 1);
    return proof.map((hash, j) => i === j ? otherHash(String(hash), random) : hash);
  },
  (proof, random) => {
    const list = [...proof], i = random.below(list.length || 1);
    list.splice(i, 1);
    return list;
  },
];

export const pieceAskers: readonly Asker[] = [
  {
    name: "piece-whole",
    reason: "trees of 1 to 17 leaves, and the last of their pieces with its path",
    op: "piece",
    ask: rebuild,
  },
  {
    name: "piece-index",
    reason: "an index one off, at the count, below zero and past 2^32",
    op: "piece",
    ask(request, random) {
      const { count } = setOf(request);
      const index = Number(request.line.index);
      request.line.index = random.oneIn(6) ? -1 : near(random.oneIn(2) ? index : count, random);
      return true;
    },
  },
  {
    name: "piece-data",
    reason: "a piece one byte longer or shorter, and of other bytes",
    op: "piece",
    ask({ line }, random) {
      const data = dataOf(line);
      const changed = random.pick([
        data.slice(0, -1),
        new Uint8Array([...data, 0]),
        data.map((byte, i) => i === data.length - 1 ? byte ^ 1 : byte),
        new Uint8Array(0),
      ]);
      line.data = changed.toBase64();
      return true;
    },
  },
  {
    name: "piece-proof",
    reason: "an audit path that is too long, too short, of another order or another tree",
    op: "piece",
    ask({ line }, random) {
      if (!Array.isArray(line.proof)) return false;
      if (random.oneIn(8)) delete line.proof;
      else line.proof = random.pick(PROOFS)(listAt(line, "proof"), random);
      return true;
    },
  },
  {
    name: "piece-subject",
    reason: "the subject of the set, each key of it alone, and others",
    op: "piece",
    ask(request, random) {
      const { size, ...hashes } = setOf(request);
      const subject = objectAt(request.line, "subject");
      const name = random.pick(["artifact_id", "whole_file", "bytes"] as const);
      if (name in subject && random.oneIn(3)) delete subject[name];
      else if (name === "bytes") subject.bytes = near(size, random);
      else subject[name] = random.oneIn(2) ? hashes[name] : otherHash(hashes[name], random);
      return true;
    },
  },
];
