import { assertEquals } from "@std/assert";
import { table } from "./reader.ts";
import {
  type Cbor,
  type CborMap,
  concat,
  encode,
  fill32,
  fromHex,
  memory,
  Raw,
  short,
  utf8,
} from "./testing.ts";
import { build, type Draft, manifestOf } from "./testing_build.ts";
import { adapter, dependency, llama, loraOperation, pack } from "./testing_models.ts";
import {
  announcement,
  composition,
  envelope,
  pieceSet,
  provenance,
  receipt,
  retrieval,
  SAMPLES,
  template,
  tokenizer,
} from "./testing_samples.ts";

const verdict = (draft: Draft) => short(table.read({ source: memory(build(draft)) }).verdict);
const bodyOf = (draft: Draft) => draft.body as CborMap;
/** The draft with keys of its body replaced; undefined leaves one out. */
function body(draft: Draft, set: { [key: string]: Cbor | undefined }): Draft {
  const entries = Object.entries({ ...bodyOf(draft), ...set }).filter(([, v]) => v !== undefined);
  return { ...draft, body: Object.fromEntries(entries) as CborMap };
}
function manifest(draft: Draft, set: CborMap): Draft {
  return { ...draft, manifest: set };
}
function check(cases: readonly [code: string, draft: Draft][]): void {
  for (const [i, [code, draft]] of cases.entries()) {
    assertEquals(verdict(draft), code === "accept" ? code : `18 ${code} [manifest]`, `case ${i}`);
  }
}

Deno.test("stage 18: the manifest itself", () => {
  const draft = receipt();
  const ext = (id: string, version: number | bigint, set: CborMap = {}) => ({
    critical: false,
    id,
    payload: {},
    version,
    ...set,
  });
  const withExt = (...extensions: Cbor[]) => ({ ...draft, extensions });
  check([
    ["WrongType", { ...draft, manifest: new Raw(encode([1])) }],
    ["WrongType", { ...draft, body: null }],
    ["UnknownCoreKey", manifest(draft, { zz: 1, body: 1 })],
    ["MissingCoreKey", { ...draft, manifest: new Raw(encode({})) }],
    ["UnknownCoreKey", { ...draft, manifest: new Raw(encode({ z: 1 })) }],
    ["ClassMismatch", manifest(draft, { artifact_class: 11 })],
    ["WrongType", manifest(draft, { artifact_class: -1 })],
    ["SchemaMismatch", manifest(draft, { schema: "org.minimodel.slm/2.1" })],
    ["WrongType", manifest(draft, { schema: utf8("org.minimodel.slm/2.0") })],
    // body, schema, extensions, dependencies, requirements, artifact_class
    ["SchemaMismatch", manifest(draft, { schema: "", extensions: 1, artifact_class: 1 })],
    ["WrongType", manifest(draft, { extensions: 1, artifact_class: 1 })],
    ["BadIdentifier", manifest(draft, { requirements: { features: ["B"], memory_bytes: -1 } })],
    ["WrongType", manifest(draft, { requirements: { features: ["b"], memory_bytes: -1 } })],
    ["UnsortedSet", manifest(draft, { requirements: { features: ["bb", "a"], memory_bytes: 0 } })],
    ["UnsortedSet", manifest(draft, { requirements: { features: ["a", "a"], memory_bytes: 0 } })],
    [
      "accept",
      manifest(draft, { requirements: { features: ["b", "aa"], memory_bytes: 2n ** 64n - 1n } }),
    ],
    ["BadValue", { ...draft, dependencies: Array(257).fill(dependency("subject", 6, fill32(9))) }],
    ["BadValue", withExt(...Array.from({ length: 65 }, (_, i) => ext("a", i)))],
    ["accept", withExt(...Array.from({ length: 64 }, (_, i) => ext("a", i)))],
    [
      "accept",
      withExt(ext("a", 2n ** 64n - 1n), ext("aa", 0), ext("b", 0, { payload: utf8("x") })),
    ],
    ["UnsortedSet", withExt(ext("b", 0), ext("aa", 0, { critical: true }))],
    ["UnsortedSet", withExt(ext("a", 1), ext("a", 1))],
    ["UnsortedSet", withExt(ext("a", 2n ** 63n), ext("a", 2n ** 63n - 1n))],
    ["UnknownCriticalExtension", withExt(ext("a", 1, { critical: true }))],
    ["WrongType", withExt(ext("a", 1, { critical: null }))],
    ["WrongType", withExt(ext("a", 1, { payload: [] }))],
    ["BadIdentifier", withExt(ext("A", 1))],
    ["accept", withExt(ext("a", 1, { payload: { n: -62654812000, "": 1, "\ufeff": 2 } }))],
  ]);
  assertEquals(
    short(
      table.read({ source: memory(build({ ...draft, manifest: new Raw(fromHex("a0")) })) }).verdict,
    ),
    "18 MissingCoreKey [manifest]",
  );
});

