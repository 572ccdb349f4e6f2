import { assert, assertEquals, assertThrows } from "@std/assert";
import type { Source } from "../../readers/contract.ts";
import { memorySource } from "../../readers/source.ts";
import { concat, u16, u32, u64, utf8 } from "./bytes.ts";
import { composition } from "./build/composition.ts";
import { encode } from "./cbor.ts";
import type { Description, Target } from "./description.ts";
import { isWriteError } from "./fault.ts";
import * as id from "./identity.ts";
import { profileBody, profileId, REGISTERED } from "./profiles.ts";
import { assemble, write, writeTo } from "./write.ts";

/** Two tensors, one quantized with its scales outside; written down in no order. */
const EXAMPLE: Description = {
  artifact_class: 2,
  body: { dependents: true, architecture: { parameters: {}, id: "tensor-pack/1" } },
  extensions: [{ id: "x", version: 1, critical: false, payload: new Uint8Array([1]) }],
  tensors: [
    { role: "scale", name: "s", shape: [2], type: "f32", payload: new Uint8Array(8).fill(2) },
    {
      role: "matrix",
      name: "m",
      layer: 3,
      shape: [2, 5],
      type: "q8-row.exact",
      payload: new Uint8Array(10).fill(1),
      alignment: 128,
    },
  ],
  auxiliaries: [{ owner: "m", target: "s" }],
};

/** Puts parts at offsets into `size` zeros. */
function lay(size: number, parts: readonly [offset: number, bytes: Uint8Array][]): Uint8Array {
  const all = new Uint8Array(size);
  for (const [offset, bytes] of parts) all.set(bytes, offset);
  return all;
}

