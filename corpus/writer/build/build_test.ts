/** The builders: what a body derives from parts, and that the parts agree. */
import { assert, assertEquals } from "@std/assert";
import { ed25519 } from "@noble/curves/ed25519.js";
import { createPublicKey, verify } from "node:crypto";
import type { Reference } from "../description.ts";
import { isWriteError } from "../fault.ts";
import { keyId, slmHash, statementDigest, tokenPrefixId } from "../identity.ts";
import { PIECE_SIZE, pieceNode } from "../pieces.ts";
import { profileBody, profileId, REGISTERED } from "../profiles.ts";
import { write } from "../write.ts";
import { adapter } from "./adapter.ts";
import { composition, kvCache } from "./composition.ts";
import { pieceSet, signatureEnvelope } from "./evidence.ts";
import { llamaSlots, slotName } from "./model.ts";
import { retrievalIndex } from "./retrieval.ts";
import { template } from "./template.ts";
import { ADDED, tokenizer } from "./tokenizer.ts";

const reference = (artifact_class: number, byte: number): Reference => ({
  class: artifact_class,
  artifact_id: new Uint8Array(32).fill(byte).toHex(),
  whole_file: new Uint8Array(32).fill(byte + 1).toHex(),
});
const bytes = (...list: number[]) => Uint8Array.from(list);

Deno.test("tokenizer blobs, byte by byte", () => {
  const { body, blobs } = tokenizer({
    vocabulary: ["a", "b", "ab", bytes(0xff)],
    merges: [[0, 1, 2]],
    scores: [0, -0, 1.5, -1],
    normalizer: [["b", ""], ["a", "\u00e9"]],
    added_tokens: [{ id: 3, flags: ADDED.special }, { id: 0, flags: 0 }],
  }, { kind: "table/1" });
  assertEquals(body.vocab_size, 4);
  assertEquals(body.byte_fallback, false);
  const content = Object.fromEntries(
    blobs!.map(({ name, payload }) => [name, (payload as Uint8Array).toHex()]),
  );
  assertEquals(content, {
    vocabulary: "04000000" + "00000000" + "01000000" + "02000000" + "04000000" + "05000000" +
      "6162" + "6162" + "ff",
    merges: "01000000" + "00000000" + "01000000" + "02000000",
    scores: "04000000" + "00000000" + "00000080" + "0000c03f" + "000080bf",
    normalizer: "02000000" + "010061" + "0200c3a9" + "010062" + "0000",
    "added-tokens": "02000000" + "0000000000" + "0300000001",
  });
  assertEquals(blobs!.map(({ kind }) => kind), [1, 2, 3, 4, 6]);
});

Deno.test("a template's literals are blobs in the order of first use, each once", () => {
  const { body, blobs, dependencies } = template(reference(4, 1), [
    "<<",
    { for_each_message: [{ do: "role" }, ">>", { if_present: "name", then: ["<<"] }] },
    { do: "generation_marker" },
  ], { fields: ["name"], roles: ["user"], generation_marker: 7 });
  assertEquals(body.program, [[1, 0], [7, [[2], [1, 1], [6, "name", [[1, 0]]]]], [8]]);
  assertEquals(blobs!.map(({ name, payload }) => [name, payload]), [
    ["literal-0000", bytes(0x3c, 0x3c)],
    ["literal-0001", bytes(0x3e, 0x3e)],
  ]);
  assertEquals(dependencies!.map(({ role, artifact_class }) => [role, artifact_class]), [
    ["tokenizer", 4],
  ]);
});

Deno.test("a composition depends on its parts, in the order of the schema", () => {
  const { dependencies, body } = composition({
    base: reference(2, 10),
    tokenizer: reference(4, 20),
    chat_template: reference(5, 30),
    adapters: [reference(3, 50), reference(3, 40)],
    kv: { max_positions: 16 },
  });
  assertEquals(
    dependencies!.map(({ role, artifact_class, id, whole_file }) => [
      role,
      artifact_class,
      id[0],
      whole_file![0],
    ]),
    [
      ["base", 2, 10, 11],
      ["tokenizer", 4, 20, 21],
      ["chat-template", 5, 30, 31],
      ["adapter", 3, 50, 51],
      ["adapter", 3, 40, 41],
    ],
  );
  assertEquals(body.adapters.map(([first]) => first), [50, 40]);
});

Deno.test("an adapter says of its targets what they are", () => {
  const base = { ...reference(2, 1), tensor_layout: "03".repeat(32) };
  const own = (name: string, shape: number[]) => ({
    role: "delta",
    name,
    shape,
    type: "f32",
    payload: new Uint8Array(4 * shape[0] * (shape[1] ?? 1)),
  });
  const { body } = adapter(base, [
    {
      op: "lora/1",
      target: { role: "w", name: "w", layer: 2, shape: [3, 64], type: "q8-0.b32.row" },
      tensors: { a: own("a", [2, 64]), b: own("b", [3, 2]) },
      scale: [1, 4],
    },
    {
      op: "multiplicative-vector/1",
      target: { role: "n", name: "n", shape: [3], type: "f16" },
      tensors: { v: own("v", [3]) },
    },
  ]);
  const profile = REGISTERED.get("q8-0.b32.row")!;
  const [lora, vector] = body.operations;
  assertEquals(
    [lora.rank, lora.axis, lora.order, lora.element_type, lora.kernel_contract, lora.shape],
    [2, -1, 0, 256, 1, [3, 64]],
  );
  assertEquals(lora.profile, profileId(profile.name, profileBody(profile)));
  assertEquals(lora.target, { layer: 2, name: "w", role: "w", subindex_0: -1, subindex_1: -1 });
  assertEquals(Object.keys(lora.tensors), ["a", "b"]);
  assertEquals(
    [vector.rank, vector.axis, vector.order, vector.element_type, vector.kernel_contract],
    [0, 0, 1, 2, 0],
  );
  assertEquals(vector.profile, new Uint8Array(32));
});

