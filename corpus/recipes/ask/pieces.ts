/** Stage 27 of pieces: data and proofs held against a piece set (classes.md section 7). */
import type { Hex } from "../../../readers/contract.ts";
import type { Artifact, Case, PieceAsk, Recipe, Rejection } from "../case.ts";
import { corrupt, rejected } from "../case.ts";
import { withBytes } from "../parts.ts";
import { setOf } from "../valid/pieces.ts";

const MIB = 1 << 20;
const zeros = (
  n: number,
  change: (bytes: Uint8Array) => void = () => {},
  name = `${n}`,
): Artifact => {
  const bytes = new Uint8Array(n);
  change(bytes);
  return { path: `data/zeros-${name}.bin`, bytes };
};
const SHORT = zeros(100);

/** Sets whose last piece has 100 bytes: of 1, 3, 5, 7 and 8 pieces. */
const SETS = [100, 8 * MIB + 100, 16 * MIB + 100, 24 * MIB + 100, 28 * MIB + 100];

const last = (bytes: number) => setOf(bytes).set.description.body.piece_count - 1;
const proofOf = (bytes: number, index: number): Hex[] =>
  setOf(bytes).set.proof(index).map((node) => node.toHex());

function piece(
  id: string,
  reason: string,
  set: Artifact,
  ask: PieceAsk,
  rejection?: Rejection,
): Case {
  return {
    id,
    reason,
    tags: [],
    op: "piece",
    artifact: set,
    ask,
    expected: rejection ? rejected(rejection) : { verdict: "accept" },
  };
}

const PIECE = (
  code: "PieceSubject" | "PieceIndex" | "PieceLength" | "PieceHash" | "PieceRoot",
): Rejection => [27, code, "none"];

const holds: Recipe = {
  name: "piece/holds",
  reason: "pieces that are what their set says",
  spec: "classes.md 7",
  cites: ["classes-7 A proof is", "classes-7 `piece_hash_i", "classes-7 the tree splits"],
  cases: () =>
    SETS.flatMap((bytes) => {
      const { one } = setOf(bytes), index = last(bytes), proof = proofOf(bytes, index);
      const { artifact } = one;
      const subject = subjectOf(bytes);
      return [
        piece(
          `piece/holds/${bytes}-proof`,
          `the last of ${index + 1} pieces with its proof`,
          artifact,
          { index, data: SHORT, proof },
        ),
        piece(`piece/holds/${bytes}-alone`, "without a proof", artifact, { index, data: SHORT }),
        piece(`piece/holds/${bytes}-subject`, "with its subject", artifact, {
          index,
          data: SHORT,
          subject,
        }),
        piece(`piece/holds/${bytes}-all`, "with both", artifact, {
          index,
          data: SHORT,
          proof,
          subject,
        }),
        ...(["artifact_id", "whole_file", "bytes"] as const).map((key) =>
          piece(
            `piece/holds/${bytes}-subject-${key.replace("_", "-")}`,
            `of the subject only ${key}`,
            artifact,
            { index, data: SHORT, subject: { [key]: subject[key] } },
          )
        ),
      ];
    }),
};

function subjectOf(bytes: number) {
  const { subject, subject_whole_file, subject_bytes } = setOf(bytes).set.description.body;
  return {
    artifact_id: subject.toHex(),
    whole_file: subject_whole_file.toHex(),
    bytes: subject_bytes,
  };
}

const other = "0".repeat(63) + "1";