Deno.test("stage 17: keys in plain alphabet order", () => {
  const good = build(receipt());
  const entries = Object.entries(manifestOf(receipt())).sort(([a], [b]) => a < b ? -1 : 1);
  const manifest = concat(Uint8Array.of(0xa6), ...entries.flat().map(encode));
  const bytes = build({ ...receipt(), manifest: new Raw(manifest) });
  assertEquals(bytes.length, good.length);
  const { verdict } = table.read({ source: memory(bytes) });
  assertEquals(short(verdict), "17 CborKeyOrder [manifest]");
  const body = 256 + 1 + encode("artifact_class").length + 1;
  assertEquals(verdict.verdict === "reject" && verdict.offset, body);
});

Deno.test("stage 18: every key of every class is required, typed and closed", () => {
  for (const draft of SAMPLES) {
    for (const [key, value] of Object.entries(bodyOf(draft))) {
      check([["MissingCoreKey", body(draft, { [key]: undefined })]]);
      const wrong = Array.isArray(value) ? 1 : [];
      check([["WrongType", body(draft, { [key]: wrong })]]);
      if (value instanceof Uint8Array) {
        check([["BadValue", body(draft, { [key]: fill32(1).subarray(1) })]]);
      }
    }
    check([["UnknownCoreKey", body(draft, { zzz: 1 })]]);
    check([[
      "UnknownCoreKey",
      body(draft, {
        a: 1,
        ...Object.fromEntries(Object.keys(bodyOf(draft)).map((k) => [k, undefined])),
      }),
    ]]);
  }
});

Deno.test("stage 18: tables against the class", () => {
  const tensor = { role: "a", name: "a", shape: [1], data: new Uint8Array(4) };
  const blob = { kind: 16, name: "b", data: utf8("b") };
  check([
    ["TableNotPermitted", { ...pack(), tensors: [], quants: [], aux: [] }],
    ["TableNotPermitted", { ...tokenizer(), tensors: [tensor] }],
    ["TableNotPermitted", { ...tokenizer(), blobs: [] }],
    ["TableNotPermitted", { ...composition(), blobs: [blob] }],
    ["TableNotPermitted", { ...retrieval(), blobs: [] }],
    ["TableNotPermitted", { ...retrieval(), tensors: [] }],
    ["TableNotPermitted", { ...pack(), blobs: [blob] }],
    ["TableNotPermitted", { ...envelope(), aux: [{ owner: 0, kind: 1, target: 0 }] }],
    // extensions before tables, tables before dependencies
    [
      "UnknownCriticalExtension",
      {
        ...tokenizer(),
        blobs: [],
        extensions: [{ critical: true, id: "a", payload: {}, version: 0 }],
      },
    ],
    ["TableNotPermitted", { ...composition(), blobs: [blob], dependencies: [] }],
  ]);
});