Deno.test("an example, every byte laid by hand from sections 2, 6 and 7", () => {
  const profile = REGISTERED.get("q8-row.exact")!;
  const body = profileBody(profile);
  const profile_id = profileId(profile.name, body);
  const manifest = encode({
    artifact_class: 2,
    body: EXAMPLE.body,
    dependencies: [],
    extensions: [{ critical: false, id: "x", payload: new Uint8Array([1]), version: 1 }],
    requirements: { features: [], memory_bytes: 0 },
    schema: "org.minimodel.slm/2.0",
  });
  const at = (x: number) => Math.ceil(x / 64) * 64; // the header ends at 224, so the manifest is at 256
  // m, matrix, q8-row.exact, s, scale
  const strings = concat(
    ...[5, 25, 0, 1, 7, 19, 20, 25].map(u32),
    utf8("m" + "matrix" + "q8-row.exact" + "s" + "scale"),
  );
  const M = 0, MATRIX = 1, PROFILE = 2, S = 3, SCALE = 4;
  const stringsAt = at(256 + manifest.length);
  const quantAt = at(stringsAt + strings.length);
  const tensorsAt = quantAt + 128;
  const auxiliaryAt = tensorsAt + 2 * 192;
  const payloadAt = at(auxiliaryAt + 32);
  const matrixAt = Math.ceil(payloadAt / 128) * 128;
  const scaleAt = at(matrixAt + 10);

  const matrixHash = id.slmHash(
    "tensor-payload",
    [3, u16(2)],
    [2, utf8("matrix")],
    [2, utf8("m")],
    [1, concat(Uint8Array.of(2), u64(2), u64(5))],
    [3, u16(256)],
    [4, profile_id],
    [3, u64(10)],
    [1, new Uint8Array(10).fill(1)],
  );
  const scaleHash = id.slmHash(
    "tensor-payload",
    [3, u16(2)],
    [2, utf8("scale")],
    [2, utf8("s")],
    [1, concat(Uint8Array.of(1), u64(2))],
    [3, u16(1)],
    [4, new Uint8Array(32)],
    [3, u64(2)],
    [1, new Uint8Array(8).fill(2)],
  );
  const auxiliary = lay(32, [[0, u32(0)], [4, u16(1)], [8, u32(1)], [16, u32(1)]]);
  const expected = lay(scaleAt + 8, [
    [0, Uint8Array.fromHex("534c4d320d0a1a0a")],
    [8, utf8("minimodel.slm2")],
    [24, u32(224)],
    [28, u16(2)],
    [32, Uint8Array.of(4, 3, 2, 1)],
    [36, u16(2)],
    [40, u64(scaleAt + 8)],
    [48, concat(u64(256), u64(manifest.length))],
    [64, concat(u64(stringsAt), u64(strings.length))],
    [80, concat(u64(quantAt), u32(1), u32(128))],
    [96, concat(u64(tensorsAt), u32(2), u32(192))],
    [128, concat(u64(auxiliaryAt), u32(1), u32(32))],
    [144, concat(u64(payloadAt), u64(scaleAt + 8 - payloadAt))],
    [256, manifest],
    [stringsAt, strings],
    [quantAt, concat(profile_id, u32(PROFILE), body)],
    [
      tensorsAt,
      lay(192, [
        [0, concat(u16(1), Uint8Array.of(2, 0), u16(256), u16(0), u32(MATRIX), u32(M))],
        [16, concat(u32(3), u32(0xffffffff), u32(0xffffffff))],
        [32, concat(u64(2), u64(5))],
        [96, concat(u64(10), u64(10), u64(matrixAt - payloadAt), u64(10), u32(128))],
        [132, concat(u32(1), u32(1), u16(1), u16(0), u16(1), u16(1), u16(2), u16(0))],
        [152, concat(u32(0), u32(1), matrixHash)],
      ]),
    ],
    [
      tensorsAt + 192,
      lay(192, [
        [0, concat(u16(1), Uint8Array.of(1, 0), u16(1), u16(0xffff), u32(SCALE), u32(S))],
        [16, new Uint8Array(12).fill(0xff)],
        [32, u64(2)],
        [96, concat(u64(2), u64(8), u64(scaleAt - payloadAt), u64(8), u32(64))],
        [160, scaleHash],
      ]),
    ],
    [auxiliaryAt, auxiliary],
    [matrixAt, new Uint8Array(10).fill(1)],
    [scaleAt, new Uint8Array(8).fill(2)],
  ]);
  const written = write(EXAMPLE);
  assert(!isWriteError(written));
  assertEquals(written.bytes.toHex(), expected.toHex());

  const semantic = id.semanticManifestId(2, {
    artifact_class: 2,
    body: EXAMPLE.body,
    dependencies: [],
    extensions: [],
    requirements: { features: [], memory_bytes: 0 },
    schema: "org.minimodel.slm/2.0",
  });
  const layout = id.tensorLayout(
    id.slmHash("architecture", [6, encode({ id: "tensor-pack/1", parameters: {} })]),
    [
      {
        role: "matrix",
        name: "m",
        layer: 3,
        subindex_0: -1,
        subindex_1: -1,
        shape: [2, 5],
        element_type: 256,
        profile_id,
        elements: 10,
      },
      {
        role: "scale",
        name: "s",
        layer: -1,
        subindex_0: -1,
        subindex_1: -1,
        shape: [2],
        element_type: 1,
        profile_id: null,
        elements: 2,
      },
    ],
    auxiliary,
  );
  const piece = id.slmHash(
    "piece",
    [3, u64(expected.length)],
    [3, u32(4194304)],
    [3, u64(0)],
    [3, u32(expected.length)],
    [1, expected],
  );
  assertEquals(written.identities, {
    class: 2,
    whole_file: id.slmHash("whole-file", [1, expected]).toHex(),
    piece_count: 1,
    piece_root: id.slmHash("piece-leaf", [3, u64(0)], [3, u32(expected.length)], [4, piece])
      .toHex(),
    manifest: id.slmHash("manifest", [3, u16(2)], [1, manifest]).toHex(),
    semantic_manifest: semantic.toHex(),
    tensor_layout: layout.toHex(),
    artifact_id: id.slmHash(
      "model",
      [3, u16(2)],
      [4, semantic],
      [4, layout],
      [5, concat(u64(2), matrixHash, scaleHash)],
      [5, u64(0)],
    ).toHex(),
    profiles: [profile_id.toHex()],
    tensors: [matrixHash.toHex(), scaleHash.toHex()],
    blobs: [],
  });
});

