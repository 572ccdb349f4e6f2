import { assertEquals } from "@std/assert";
import { ed25519 } from "@noble/curves/ed25519.js";
import type { PieceRequest, SignatureRequest, Trust } from "../contract.ts";
import { hex } from "./fields.ts";
import { table } from "./reader.ts";
import {
  type Cbor,
  digest,
  fill32,
  ident,
  memory,
  raw,
  short,
  slmHash,
  u16,
  u64,
} from "./testing.ts";
import { build } from "./testing_build.ts";
import { pack } from "./testing_models.ts";
import { announcement, envelope, pieceSet, piecesOf } from "./testing_samples.ts";

const PIECE = 4_194_304;

Deno.test("stage 27: expectations", () => {
  const source = memory(build(pack()));
  const { verdict } = table.read({ source });
  if (verdict.verdict !== "accept") throw new Error(short(verdict));
  const { whole_file, artifact_id } = verdict.identities;
  const expect = (expect: { whole_file?: string; artifact_id?: string }) =>
    short(table.read({ source, expect }).verdict);
  assertEquals(expect({ whole_file, artifact_id }), "accept");
  assertEquals(expect({}), "accept");
  assertEquals(expect({ whole_file: artifact_id }), "27 WholeFileHashMismatch [file]");
  assertEquals(expect({ artifact_id: whole_file }), "27 IdentityMismatch [file]");
  assertEquals(
    expect({ whole_file: artifact_id, artifact_id: whole_file }),
    "27 WholeFileHashMismatch [file]",
  );
});

Deno.test("stage 27: pieces against their set", () => {
  // 8 pieces, the last one short
  const subject = new Uint8Array(7 * PIECE + 5);
  for (let i = 0; i < subject.length; i += 4096) subject[i] = i / 4096 % 251;
  const { hashes } = piecesOf(subject);
  const leaves = hashes.map((hash, i) =>
    slmHash(
      "piece-leaf",
      u64(i),
      [3, new Uint8Array(new Uint32Array([lengthOf(i)]).buffer)],
      digest(hash),
    )
  );
  function lengthOf(i: number): number {
    return Math.min(PIECE, subject.length - i * PIECE);
  }
  function root(nodes: Uint8Array[]): Uint8Array {
    if (nodes.length === 1) return nodes[0];
    const half = nodes.length / 2;
    return slmHash(
      "piece-node",
      digest(root(nodes.slice(0, half))),
      digest(root(nodes.slice(half))),
    );
  }
  const path = (index: number) => {
    const pairs = [index ^ 1, index >> 1 ^ 1, index >> 2 ^ 1];
    return pairs.map((n, level) => root(leaves.slice(n << level, (n + 1) << level)));
  };
  const set = memory(build(pieceSet(subject)));
  const data = (i: number) => subject.subarray(i * PIECE, (i + 1) * PIECE);
  const ask = (index: number, request: Partial<PieceRequest> = {}) =>
    short(table.piece({ set, index, data: data(index), ...request }));

  for (let i = 0; i < 8; i++) assertEquals(ask(i, { proof: path(i) }), "accept");
  assertEquals(ask(5), "accept");
  assertEquals(ask(8), "27 PieceIndex [none]");
  assertEquals(ask(8, { data: data(5), proof: path(5) }), "27 PieceIndex [none]");
  assertEquals(ask(-1), "27 PieceIndex [none]");
  assertEquals(ask(7, { data: data(6) }), "27 PieceLength [none]");
  assertEquals(ask(6, { data: data(6).subarray(1) }), "27 PieceLength [none]");
  assertEquals(ask(6, { data: data(5) }), "27 PieceHash [none]");
  const wrong = "27 PieceRoot [none]";
  assertEquals(ask(5, { proof: path(4) }), wrong);
  assertEquals(ask(5, { proof: [...path(5), fill32(0)] }), wrong);
  assertEquals(ask(5, { proof: path(5).slice(1) }), wrong);
  assertEquals(ask(5, { proof: path(5).slice(0, 2) }), wrong);
  assertEquals(ask(5, { proof: [] }), wrong);
  assertEquals(ask(5, { proof: path(5).map((node) => node.subarray(1)) }), wrong);

  const asked = { artifact_id: hex(fill32(9)), whole_file: hex(fill32(10)), bytes: subject.length };
  assertEquals(ask(5, { subject: asked }), "accept");
  assertEquals(ask(5, { subject: {} }), "accept");
  const stranger = "27 PieceSubject [none]";
  assertEquals(ask(9, { subject: { ...asked, bytes: 1 } }), stranger);
  assertEquals(ask(5, { subject: { artifact_id: asked.whole_file } }), stranger);
  assertEquals(ask(5, { subject: { whole_file: asked.artifact_id } }), stranger);

  const one = memory(build(pieceSet(new Uint8Array(3))));
  const single = { set: one, index: 0, data: new Uint8Array(3) };
  assertEquals(short(table.piece({ ...single, proof: [] })), "accept");
  assertEquals(short(table.piece({ ...single, proof: [fill32(0)] })), wrong);
  assertEquals(short(table.piece({ ...single, set: memory(build(pack())) })), "skip");
  assertEquals(
    short(table.piece({ ...single, set: memory(new Uint8Array(3)) })),
    "3 TruncatedHeader [header]",
  );
});

