/**
 * Cases at the limits of size. Their files are not committed: `lab corpus build --big` writes
 * them into `golden/big/`; their digests and identities stand in `big_data.json`.
 */
import type { Identities } from "../../readers/contract.ts";
import { tensorPack } from "../writer/build/model.ts";
import { utf8 } from "../writer/bytes.ts";
import type { Description } from "../writer/description.ts";
import { setField } from "../writer/fields.ts";
import { isWriteError } from "../writer/fault.ts";
import { REGISTERED } from "../writer/profiles.ts";
import { assemble, write } from "../writer/write.ts";
import { blocks } from "./bytes.ts";
import { type BigArtifact, type Case, type Recipe, rejected, type Rejection } from "./case.ts";
import { withPayload } from "./cbor_site.ts";
import { chat } from "./library.ts";
import { withManifest } from "./parts.ts";
import { richProvenance } from "./rich.ts";
import { dense } from "./valid/tensors.ts";
import { setOf } from "./valid/pieces.ts";
import known from "./big_data.json" with { type: "json" };

/** What a big file is made of: bytes, or bytes here and there in a file that is zero elsewhere. */
export interface BigFile {
  readonly size: number;
  readonly parts: readonly (readonly [offset: number, bytes: Uint8Array])[];
  readonly identities?: Identities;
}

/** What is known of a big file without building it. */
export interface BigData {
  readonly sha256: string;
  readonly size: number;
  readonly identities?: Identities;
}

interface Big {
  readonly name: string;
  readonly reason: string;
  readonly make: () => BigFile;
  /** absent: accepted */
  readonly rejection?: Rejection;
  readonly cites: readonly string[];
}

function accepted(description: Description): BigFile {
  const written = write(description);
  if (isWriteError(written)) throw new Error(`${written.code} at ${written.where}`);
  return {
    size: written.bytes.length,
    parts: [[0, written.bytes]],
    identities: written.identities,
  };
}
/**
 * A file that is good but for its last byte: its verdict says that every stage before the payload's
 * was passed, without the tens of thousands of hashes that an accept carries.
 */
function spoilt(description: Description): BigFile {
  const { bytes } = assemble(description);
  bytes[bytes.length - 1] ^= 1;
  return plain(bytes);
}
const HASH: Rejection = [26, "PayloadHashMismatch", "payload"];
const plain = (bytes: Uint8Array): BigFile => ({ size: bytes.length, parts: [[0, bytes]] });

const MIB = 1 << 20, GIB = 2 ** 30;

/** `n` tensors of one byte, whose names have that many characters. */
const many = (n: number, digits: number) =>
  tensorPack(
    Array.from({ length: n }, (_, i) =>
      dense("u8", [], {
        role: "w",
        name: `${i}`.padStart(digits, "0"),
        payload: new Uint8Array([i % 256]),
      })),
  );

/** Strings of the greatest table: each costs its bytes and an offset. */
const MOST_NAMES = Math.floor((16 * MIB - 12 - 5) / 259);

/** One more digit in one name fills the table to its last byte. */
function fullStringTable(): Description {
  const { tensors = [], ...rest } = many(MOST_NAMES, 255);
  const spare = 16 * MIB - 12 - 5 - 259 * MOST_NAMES;
  // a name of its own for what is left, where that is enough for one
  const more = spare > 4 ? [dense("u8", [], { role: "w", name: "z".repeat(spare - 4) })] : [];
  return { ...rest, tensors: [...tensors, ...more] };
}

/** A manifest of just 4 MiB: four byte strings in an extension. */
function fullManifest(): Description {
  const of = (last: number) =>
    withPayload({
      a: new Uint8Array(MIB),
      b: new Uint8Array(MIB),
      c: new Uint8Array(MIB),
      d: new Uint8Array(last),
    });
  const { bytes } = assemble(of(MIB / 2));
  const length = new DataView(bytes.buffer).getUint32(56, true);
  return of(MIB / 2 + 4 * MIB - length);
}

