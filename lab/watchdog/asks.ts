/** Requests of any size: readings of the probes, and what else is asked, with one list that grows. */
import { pieceSet, signatureEnvelope } from "../../corpus/writer/build/evidence.ts";
import { tensorPack } from "../../corpus/writer/build/model.ts";
import type { Description, Reference } from "../../corpus/writer/description.ts";
import { isWriteError } from "../../corpus/writer/fault.ts";
import { write, type Written } from "../../corpus/writer/write.ts";
import { fromHex } from "../../corpus/writer/identity.ts";
import {
  auditPath,
  merkleRoot,
  PIECE_SIZE,
  pieceHasher,
  pieceLeaves,
} from "../../corpus/writer/pieces.ts";
import type { Ask } from "../testee/testee.ts";
import { requestLine } from "../testee/wire.ts";
import { added, adds, largest, probe, PROBES } from "./probes.ts";

/** A request that grows. */
export interface GrowingAsk {
  /** how large it is made at most */
  readonly most: number;
  readonly ask: (n: number) => Ask;
}

function written(description: Description): Written {
  const result = write(description);
  if (isWriteError(result)) throw new Error(`${result.code} at ${result.where}`);
  return result;
}

/** The smallest model, and one more for each number. */
const model = (i: number): Written =>
  written(tensorPack([{
    role: "w",
    name: `t${i}`,
    shape: [1],
    type: "u8",
    payload: Uint8Array.of(i),
  }]));

const hash = (i: number): string => i.toString(16).padStart(64, "0");

const signature = (n: number, lists: (key_id: string) => object): Ask => {
  const { body, ...rest } = signatureEnvelope({
    subject: model(0).identities,
    statement_type: "release/1",
    statement_hash: new Uint8Array(32),
    signed_at: 1,
    expires_at: 3,
    trust_epoch: 0,
    seed: new Uint8Array(32).fill(1),
  });
  const key = {
    key_id: body.key_id.toHex(),
    public_key: body.public_key.toHex(),
    roles: ["release/1"],
    valid_from: 0,
    valid_until: 9,
  };
  const others = Array.from({ length: n }, (_, i) => ({ ...key, key_id: hash(i) }));
  return {
    op: "signature",
    envelope: { bytes: written({ body, ...rest }).bytes },
    trust: { epoch: 0, keys: [...others, key], revoked: [], ...lists(key.key_id) },
    now: 2,
  };
};

/** An announcement of artifacts, all of which a resolver has, the first one last. */
function announced(n: number): Ask {
  const models = Array.from({ length: n }, (_, i) => model(i));
  const subjects = models.map(({ identities: { artifact_id, whole_file } }) => ({
    id: fromHex(artifact_id),
    piece_set: new Uint8Array(32),
    whole_file: fromHex(whole_file),
  }));
  const { bytes } = written({
    artifact_class: 13,
    body: {
      display_name: "",
      licenses: [],
      promotion: "candidate",
      receipts: [],
      sizes: { incremental: 0, logical: 0 },
      subjects,
    },
    dependencies: models.map(({ identities }, i) => ({
      role: "subject",
      artifact_class: identities.class,
      id: subjects[i].id,
      whole_file: subjects[i].whole_file,
    })),
  });
  const resolve = models.map(({ bytes }) => ({ bytes })).toReversed();
  return { op: "read", artifact: { bytes }, resolve, pieces: false };
}

/** The last piece of `n`, with its path, or with a path of `n` nodes. */
function piece(n: number, long: boolean): Ask {
  const subject: Reference = { class: 1, artifact_id: hash(1), whole_file: hash(2) };
  const size = (n - 1) * PIECE_SIZE + 1;
  const data = Uint8Array.of(0);
  const hasher = pieceHasher(size, n - 1, data.length);
  hasher.update(data);
  const hashes = Array.from({ length: n - 1 }, (_, i) => fromHex(hash(i)));
  hashes.push(hasher.finish());
  const leaves = pieceLeaves(size, hashes);
  const { description } = pieceSet(subject, data);
  const set = written({
    ...description,
    body: {
      ...description.body,
      piece_count: n,
      subject_bytes: size,
      root: merkleRoot(leaves),
    },
    blobs: description.blobs!.map((blob) => ({
      ...blob,
      payload: fromHex(hashes.map((one) => one.toHex()).join("")),
    })),
  });
  const proof = long ? hashes : auditPath(leaves, n - 1);
  return {
    op: "piece",
    set: { bytes: set.bytes },
    index: n - 1,
    data,
    proof: proof.map((one) => one.toHex()),
  };
}

/** By name: what grows. */
export const ASKS: { readonly [name: string]: GrowingAsk } = {
  ...Object.fromEntries(
    Object.keys(PROBES).map((name): [string, GrowingAsk] => [name, {
      most: largest(name),
      ask: (n) => ({ op: "read", artifact: { bytes: probe(name, n) }, pieces: false }),
    }]),
  ),
  "trusted keys": { most: 5000, ask: (n) => signature(n, () => ({})) },
  "revoked keys": {
    most: 5000,
    ask: (n) =>
      signature(1, (key_id) => ({
        revoked: Array.from({ length: n }, (_, i) => ({ key_id, from: 2 + i })),
      })),
  },
  "dependencies": { most: 120, ask: announced },
  "targets": {
    most: 500,
    ask(n) {
      const base = written(added(n));
      return {
        op: "read",
        artifact: { bytes: written(adds(base.identities, base.identities.tensor_layout, n)).bytes },
        resolve: [{ bytes: base.bytes }],
        pieces: false,
      };
    },
  },
  "pieces": { most: 2000, ask: (n) => piece(n, false) },
  "audit path": { most: 6000, ask: (n) => piece(n, true) },
};

/** The bytes of a request on the wire. */
export const sizeOf = (ask: Ask): number => JSON.stringify(requestLine(0, ask)).length;
