import { assert, assertEquals } from "@std/assert";
import type { Identities, Reading, ReadRequest } from "../contract.ts";
import { hex } from "./fields.ts";
import { table } from "./reader.ts";
import {
  type Cbor,
  cbor,
  type CborMap,
  concat,
  digest,
  digests,
  encode,
  fill32,
  le,
  memory,
  raw,
  slmHash,
  u16,
  utf8,
  words,
} from "./testing.ts";
import { build, type Draft, manifestOf } from "./testing_build.ts";
import { floats, llama, pack } from "./testing_models.ts";
import { composition, piecesOf, receipt, SAMPLES } from "./testing_samples.ts";

function read(bytes: Uint8Array, request: Omit<ReadRequest, "source"> = {}): Reading {
  return table.read({ ...request, source: memory(bytes) });
}
function identities(bytes: Uint8Array, request: Omit<ReadRequest, "source"> = {}): Identities {
  const { verdict } = read(bytes, request);
  if (verdict.verdict !== "accept") throw new Error(JSON.stringify(verdict));
  return verdict.identities;
}

const DOMAINS: Record<number, string> = {
  1: "model",
  2: "model",
  3: "adapter",
  4: "tokenizer",
  5: "chat-template",
  7: "kv-cache",
  8: "retrieval-index",
  9: "piece-set",
  10: "signature-envelope",
  11: "license-provenance",
  12: "evaluation-receipt",
  13: "catalog-announcement",
};

/** Identities by the formulas of section 9, from the draft. */
function expectedOf(draft: Draft, bytes: Uint8Array): Identities {
  const { artifactClass, tensors = [], quants = [], blobs = [], aux = [] } = draft;
  const body = draft.body as CborMap;
  const field = (offset: number, size: number) => bytes.slice(offset, offset + size);
  const place = (offset: number) => Number(new DataView(bytes.buffer).getBigUint64(offset, true));
  const rows = (table: number, count: number, size: number, offset: number) =>
    Array.from({ length: count }, (_, i) => field(place(table) + size * i + offset, 32));
  const profiles = rows(80, quants.length, 128, 0);
  const hashes = rows(96, tensors.length, 192, 160);
  const contents = rows(112, blobs.length, 96, 48);
  const architecture = body.architecture === undefined
    ? slmHash("architecture", [6, new Uint8Array(0)])
    : slmHash("architecture", cbor(body.architecture));
  const text = (s: string) => concat(le(s.length, 2), utf8(s));
  const sub = (t: { set?: object }, key: string) =>
    (t.set as Record<string, number> | undefined)?.[key] ?? -1;
  const layout = slmHash(
    "tensor-layout",
    digest(architecture),
    raw(concat(
      words(tensors.length),
      ...tensors.map((t) =>
        concat(
          text(t.role),
          le(t.layer ?? -1, 4),
          le(sub(t, "subindex_0"), 4),
          le(sub(t, "subindex_1"), 4),
          text(t.name),
        )
      ),
    )),
    raw(
      concat(
        ...tensors.map((t) =>
          concat(Uint8Array.of(t.shape.length), ...t.shape.map((d) => le(d, 8)))
        ),
      ),
    ),
    raw(
      concat(...tensors.map((t) =>
        concat(
          le(t.quant === undefined ? t.type ?? 1 : 256, 2),
          t.quant === undefined ? fill32(0) : profiles[t.quant],
        )
      )),
    ),
    raw(concat(words(aux.length), field(place(128), 32 * aux.length))),
  );
  const semantic = slmHash(
    "semantic-manifest",
    u16(artifactClass),
    cbor({ ...manifestOf(draft), extensions: [] }),
  );
  const id = artifactClass === 6 ? compositionId(body) : slmHash(
    DOMAINS[artifactClass],
    u16(artifactClass),
    digest(semantic),
    digest(layout),
    digests(hashes),
    digests(contents),
  );
  const { hashes: pieces, root } = piecesOf(bytes);
  return {
    class: artifactClass,
    whole_file: hex(slmHash("whole-file", raw(bytes))),
    manifest: hex(slmHash("manifest", u16(artifactClass), raw(encode(manifestOf(draft))))),
    semantic_manifest: hex(semantic),
    tensor_layout: hex(layout),
    artifact_id: hex(id),
    profiles: profiles.map(hex),
    tensors: hashes.map(hex),
    blobs: contents.map(hex),
    piece_count: pieces.length,
    piece_root: hex(root),
  };

  function compositionId(body: CborMap): Uint8Array {
    const base = body.base as { model_id: Uint8Array; whole_file: Uint8Array };
    const policy = (domain: string, value: Cbor) => digest(slmHash(domain, cbor(value)));
    const tokenizer = digest(body.tokenizer_id as Uint8Array);
    return slmHash(
      "composition",
      digest(base.model_id),
      digest(base.whole_file),
      tokenizer,
      digest(body.chat_template_id as Uint8Array | null),
      digests(body.adapters as Uint8Array[]),
      policy("route-policy", body.route),
      policy("runtime-requirements", manifestOf(draft).requirements),
      policy("generation-policy", body.generation),
      digest(slmHash("kv-compatibility", digest(base.model_id), tokenizer, cbor(body.kv))),
    );
  }
}

for (const draft of [...SAMPLES, llama(1), composition({ chat_template_id: null, adapters: [] })]) {
  Deno.test(`class ${draft.artifactClass} is accepted with the identities of section 9`, () => {
    const bytes = build(draft);
    assertEquals(identities(bytes), expectedOf(draft, bytes));
    const { piece_count: _, piece_root: __, ...rest } = identities(bytes);
    assertEquals(identities(bytes, { pieces: false }), rest);
  });
}

Deno.test("noncritical extensions change the manifest and the file, nothing else", () => {
  const extension = { critical: false, id: "a", payload: { n: [1] }, version: 3 };
  const plain = identities(build(receipt()));
  const draft = { ...receipt(), extensions: [extension, { ...extension, id: "b" }] };
  const bytes = build(draft);
  const extended = identities(bytes);
  assertEquals(extended, expectedOf(draft, bytes));
  assertEquals(extended.semantic_manifest, plain.semantic_manifest);
  assertEquals(extended.artifact_id, plain.artifact_id);
  assert(extended.manifest !== plain.manifest && extended.whole_file !== plain.whole_file);
});

Deno.test("a byte that moves across a border changes every identity", () => {
  const of = (role: string, name: string): Draft => ({
    ...pack(),
    quants: [],
    aux: [],
    tensors: [{ role, name, shape: [1], data: floats(1) }],
  });
  const [a, b] = [identities(build(of("ab", "c"))), identities(build(of("a", "bc")))];
  assert(a.tensors[0] !== b.tensors[0]);
  assert(a.tensor_layout !== b.tensor_layout);
  assert(a.artifact_id !== b.artifact_id);
  const absent = identities(build(composition({ chat_template_id: null })));
  const zeros = identities(build(composition({ chat_template_id: fill32(0) })));
  assert(absent.artifact_id !== zeros.artifact_id);
});