/** 1,024 profiles that are not registered, each with its tensor. */
function profiles(): BigFile {
  const { fields } = REGISTERED.get("q8-0.b32.pad")!;
  const list = Array.from({ length: 1024 }, (_, i) => ({ name: `lab-q8-${i}`, fields }));
  const payload = blocks("q8-0.b32.pad", [32]);
  const tensors = list.map(({ name }) =>
    dense("u8", [32], { role: "w", name: `t${name}`, type: name, payload })
  );
  return plain(assemble({ ...tensorPack(tensors), profiles: list }).bytes);
}

/** Two tensors of u8 whose first one is that long; the file is zero but for its head. */
function sparse(shape: readonly [number, number], architecture: string, gapByte = 0): BigFile {
  const small = tensorPack([
    dense("u8", [1, 1], { role: "a", name: "a" }),
    dense("u8", [1], { role: "b", name: "b" }),
  ]);
  const { bytes } = assemble({
    ...small,
    body: { ...small.body, architecture: { id: architecture, parameters: {} } },
  });
  const head = bytes.slice(0, bytes.length - 65);
  const first = shape[0] * shape[1];
  const second = Math.ceil(first / 64) * 64;
  for (const [i, n] of shape.entries()) setField(head, `tensor[0].shape_${i}`, n);
  for (const name of ["logical_element_count", "stored_bytes", "payload_length"]) {
    setField(head, `tensor[0].${name}`, first);
  }
  setField(head, "tensor[1].payload_relative_offset", second);
  setField(head, "header.payload_length", second + 1);
  const size = head.length + second + 1;
  setField(head, "header.file_size", size);
  return {
    size,
    parts: [[0, head], ...(gapByte ? [[size - 2, new Uint8Array([gapByte])] as const] : [])],
  };
}

const PACK = "tensor-pack/1";

/** Every big file, by its name under `big/`. */
export const BIG: readonly Big[] = [
  {
    name: "tensors-65536",
    reason: "just 65,536 tensors; the last byte of the payload is wrong",
    make: () => spoilt(many(65536, 5)),
    rejection: HASH,
    cites: ["slm2-4 tensor_count |"],
  },
  {
    name: "strings-16-mib",
    reason: "a string table of just 16 MiB; the last byte of the payload is wrong",
    make: () => spoilt(fullStringTable()),
    rejection: HASH,
    cites: ["slm2-4 string_table_length |"],
  },
  {
    name: "manifest-4-mib",
    reason: "a manifest of just 4 MiB, three byte strings of just 1 MiB in it",
    make: () => accepted(fullManifest()),
    cites: ["slm2-4 manifest_length |", "slm2-4 cbor byte-string length"],
  },
  {
    name: "blobs-4096",
    rejection: HASH,
    reason: "just 4,096 blobs; the last byte of the payload is wrong",
    cites: ["slm2-4 blob_count |"],
    make: () =>
      spoilt({
        ...richProvenance().description,
        blobs: Array.from(
          { length: 4096 },
          (_, i) => ({ kind: 48, name: `n${i}`, media_type: "text/plain", payload: utf8(`${i}`) }),
        ),
      }),
  },
  {
    name: "profiles-1024",
    reason: "just 1,024 profiles: allowed by number, and none of them registered",
    make: profiles,
    rejection: [25, "UnsupportedQuantProfile", "quant"],
    cites: ["slm2-4 quant_count |"],
  },
  {
    name: "bytes-1048577",
    reason: "a byte string of one byte over 1 MiB, all there",
    make: () => plain(assemble(withPayload({ v: new Uint8Array(MIB + 1) })).bytes),
    rejection: [17, "FormatLimitExceeded", "manifest"],
    cites: ["slm2-4 cbor byte-string length"],
  },
  {
    name: "depth-200000",
    reason: "a manifest of 200,000 bytes 81: a verdict, never a full stack",
    make: () => plain(withManifest(chat().artifact.bytes, new Uint8Array(200000).fill(0x81))),
    rejection: [17, "FormatLimitExceeded", "manifest"],
    cites: ["slm2-5 depth over its limit"],
  },
  {
    name: "sparse-200-gib",
    reason: "200 GiB, rejected for its architecture before a byte of its payload is read",
    make: () => sparse([100, 2 * GIB], "x/1"),
    rejection: [25, "UnsupportedArchitecture", "manifest"],
    cites: ["slm2-8 Structural stages (1-25)"],
  },
  {
    name: "sparse-gap",
    reason: "a byte of no object behind 5 GiB: an offset of 32 bits looks elsewhere",
    make: () => sparse([5, GIB - 1], PACK, 1),
    rejection: [24, "NonZeroPadding", "payload"],
    cites: ["slm2-7.6 Payload bytes that belong to no object"],
  },
];