Deno.test("a piece set of three pieces, and each piece's proof", () => {
  const file = new Uint8Array(2 * PIECE_SIZE + 1).map((_, i) => i * 13);
  const { description, proof } = pieceSet(reference(1, 1), file);
  const { piece_count, root, subject_bytes } = description.body;
  assertEquals([piece_count, subject_bytes], [3, file.length]);
  const hashes = description.blobs![0].payload as Uint8Array;
  const leaf = (i: number) => {
    const part = file.subarray(i * PIECE_SIZE, (i + 1) * PIECE_SIZE);
    const length = new DataView(new ArrayBuffer(4));
    length.setUint32(0, part.length, true);
    const size = new DataView(new ArrayBuffer(8));
    size.setUint32(0, file.length, true);
    const hash = slmHash(
      "piece",
      [3, new Uint8Array(size.buffer)],
      [3, bytes(0, 0, 64, 0)],
      [3, bytes(i, 0, 0, 0, 0, 0, 0, 0)],
      [3, new Uint8Array(length.buffer)],
      [1, part],
    );
    assertEquals(hashes.subarray(32 * i, 32 * i + 32), hash);
    return slmHash("piece-leaf", [3, bytes(i, 0, 0, 0, 0, 0, 0, 0)], [
      3,
      new Uint8Array(length.buffer),
    ], [4, hash]);
  };
  assertEquals(proof(2), [pieceNode(leaf(0), leaf(1))]);
  assertEquals(proof(0), [leaf(1), leaf(2)]);
  assertEquals(pieceNode(pieceNode(leaf(0), leaf(1)), leaf(2)), root);
  assertEquals(pieceSet(reference(1, 1), bytes(1)).proof(0), []);
  assert(!isWriteError(write(description)));
});

Deno.test("an envelope's signature verifies, here and by the platform", () => {
  const seed = new Uint8Array(32).fill(9);
  const { body } = signatureEnvelope({
    subject: reference(6, 1),
    statement_type: "promotion",
    statement_hash: new Uint8Array(32).fill(3),
    signed_at: 100,
    expires_at: 2n ** 64n - 1n,
    trust_epoch: 4,
    seed,
  });
  assertEquals(body.key_id, keyId(ed25519.getPublicKey(seed)));
  assertEquals([body.subject_class, body.subject_id[0], body.subject_whole_file[0]], [6, 1, 2]);
  const digest = statementDigest(body);
  assert(ed25519.verify(body.signature, digest, body.public_key));
  const key = createPublicKey({
    key: { kty: "OKP", crv: "Ed25519", x: body.public_key.toBase64({ alphabet: "base64url" }) },
    format: "jwk",
  });
  assert(verify(null, digest, key, body.signature));
});

Deno.test("a KV cache and a retrieval index derive counts, shapes and hashes", () => {
  const layer = { key: new Uint8Array(24), value: new Uint8Array(24) };
  const cache = kvCache({
    composition: reference(6, 1),
    abi: "test/1",
    element: "f32",
    kv_heads: 1,
    head_dim: 2,
    prefix: [1, 5, 6],
    layers: [layer, layer],
  });
  assertEquals(cache.body.positions, 3);
  assertEquals(cache.body.prefix_tokens, tokenPrefixId([1, 5, 6]));
  assertEquals(cache.tensors!.map(({ role, layer, shape }) => [role, layer, shape]), [
    ["kv-key", 0, [1, 3, 2]],
    ["kv-value", 0, [1, 3, 2]],
    ["kv-key", 1, [1, 3, 2]],
    ["kv-value", 1, [1, 3, 2]],
  ]);
  const index = retrievalIndex({
    embedding: reference(6, 1),
    tokenizer: reference(4, 1),
    chunking: "whole",
    corpus_revision: new Uint8Array(32),
    metric: "dot",
    documents: ["", "\u00e9"],
    dim: 3,
    type: "q8-row.exact",
    vectors: new Uint8Array(6),
    scales: new Uint8Array(8),
  });
  assertEquals([index.body.count, index.body.dim], [2, 3]);
  assertEquals(
    (index.blobs![0].payload as Uint8Array).toHex(),
    "02000000" + "00000000" + "00000000" + "02000000" + "c3a9",
  );
  for (const description of [cache, index]) assert(!isWriteError(write(description)));
});

Deno.test("llama/1 asks for nine tensors a layer and two or three more", () => {
  const parameters = {
    dim: 6,
    head_dim: 4,
    heads: 2,
    hidden_dim: 5,
    kv_heads: 1,
    layers: 2,
    max_seq: 8,
    norm_eps: [1, 100000] as const,
    rope_style: 0,
    rope_theta: [10000, 1] as const,
    vocab: 7,
  };
  const tied = llamaSlots({ ...parameters, tied_output: true });
  const separate = llamaSlots({ ...parameters, tied_output: false });
  assertEquals([tied.length, separate.length], [20, 21]);
  const shapes = Object.fromEntries(separate.map((slot) => [slotName(slot), slot.shape]));
  assertEquals(shapes["attention-q.1"], [8, 6]);
  assertEquals(shapes["attention-k.0"], [4, 6]);
  assertEquals(shapes["attention-output.0"], [6, 8]);
  assertEquals(shapes["ffn-down.1"], [6, 5]);
  assertEquals(shapes["output"], [7, 6]);
});
