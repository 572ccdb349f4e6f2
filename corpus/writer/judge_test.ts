import { assertEquals } from "@std/assert";
import { tensorPack } from "./build/model.ts";
import type { Description, TensorDescription } from "./description.ts";
import { isWriteError, type WriteCode } from "./fault.ts";
import { REGISTERED } from "./profiles.ts";
import { write } from "./write.ts";

const tensor = (more: Partial<TensorDescription> = {}): TensorDescription => ({
  role: "w",
  name: "w",
  shape: [2],
  type: "f32",
  payload: new Uint8Array(8),
  ...more,
});
const pack = (...tensors: Partial<TensorDescription>[]) => tensorPack(tensors.map(tensor));
const blob = { kind: 48, name: "b", media_type: "text/plain", payload: new Uint8Array(1) };
const notices = (...blobs: Partial<typeof blob & { alignment: number }>[]): Description => ({
  artifact_class: 11,
  body: {},
  blobs: blobs.map((more) => ({ ...blob, ...more })),
});
const bare = (more: Partial<Description>): Description => ({
  artifact_class: 13,
  body: {},
  ...more,
});
const deep = (levels: number): [] => levels === 0 ? [] : [deep(levels - 1)] as unknown as [];
const quantized = { type: "q8-0.b32.exact", shape: [33], payload: new Uint8Array(68) };
const rows = { type: "q8-row.exact", shape: [2, 3], payload: new Uint8Array(6) };
const scale = { role: "scale", name: "s" };
const extension = { id: "x", version: 1, critical: false, payload: new Uint8Array(0) };