const DATA: { readonly [path: string]: BigData } = known;

/** What `big_data.json` says of a file; nothing before it was first built. */
export const dataKnown = (path: string): BigData =>
  DATA[path] ?? { sha256: "0".repeat(64), size: 0 };

const artifact = (name: string): BigArtifact => {
  const path = `big/${name}`;
  const { sha256, size } = dataKnown(path);
  return { path, sha256, size, recipe: name };
};

/** A whole piece of zeros, as data of piece requests. */
export const WHOLE_PIECE = "zeros-4-mib.bin";
const whole = () => artifact(WHOLE_PIECE);

const files: Recipe = {
  name: "big",
  reason: "files at the limits of size",
  spec: "slm2.md 4",
  cites: [],
  cases: () =>
    BIG.map(({ name, reason, rejection, cites }): Case => ({
      id: `big/${name}`,
      reason,
      tags: [],
      cites,
      op: "read",
      artifact: artifact(`${name}.slm`),
      expected: rejection
        ? rejected(rejection)
        : { verdict: "accept", identities: DATA[`big/${name}.slm`]?.identities },
    })),
};

const pieces: Recipe = {
  name: "piece/whole",
  reason: "pieces of just 4 MiB",
  spec: "classes.md 7",
  cites: ["classes-7 `piece_hash_i", "classes-7 the tree splits"],
  cases: () => {
    const sets = [4 * MIB, 4 * MIB + 1, 8 * MIB + 100, 28 * MIB + 100];
    const one = (
      local: string,
      reason: string,
      bytes: number,
      index: number,
      proof?: readonly string[],
      rejection?: Rejection,
    ): Case => ({
      id: `piece/whole/${local}`,
      reason,
      tags: [],
      op: "piece",
      artifact: setOf(bytes).one.artifact,
      ask: { index, data: whole(), proof },
      expected: rejection ? rejected(rejection) : { verdict: "accept" },
    });
    const path = (bytes: number, index: number) =>
      setOf(bytes).set.proof(index).map((node) => node.toHex());
    return [
      ...sets.map((bytes) =>
        one(`first-of-${bytes}`, "the first piece with its proof", bytes, 0, path(bytes, 0))
      ),
      one(
        "leaf-5-of-8",
        "leaf 5 of eight with its proof",
        28 * MIB + 100,
        5,
        path(28 * MIB + 100, 5),
      ),
      one(
        "leaf-5-of-7",
        "leaf 5 of seven with the path that it has among eight",
        24 * MIB + 100,
        5,
        path(28 * MIB + 100, 5),
        [27, "PieceRoot", "none"],
      ),
      one(
        "leaf-5-as-4",
        "the same zeros as leaf 4: the index is hashed",
        28 * MIB + 100,
        4,
        path(28 * MIB + 100, 5),
        [27, "PieceRoot", "none"],
      ),
      one(
        "last-too-long",
        "a whole piece for the last, which is short",
        28 * MIB + 100,
        7,
        undefined,
        [27, "PieceLength", "none"],
      ),
    ];
  },
};

/** How each big file is made, by its path in `golden/`. */
export const MAKERS: ReadonlyMap<string, () => BigFile> = new Map([
  ...BIG.map(({ name, make }): [string, () => BigFile] => [`big/${name}.slm`, make]),
  [`big/${WHOLE_PIECE}`, () => ({ size: 4 * MIB, parts: [] })],
]);

export const big: readonly Recipe[] = [files, pieces];