Deno.test("a composition's identity, by hand", () => {
  const digest = (byte: number) => new Uint8Array(32).fill(byte);
  const hex = (byte: number) => digest(byte).toHex();
  const description = composition({
    base: { class: 2, artifact_id: hex(1), whole_file: hex(2) },
    tokenizer: { class: 4, artifact_id: hex(3), whole_file: hex(4) },
    adapters: [{ class: 3, artifact_id: hex(5), whole_file: hex(6) }],
    generation: { stop_tokens: [300, 2] },
    kv: { max_positions: 8 },
  });
  const written = write(description);
  assert(!isWriteError(written));
  const { route, kv } = description.body;
  const generation = { ...description.body.generation, stop_tokens: [2, 300] };
  const policy = (domain: string, bytes: Uint8Array) => id.slmHash(domain, [6, bytes]);
  assertEquals(
    written.identities.artifact_id,
    id.slmHash(
      "composition",
      [4, digest(1)],
      [4, digest(2)],
      [4, digest(3)],
      [4, new Uint8Array(0)],
      [5, concat(u64(1), digest(5))],
      [4, policy("route-policy", encode(route))],
      [4, policy("runtime-requirements", encode({ features: [], memory_bytes: 0 }))],
      [4, policy("generation-policy", encode(generation))],
      [4, id.slmHash("kv-compatibility", [4, digest(1)], [4, digest(3)], [6, encode(kv)])],
    ).toHex(),
  );
});

/** A target in memory that starts out dirty, as a reused buffer would. */
function dirtyTarget(size: number): { target: Target; bytes: Uint8Array } {
  const bytes = new Uint8Array(size).fill(0xaa);
  const target: Target = {
    write: (offset, part) => bytes.set(part, offset),
    read: (offset, into) => memorySource(bytes).read(offset, into),
  };
  return { target, bytes };
}

Deno.test("payload sources are read once, in windows, and give the same file", () => {
  const content = new Uint8Array((1 << 20) * 2 + 12).map((_, i) => i * 7);
  const tensor = (payload: Uint8Array | Source): Description => ({
    ...EXAMPLE,
    auxiliaries: [],
    tensors: [{ role: "w", name: "w", shape: [content.length], type: "u8", payload }],
  });
  const whole = write(tensor(content));
  assert(!isWriteError(whole));
  let read = 0, largest = 0;
  const source: Source = {
    size: () => content.length,
    read(offset, into) {
      read += into.length;
      largest = Math.max(largest, into.length);
      return memorySource(content).read(offset, into);
    },
  };
  const { target, bytes } = dirtyTarget(whole.bytes.length);
  const result = writeTo(target, tensor(source));
  assertEquals(result, { file_size: whole.bytes.length, identities: whole.identities });
  assertEquals(bytes, whole.bytes);
  assertEquals([read, largest], [content.length, 1 << 20]);

  const { piece_count: _count, piece_root: _root, ...others } = whole.identities;
  const without = writeTo(dirtyTarget(bytes.length).target, tensor(source), { pieces: false });
  assertEquals(without, { file_size: bytes.length, identities: others });
});

Deno.test("a source that is shorter than it said is a fault, not a file", () => {
  const short: Source = { size: () => 8, read: () => 7 };
  const description: Description = {
    ...EXAMPLE,
    auxiliaries: [],
    tensors: [{ role: "w", name: "w", shape: [2], type: "f32", payload: short }],
  };
  assertEquals(write(description), {
    code: "PayloadShort",
    where: "tensor w",
    expected: "8 bytes, as its source said",
  });
  assertThrows(() => assemble(description), RangeError);
});

Deno.test("assemble writes faulty descriptions, with all else derived", () => {
  const faulty: Description = {
    artifact_class: 99,
    body: { anything: null },
    profiles: [{ name: "Unregistered", fields: REGISTERED.get("q8-0.b32.row")!.fields }],
    tensors: [
      {
        role: "A//B",
        name: "..",
        layer: -7,
        shape: [65536, 65536, 65536, 65536],
        type: "f32",
        payload: new Uint8Array(0),
      },
      {
        role: "A//B",
        name: "..",
        shape: Array(9).fill(1),
        type: "nothing",
        payload: new Uint8Array(1),
      },
    ],
    blobs: [{ kind: 7, name: "..", media_type: "", payload: new Uint8Array(0) }],
    auxiliaries: [{ owner: "..", target: "nobody", kind: 9 }],
  };
  const { bytes } = assemble(faulty);
  assertEquals(Number(bytes[36]), 99);
  assert(isWriteError(write(faulty)));
});