Deno.test("stage 28: envelopes, check by check", () => {
  const secret = fill32(5);
  const public_key = ed25519.getPublicKey(secret);
  const key_id = slmHash("key", ident("ed25519"), raw(public_key));
  /** An envelope whose fields are signed after `set`, and changed by `after`. */
  function sealed(set: { [key: string]: Cbor } = {}, after: { [key: string]: Cbor } = {}) {
    const body = envelope({ key_id, public_key, ...set }).body as {
      statement_type: string;
      subject_class: number;
      subject_id: Uint8Array;
      subject_whole_file: Uint8Array;
      statement_hash: Uint8Array;
      signed_at: number | bigint;
      expires_at: number | bigint;
      trust_epoch: number | bigint;
    };
    const statement = slmHash(
      "signature-statement",
      ident(body.statement_type),
      u16(body.subject_class),
      digest(body.subject_id),
      digest(body.subject_whole_file),
      digest(body.statement_hash),
      u64(body.signed_at),
      u64(body.expires_at),
      u64(body.trust_epoch),
    );
    const signature = ed25519.sign(statement, secret);
    return memory(build(envelope({ key_id, public_key, signature, ...set, ...after })));
  }
  const key = {
    key_id: hex(key_id),
    public_key: hex(public_key),
    roles: ["other", "release/1"],
    valid_from: 100,
    valid_until: 101,
  };
  const trust: Trust = { epoch: 1, keys: [key], revoked: [] };
  const ask = (request: Partial<SignatureRequest> = {}) =>
    short(table.signature({ envelope: sealed(), trust, now: 150, ...request }));
  const withKey = (set: Partial<typeof key>) =>
    ask({ trust: { ...trust, keys: [{ ...key, ...set }] } });

  assertEquals(ask(), "accept");
  assertEquals(ask({ envelope: memory(build(announcement())) }), "skip");
  assertEquals(ask({ envelope: memory(new Uint8Array(9)) }), "3 TruncatedHeader [header]");
  assertEquals(ask({ envelope: sealed({ key_id: fill32(1) }) }), "28 SignatureKeyId [none]");

  const subject = { class: 13, artifact_id: hex(fill32(9)), whole_file: hex(fill32(10)) };
  assertEquals(ask({ subject }), "accept");
  assertEquals(ask({ subject: {} }), "accept");
  const stranger = "28 SignatureSubject [none]";
  assertEquals(ask({ subject: { class: 12 }, statement: hex(fill32(4)) }), stranger);
  assertEquals(ask({ subject: { artifact_id: subject.whole_file } }), stranger);
  assertEquals(ask({ subject: { whole_file: subject.artifact_id } }), stranger);
  assertEquals(ask({ statement: hex(fill32(3)) }), "accept");
  assertEquals(ask({ statement: hex(fill32(4)) }), "28 SignatureStatement [none]");

  const invalid = "28 SignatureInvalid [none]";
  assertEquals(ask({ envelope: sealed({}, { signed_at: 99 }) }), invalid);
  assertEquals(ask({ envelope: sealed({}, { trust_epoch: 2 }), now: 0 }), invalid);
  assertEquals(ask({ envelope: sealed({}, { signature: new Uint8Array(64) }) }), invalid);

  const unknown = "28 KeyUnknown [none]";
  assertEquals(ask({ trust: { ...trust, keys: [] } }), unknown);
  assertEquals(withKey({ key_id: hex(fill32(1)) }), unknown);
  assertEquals(withKey({ public_key: hex(fill32(1)) }), unknown);
  assertEquals(withKey({ roles: ["release"] }), unknown);
  assertEquals(withKey({ valid_from: 101, valid_until: 200 }), unknown);
  assertEquals(withKey({ valid_until: 100 }), unknown);
  assertEquals(ask({ trust: { ...trust, keys: [{ ...key, roles: [] }, key] } }), "accept");

  const revoked = (from: number, now = 150) =>
    ask({ trust: { ...trust, revoked: [{ key_id: key.key_id, from }] }, now });
  assertEquals(revoked(100, 300), "28 KeyRevoked [none]");
  assertEquals(revoked(101), "accept");
  assertEquals(
    ask({ trust: { ...trust, keys: [], revoked: [{ key_id: key.key_id, from: 0 }] } }),
    unknown,
  );

  assertEquals(ask({ now: 99 }), "28 SignatureExpired [none]");
  assertEquals(ask({ now: 100 }), "accept");
  assertEquals(ask({ now: 199 }), "accept");
  assertEquals(ask({ now: 200, trust: { ...trust, epoch: 0 } }), "28 SignatureExpired [none]");
  assertEquals(ask({ trust: { ...trust, epoch: 0 } }), "28 TrustEpoch [none]");
  assertEquals(ask({ trust: { ...trust, epoch: 2 } }), "accept");
  const far = sealed({ expires_at: 2n ** 64n - 1n });
  assertEquals(ask({ envelope: far, now: Number.MAX_SAFE_INTEGER }), "accept");
});