Deno.test("stage 18: dependencies", () => {
  const c = composition();
  const [base, tokenizerOf, templateOf, adapterOf] = c.dependencies ?? [];
  const deps = (...dependencies: Cbor[]): Draft => ({ ...c, dependencies });
  const subject = (set: CborMap) => ({
    ...(dependency("subject", 6, fill32(9), fill32(10)) as CborMap),
    ...set,
  });
  check([
    ["BadValue", deps()],
    ["BadValue", deps(base, tokenizerOf, templateOf)],
    ["BadValue", deps(base, tokenizerOf, templateOf, adapterOf, adapterOf)],
    ["BadValue", deps(tokenizerOf, base, templateOf, adapterOf)],
    [
      "BadValue",
      deps(dependency("base", 1, fill32(1), fill32(11)), tokenizerOf, templateOf, adapterOf),
    ],
    [
      "BadValue",
      deps(dependency("base", 2, fill32(2), fill32(11)), tokenizerOf, templateOf, adapterOf),
    ],
    ["BadValue", deps(dependency("base", 2, fill32(1), null), tokenizerOf, templateOf, adapterOf)],
    [
      "accept",
      deps(base, dependency("tokenizer", 4, fill32(4), fill32(77)), templateOf, adapterOf),
    ],
    ["BadValue", deps(base, tokenizerOf, adapterOf)],
    ["accept", composition({ chat_template_id: null })],
    ["accept", composition({ adapters: [] })],
    [
      "accept",
      {
        ...composition({ adapters: [] }),
        dependencies: [dependency("base", 1, fill32(1), fill32(11)), tokenizerOf, templateOf],
      },
    ],
    ["BadValue", { ...pack(), dependencies: [base] }],
    ["BadValue", { ...adapter(), dependencies: [dependency("base", 1, fill32(1))] }],
    ["accept", { ...adapter(), dependencies: [dependency("base", 2, fill32(1), fill32(50))] }],
    ["BadValue", { ...template(), dependencies: [dependency("tokenizer", 4, fill32(5))] }],
    ["BadValue", { ...receipt(), dependencies: [subject({ artifact_class: 14 })] }],
    ["BadValue", { ...receipt(), dependencies: [subject({ artifact_class: 0 })] }],
    ["accept", { ...receipt(), dependencies: [subject({ artifact_class: 13 })] }],
    ["BadValue", { ...receipt(), dependencies: [subject({ whole_file: fill32(1) })] }],
    ["BadValue", { ...receipt(), dependencies: [subject({ role: "base" })] }],
    ["accept", { ...provenance(), dependencies: [subject({ whole_file: fill32(1) })] }],
    ["BadValue", { ...envelope(), dependencies: [subject({})] }],
    ["BadValue", {
      ...envelope({ subject_class: 14 }),
      dependencies: [subject({ artifact_class: 14 })],
    }],
    ["BadValue", { ...announcement(), dependencies: [subject({}), subject({})] }],
    // step 4 for all before step 5 of any: the code is one, the item named is the second
  ]);
  const two = announcement();
  const subjects = bodyOf(two).subjects as CborMap[];
  check([["accept", {
    ...body(two, { subjects: [...subjects, ...subjects] }),
    dependencies: [subject({}), subject({})],
  }]]);
});