const rejects: Recipe = {
  name: "piece/rejects",
  reason: "pieces that are not, each for one reason",
  spec: "classes.md 7",
  cites: ["slm2-8.27 pieces, all [none]"],
  cases: () =>
    SETS.flatMap((bytes) => {
      const set = setOf(bytes).one.artifact, index = last(bytes), subject = subjectOf(bytes);
      const one = (
        local: string,
        why: string,
        ask: Omit<PieceAsk, "data" | "index"> & Partial<PieceAsk>,
        code: Parameters<typeof PIECE>[0],
        cite: string,
      ) => ({
        ...piece(
          `piece/rejects/${bytes}-${local}`,
          why,
          set,
          { index, data: SHORT, ...ask },
          PIECE(code),
        ),
        cites: [`classes-7 ${cite}`],
      });
      return [
        one(
          "subject-id",
          "a subject of another id",
          { subject: { ...subject, artifact_id: other } },
          "PieceSubject",
          "a given subject whose",
        ),
        one(
          "subject-whole-file",
          "another file of the subject",
          { subject: { ...subject, whole_file: other } },
          "PieceSubject",
          "a given subject whose",
        ),
        one(
          "subject-bytes",
          "a subject of one byte more",
          { subject: { ...subject, bytes: bytes + 1 } },
          "PieceSubject",
          "a given subject whose",
        ),
        one(
          "subject-bytes-low-half",
          "a subject of 2^32 bytes more",
          { subject: { bytes: bytes + 2 ** 32 } },
          "PieceSubject",
          "a given subject whose",
        ),
        ...[index + 1, index + 2, index + 2 ** 32, Number.MAX_SAFE_INTEGER].map((n) =>
          one(
            `index-${n}`,
            `piece ${n} of ${index + 1}`,
            { index: n },
            "PieceIndex",
            "index >= piece_count",
          )
        ),
        ...[0, 1, 99, 101].map((n) =>
          one(
            `length-${n}`,
            `${n} bytes for 100`,
            { data: zeros(n) },
            "PieceLength",
            "data not as long",
          )
        ),
        ...(index > 0
          ? [
            one(
              "length-of-whole",
              "the last piece's bytes for the first, which is whole",
              { index: 0 },
              "PieceLength",
              "data not as long",
            ),
          ]
          : []),
        one(
          "data-first",
          "the first bit differs",
          { data: zeros(100, (data) => void (data[0] = 0x80), "100-first-bit") },
          "PieceHash",
          "its piece_hash not that entry",
        ),
        one(
          "data-last",
          "the last bit differs",
          { data: zeros(100, (data) => void (data[99] = 1), "100-last-bit") },
          "PieceHash",
          "its piece_hash not that entry",
        ),
        ...faultyProofs(bytes).map(([local, why, proof]) =>
          one(`proof-${local}`, why, { proof }, "PieceRoot", "a given proof that does not")
        ),
      ];
    }),
};

function faultyProofs(bytes: number): [string, string, Hex[]][] {
  const proof = proofOf(bytes, last(bytes));
  const faults: [string, string, Hex[]][] = [
    ["node-more", "a node too many at its end", [...proof, other]],
    ["node-first", "a node too many before it", [other, ...proof]],
  ];
  if (proof.length === 0) return faults;
  return [
    ...faults,
    ["empty", "no node at all", []],
    ["short", "its last node is missing", proof.slice(0, -1)],
    ["short-first", "its first node is missing", proof.slice(1)],
    ["first-bit", "its first node differs", [flip(proof[0]), ...proof.slice(1)]],
    ["last-bit", "its last node differs", [...proof.slice(0, -1), flip(proof.at(-1)!)]],
    ["twice", "its last node twice", [...proof, proof.at(-1)!]],
    ["long", "64 nodes", new Array(64).fill(other)],
    ...(proof.length > 1
      ? [["reversed", "root to leaf", [...proof].reverse()] as [string, string, Hex[]]]
      : []),
  ];
}
const flip = (hex: Hex) => (Number.parseInt(hex[0], 16) ^ 8).toString(16) + hex.slice(1);