/** Each code, with a description that has that fault alone, and where it is said to be. */
const CASES: [code: WriteCode, where: string, description: Description][] = [
  ["UnknownClass", "artifact_class", bare({ artifact_class: 14 })],
  ["UnknownClass", "artifact_class", bare({ artifact_class: 0 })],
  ["TableNotPermitted", "tensors", bare({ tensors: [tensor()] })],
  ["TableNotPermitted", "tensors", pack()],
  ["TableNotPermitted", "profiles", {
    ...pack({ type: "q8-0.b32.pad", payload: new Uint8Array(34) }),
    artifact_class: 7,
  }],
  ["TableNotPermitted", "blobs", { ...pack({}), blobs: [blob] }],
  ["BadText", "body.name", bare({ body: { name: "e\u0301" } })],
  ["BadText", "body.name", bare({ body: { name: "\ud800" } })],
  ["BadText", "body.list[1]", bare({ body: { list: ["", "\u088f"] } })],
  ["BadText", "body, a key", bare({ body: { "e\u0301": 1 } })],
  ["BadInteger", "body.n", bare({ body: { n: 0.5 } })],
  ["BadInteger", "body.n", bare({ body: { n: 2 ** 53 } })],
  ["BadInteger", "body.n", bare({ body: { n: 2n ** 64n } })],
  ["BadInteger", "body.n", bare({ body: { n: -(2n ** 63n) - 1n } })],
  ["BadInteger", "body.stop_tokens[0]", {
    ...bare({ body: { stop_tokens: [NaN] } }),
    artifact_class: 5,
  }],
  ["BadInteger", "extensions[0].version", bare({ extensions: [{ ...extension, version: 1.5 }] })],
  ["LimitExceeded", "body.list", bare({ body: { list: Array(16385).fill(0) } })],
  ["LimitExceeded", "body.text", bare({ body: { text: "a".repeat(65537) } })],
  ["LimitExceeded", "body.bytes", bare({ body: { bytes: new Uint8Array(1048577) } })],
  [
    "LimitExceeded",
    "manifest",
    bare({
      body: { list: Array(5).fill(new Uint8Array(1048576)) },
    }),
  ],
  [
    "LimitExceeded",
    "blobs",
    notices(...Array.from({ length: 4097 }, (_, i) => ({ name: `${i}` }))),
  ],
  ["RepeatedMember", "body.licenses", bare({ body: { licenses: ["MIT", "MIT"] } })],
  ["RepeatedMember", "requirements.features", bare({ requirements: { features: ["a", "a"] } })],
  ["BadIdentifier", "extensions[0].id", bare({ extensions: [{ ...extension, id: "X" }] })],
  ["BadIdentifier", "requirements.features[0]", bare({ requirements: { features: [""] } })],
  [
    "BadIdentifier",
    "dependencies[0].role",
    bare({
      dependencies: [{ role: "a b", artifact_class: 1, id: new Uint8Array(32) }],
    }),
  ],
  [
    "BadDigest",
    "dependencies[0].whole_file",
    bare({
      dependencies: [{
        role: "a",
        artifact_class: 1,
        id: new Uint8Array(32),
        whole_file: new Uint8Array(31),
      }],
    }),
  ],
  ["LimitExceeded", "extensions", bare({ extensions: Array(65).fill(extension) })],
  ["RepeatedExtension", "extensions[1]", bare({ extensions: [extension, extension] })],
  ["BadIdentifier", "tensors[0].role", pack({ role: "../../evil" })],
  ["BadIdentifier", "tensors[1].name", pack({}, { name: "A" })],
  ["BadIdentifier", "blobs[0].name", notices({ name: "a//b" })],
  ["BadIdentifier", "blobs[0].media_type", notices({ media_type: "text/" })],
  ["DuplicateName", "tensors[2].name", pack({}, { name: "y", role: "b" }, { role: "c" })],
  ["DuplicateName", "blobs[0].name", {
    ...pack({}),
    artifact_class: 8,
    blobs: [{ ...blob, name: "w" }],
  }],
  ["UnknownType", "tensors[0].type", pack({ type: "q8_0" })],
  ["UnknownType", "tensors[0].type", pack({ type: "constructor" })],
  ["UnusedProfile", "profiles[0].name", {
    ...pack({}),
    profiles: [{ name: "own", fields: REGISTERED.get("q8-0.b32.pad")!.fields }],
  }],
  ["DuplicateName", "profiles[0].name", {
    ...pack({}),
    profiles: [{ name: "f32", fields: REGISTERED.get("q8-0.b32.pad")!.fields }],
  }],
  ["BadPosition", "tensors[0].layer", pack({ layer: -2 })],
  ["BadPosition", "tensors[0].subindex_1", pack({ subindex_1: 2 ** 31 })],
  ["BadShape", "tensors[0].shape", pack({ shape: [0, 2] })],
  ["BadShape", "tensors[0].shape", pack({ shape: [2 ** 32] })],
  ["BadShape", "tensors[0].shape", pack({ shape: Array(9).fill(1) })],
  [
    "BadShape",
    "tensors[0].shape",
    pack({
      shape: [65536, 65536, 65536, 65536],
      payload: new Uint8Array(0),
    }),
  ],
  ["TailRule", "tensors[0].shape", pack(quantized)],
  ["PayloadLength", "tensors[0].payload", pack({ payload: new Uint8Array(7) })],
  ["PayloadLength", "blobs[0].payload", notices({ payload: new Uint8Array(0) })],
  ["PayloadLength", "blobs[0].payload", {
    ...bare({ artifact_class: 4 }),
    blobs: [{ ...blob, kind: 1, payload: { size: () => 2 ** 26 + 1, read: () => 0 } }],
  }],
  ["BadAlignment", "tensors[0].alignment", pack({ alignment: 96 })],
  ["BadAlignment", "tensors[0].alignment", pack({ alignment: 131072 })],
  ["BadAlignment", "blobs[0].alignment", notices({ alignment: 32 })],
  ["BadKind", "blobs[0].kind", notices({ kind: 65536 })],
  ["UnknownTensor", "auxiliaries[0].target", {
    ...pack(rows),
    auxiliaries: [{ owner: "w", target: "s" }],
  }],
  ["UnknownTensor", "auxiliaries[0].owner", {
    ...pack({}),
    auxiliaries: [{ owner: "s", target: "w" }],
  }],
  ["BadAuxiliary", "tensors[0]", pack(rows)],
  ["BadAuxiliary", "tensors[0]", {
    ...pack({}, scale),
    auxiliaries: [{ owner: "w", target: "s" }],
  }],
  ["BadAuxiliary", "auxiliaries[0]", {
    ...pack({ ...rows, shape: [3, 2] }, scale),
    auxiliaries: [{ owner: "w", target: "s" }],
  }],
  ["BadAuxiliary", "auxiliaries[0]", {
    ...pack(rows, scale),
    auxiliaries: [{ owner: "w", target: "s", group_size: 2 }],
  }],
  ["BadAuxiliary", "auxiliaries[0]", {
    ...pack(rows),
    auxiliaries: [{ owner: "w", target: "w" }],
  }],
  ["BadAuxiliary", "auxiliaries[1]", {
    ...pack(rows, scale),
    auxiliaries: [{ owner: "w", target: "s" }, { owner: "w", target: "s" }],
  }],
  ["BadAuxiliary", "auxiliaries[0]", {
    ...pack(rows, scale),
    auxiliaries: [{ owner: "w", target: "s", kind: 6 }],
  }],
  ["BadAuxiliary", "auxiliaries[0]", {
    ...pack(rows, scale),
    auxiliaries: [{ owner: "w", target: "s", axis: 1 }],
  }],
];

for (const [index, [code, where, description]] of CASES.entries()) {
  Deno.test(`${code} at ${where} (${index})`, () => {
    const result = write(description);
    assertEquals(isWriteError(result) && [result.code, result.where], [code, where]);
  });
}

Deno.test("the deepest manifest that a reader takes is written, one level more is not", () => {
  // the manifest itself is level 1, its body 2, the outermost list 3
  const nested = (levels: number) => write(bare({ body: { list: deep(levels - 1) } }));
  assertEquals(isWriteError(nested(14)), false);
  const result = nested(15);
  assertEquals(isWriteError(result) && result.code, "LimitExceeded");
});

Deno.test("a row-scaled tensor with its scales is good", () => {
  const good = { ...pack(rows, scale), auxiliaries: [{ owner: "w", target: "s" }] };
  assertEquals(isWriteError(write(good)), false);
});