Deno.test("stage 18: models and adapters", () => {
  const op = (set: CborMap, more: CborMap[] = []) =>
    adapter({ operations: [loraOperation(set), ...more] });
  const q = fill32(7);
  check([
    ["BadValue", body(pack(), { dependents: true })],
    ["BadValue", body(llama(), { dependents: false })],
    ["BadValue", adapter({ operations: [] })],
    ["BadValue", op({ accumulator: 2 })],
    ["WrongType", op({ accumulator: -1 })],
    ["BadValue", op({ scale: [2, 4] })],
    ["BadValue", op({ scale: [0, 2] })],
    ["BadValue", op({ scale: [1, 0] })],
    ["BadValue", op({ scale: [0, 0] })],
    ["BadValue", op({ scale: [1] })],
    ["BadValue", op({ scale: [1, 2, 3] })],
    ["WrongType", op({ scale: [1, -2] })],
    ["WrongType", op({ scale: [null, 0] })],
    ["accept", op({ scale: [-1, 2n ** 64n - 1n] })],
    ["BadValue", op({ scale: [-(2n ** 63n), 2n ** 63n] })],
    ["accept", op({ scale: [0, 1] })],
    ["BadValue", op({ rank: 0 })],
    ["BadValue", op({ axis: 0 })],
    ["BadValue", op({ op: "additive-delta/1" })],
    ["BadValue", op({ op: "multiplicative-vector/1", rank: 0 })],
    ["BadValue", op({ op: "multiplicative-vector/1", rank: 0, axis: -1 })],
    ["BadValue", op({ profile: q })],
    ["BadValue", op({ element_type: 256 })],
    ["BadValue", op({ element_type: 256, profile: q })],
    ["BadValue", op({ kernel_contract: 1 })],
    ["BadValue", op({}, [loraOperation()])],
    ["BadValue", op({ order: 2n ** 63n }, [loraOperation({ order: 2n ** 63n - 1n })])],
    ["BadIdentifier", op({ tensors: { A: 1 } })],
    ["WrongType", op({ tensors: { a: 1 } })],
    ["BadIdentifier", op({ op: "Lora" })],
  ]);
  assertEquals(verdict(op({ element_type: 256, profile: q, kernel_contract: 1 })), "accept");
});

Deno.test("stage 18: tokenizers", () => {
  const pre = (...ops: Cbor[]) => tokenizer({ pretokenizer: ops });
  const norm = (...ops: Cbor[]) => tokenizer({ normalizer: ops });
  check([
    ["WrongType", pre(1)],
    ["BadValue", pre([])],
    ["BadValue", pre([1])],
    ["BadIdentifier", pre(["Split"])],
    ["BadValue", pre(["split"])],
    ["BadValue", pre(["nfc"])],
    ["BadValue", pre(["digits-split"])],
    ["BadValue", pre(["digits-split", 0])],
    ["BadValue", pre(["digits-split", "3"])],
    ["BadValue", pre(["digits-split", -3])],
    ["BadValue", pre(["digits-split", 1, 2])],
    ["accept", pre(["digits-split", 2n ** 64n - 1n], ["none"], ["none"])],
    ["BadValue", norm(["none"])],
    ["BadValue", norm(["replace", "a"])],
    ["BadValue", norm(["replace", "a", utf8("b")])],
    ["accept", norm(["prepend", ""])],
    ["BadValue", tokenizer({ decoder: ["other"] })],
    ["UnsortedSet", tokenizer({ decoder: ["byte-level", "byte-level"] })],
    ["BadValue", tokenizer({ kind: "bpe/1" })],
    ["WrongType", tokenizer({ space_marker: 1 })],
    ["accept", tokenizer({ space_marker: null })],
    ["BadIdentifier", tokenizer({ roles: { "": 1 } })],
    ["BadValue", tokenizer({ roles: { user: 4 } })],
    ["WrongType", tokenizer({ roles: { user: -1 } })],
    ["BadValue", tokenizer({ bos: { auto: false, id: 4 } })],
    ["BadValue", tokenizer({ eos: { auto: false, id: 2n ** 64n - 1n } })],
    ["BadValue", tokenizer({ bos: { auto: true, id: null } })],
    ["BadValue", tokenizer({ eos: { auto: true, id: null } })],
    ["BadValue", tokenizer({ stop_tokens: [1, 4] })],
    ["UnsortedSet", tokenizer({ stop_tokens: [1, 0] })],
    ["UnsortedSet", tokenizer({ stop_bytes: [Uint8Array.of(2), Uint8Array.of(1)] })],
    ["BadValue", tokenizer({ unknown: { id: 4, policy: "reject" } })],
    ["BadValue", tokenizer({ unknown: { id: null, policy: "token" } })],
    ["accept", tokenizer({ unknown: { id: 0, policy: "token" } })],
    ["BadValue", tokenizer({ unknown: { id: null, policy: "bytes" } })],
    ["BadValue", tokenizer({ unknown: { id: null, policy: "skip" } })],
  ]);
});