const proofs: Recipe = {
  name: "piece/other-tree",
  reason: "proofs of another leaf, or of a tree of another size",
  spec: "classes.md 7",
  cites: ["classes-7 a given proof that does not", "classes-7 the tree splits"],
  cases: () => {
    const one = (local: string, why: string, bytes: number, proof: readonly Hex[]) =>
      piece(`piece/other-tree/${local}`, why, setOf(bytes).one.artifact, {
        index: last(bytes),
        data: SHORT,
        proof,
      }, PIECE("PieceRoot"));
    const [, three, five, seven, eight] = SETS;
    return [
      one("leaf-0-of-3", "the first leaf's path for the last of three", three, proofOf(three, 0)),
      one("leaf-1-of-3", "the second leaf's path for the last of three", three, proofOf(three, 1)),
      one("leaf-6-of-8", "its neighbour's path for the last of eight", eight, proofOf(eight, 6)),
      one("leaf-5-of-8-in-7", "leaf 5 of eight for the last of seven", seven, proofOf(eight, 5)),
      one("leaf-6-of-7-in-8", "the last of seven for the last of eight", eight, proofOf(seven, 6)),
      one("leaf-4-of-5-in-3", "the last of five for the last of three", three, proofOf(five, 4)),
    ];
  },
};

const order: Recipe = {
  name: "piece/order",
  reason: "two faults at once: the first of the list is the answer",
  spec: "classes.md 7",
  cites: ["classes-7 Checking a piece (stage 27)"],
  cases: () => {
    const bytes = SETS[1], set = setOf(bytes).one.artifact, index = last(bytes);
    const subject = { artifact_id: other }, proof = [other];
    const one = (local: string, why: string, ask: PieceAsk, code: Parameters<typeof PIECE>[0]) => ({
      ...piece(`piece/order/${local}`, why, set, ask, PIECE(code)),
      tags: ["two-faults"],
    });
    const wrong = zeros(100, (data) => void (data[0] = 0x80), "100-first-bit");
    return [
      one("subject-index", "another subject and an index past the end", {
        index: index + 1,
        data: SHORT,
        subject,
      }, "PieceSubject"),
      one("subject-root", "another subject and a wrong proof", {
        index,
        data: SHORT,
        subject,
        proof,
      }, "PieceSubject"),
      one(
        "index-length",
        "an index past the end and no data",
        { index: index + 1, data: zeros(0) },
        "PieceIndex",
      ),
      one(
        "length-root",
        "too short, and a wrong proof",
        { index, data: zeros(99), proof },
        "PieceLength",
      ),
      one("hash-root", "wrong data and a wrong proof", { index, data: wrong, proof }, "PieceHash"),
    ];
  },
};

const sets: Recipe = {
  name: "piece/set",
  reason: "a piece set that is itself rejected: its rejection is the answer",
  spec: "classes.md 7",
  cites: ["classes-7 Checking a piece (stage 27)"],
  cases: () => {
    const parent = setOf(100).one, bytes = parent.artifact.bytes;
    const subject = { artifact_id: other };
    const faults: [string, string, Uint8Array, Rejection][] = [
      ["magic", "no piece set at all", withBytes(bytes, 0, new Uint8Array([0])), [
        4,
        "BadMagic",
        "header",
      ]],
      ["truncated", "a piece set cut short", bytes.slice(0, 300), [
        11,
        "FileSizeMismatch",
        "header",
      ]],
      [
        "hash",
        "a piece set whose blob was damaged",
        withBytes(bytes, bytes.length - 1, new Uint8Array([bytes.at(-1)! ^ 1])),
        [26, "PayloadHashMismatch", "payload"],
      ],
    ];
    return faults.flatMap(([local, why, file, rejection]) => {
      const read = corrupt(parent, `piece/set/${local}-read`, why, file, rejection);
      return [
        read,
        piece(
          `piece/set/${local}`,
          `${why}: its rejection comes before every other fault`,
          read.artifact,
          { index: 9, data: SHORT, subject },
          rejection,
        ),
      ];
    });
  },
};

export const pieceChecks: readonly Recipe[] = [holds, rejects, proofs, order, sets];