Deno.test("stage 18: template programs", () => {
  const program = (...program: Cbor[]) => template({ program, generation_marker: null });
  check([
    ["accept", program()],
    ["WrongType", template({ program: 1 })],
    ["WrongType", program(1)],
    ["BadValue", program([])],
    ["BadValue", program(["1"])],
    ["BadValue", program([0])],
    ["BadValue", program([10])],
    ["BadValue", program([1])],
    ["BadValue", program([1, -1])],
    ["BadValue", program([1, 0, 0])],
    ["BadValue", program([2, 0])],
    ["BadValue", program([7, [[5, 1, []]]])],
    ["BadValue", program([7, [[5, "A", 1]]])],
    ["BadIdentifier", program([7, [[5, "A", [1]]]])],
    ["WrongType", program([7, [[5, "a", [1]]]])],
    ["BadValue", program([1, 1])],
    ["BadValue", program([1, 2n ** 64n - 1n])],
    ["BadValue", program([2])],
    ["BadValue", program([3])],
    ["BadValue", program([5, "a", []])],
    ["BadValue", program([6, "a", []])],
    ["BadValue", program([7, [[7, []]]])],
    ["BadValue", program([7, [[5, "a", [[7, []]]]]])],
    ["accept", program([7, [[5, "a", [[6, "b", [[2], [3]]]]]]])],
    ["BadValue", program([8])],
    ["BadValue", template({ program: [], generation_marker: 1 })],
    ["accept", template({ program: [[7, [[8]]]], generation_marker: 0 })],
    ["accept", program(...Array(4096).fill([9]))],
    ["BadValue", program(...Array(4097).fill([9]))],
    ["BadValue", template({ instruction_set: 2 })],
    ["UnsortedSet", template({ roles: ["b", "a"] })],
  ]);
});

Deno.test("stage 18: compositions and piece sets", () => {
  const generation = (set: CborMap) =>
    composition({ generation: { ...(bodyOf(composition()).generation as CborMap), ...set } });
  const kv = (element_type: Cbor) =>
    composition({ kv: { element_type, layout: "layer-head-position/1", max_positions: 1 } });
  const adapters = Array.from({ length: 33 }, (_, i) => fill32(i + 1));
  const set = (body_: CborMap) =>
    body(pieceSet(new Uint8Array(10)), body_ as { [key: string]: Cbor });
  check([
    ["accept", composition({ adapters: adapters.slice(1) })],
    ["BadValue", composition({ adapters })],
    ["BadValue", composition({ adapters: [fill32(1), fill32(2), fill32(1)] })],
    ["BadValue", generation({ temperature: [-1, 1] })],
    ["accept", generation({ temperature: [3, 2] })],
    ["BadValue", generation({ top_p: [0, 1] })],
    ["BadValue", generation({ top_p: [2, 1] })],
    ["BadValue", generation({ top_p: [-1, 2] })],
    ["accept", generation({ top_p: [1, 2] })],
    ["BadValue", kv(0)],
    ["accept", kv(3)],
    ["BadValue", kv(4)],
    ["BadValue", composition({ route: { kind: "many/1" } })],
    ["BadValue", set({ subject_bytes: 0, piece_count: 0 })],
    ["BadValue", set({ subject_bytes: 2n ** 53n, piece_count: 2n ** 31n })],
    ["BadValue", set({ piece_count: 2 })],
    ["BadValue", set({ subject_bytes: 4_194_305 })],
    ["BadValue", set({ piece_size: 4096 })],
  ]);
});
