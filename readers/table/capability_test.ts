import { assertEquals } from "@std/assert";
import type { Dependency, Identities } from "../contract.ts";
import { table } from "./reader.ts";
import {
  build,
  type Cbor,
  concat,
  type Draft,
  fill32,
  fromHex,
  memory,
  short,
  type TensorDraft,
} from "./testing.ts";
import {
  adapter,
  composition,
  dependency,
  floats,
  kvCache,
  LLAMA,
  llama,
  loraOperation,
  pack,
  quant,
  quants,
  receipt,
  retrieval,
  template,
  tokenizer,
} from "./testing_samples.ts";

type Map = { readonly [key: string]: Cbor };
const verdict = (draft: Draft) => short(table.read({ source: memory(build(draft)) }).verdict);
function check(code: string, cases: readonly [boolean, Draft][]): void {
  for (const [i, [holds, draft]] of cases.entries()) {
    assertEquals(verdict(draft), holds ? "accept" : `25 ${code}`, `case ${i}`);
  }
}
const tensors = (
  draft: Draft,
  change: (t: TensorDraft, i: number) => TensorDraft | null,
): Draft => ({
  ...draft,
  tensors: draft.tensors?.map(change).filter((t) => t !== null),
});

Deno.test("stage 25: only registered profiles", () => {
  const q = quant("q8-0.b32.row");
  const record = q.record.slice();
  record[76] = 2; // another rounding mode
  const of = (name: string, record: Uint8Array): Draft => ({
    ...pack(),
    quants: [{ name, record }],
    aux: [],
    tensors: [{ role: "a", name: "t", shape: [1], quant: 0, data: concat(new Uint8Array(34)) }],
  });
  assertEquals(verdict(of(q.name, q.record)), "accept");
  assertEquals(verdict(of(q.name, record)), "25 UnsupportedQuantProfile [quant]");
  assertEquals(verdict(of("q8-0.b32.rows", q.record)), "25 UnsupportedQuantProfile [quant]");
});

Deno.test("stage 25: llama/1", () => {
  const p = (set: Map): Draft => llama(2, { ...LLAMA, ...set });
  const arch = (id: string, parameters: Cbor): Draft => ({
    ...llama(),
    body: { architecture: { id, parameters }, dependents: true },
  });
  const { max_seq: _, ...without } = LLAMA;
  const output: TensorDraft = { role: "output", name: "out", shape: [3, 4], data: floats(12) };
  const untied = (more: TensorDraft[]): Draft => {
    const draft = p({ tied_output: false });
    return { ...draft, tensors: [...draft.tensors!.slice(0, 10), ...more, draft.tensors![10]] };
  };
  const row = { role: "ffn-up", name: "l0.ffn-up", layer: 0, shape: [6, 4] };
  const scaled = (layer: number, role = "scale"): Draft => {
    const draft = llama();
    const list: TensorDraft[] = draft.tensors!.map((t) =>
      t.role === "ffn-up" ? { ...row, quant: 0, data: new Uint8Array(24), run: [0, 1] } : t
    );
    const scale = { role, name: "up.scale", layer, shape: [6], data: floats(6) };
    return {
      ...draft,
      quants: quants("q8-row.exact"),
      tensors: [...list.slice(0, 10), scale, list[10]],
      aux: [{ owner: 8, kind: 1, target: 10 }],
    };
  };
  const [first] = llama().tensors!;
  check("UnsupportedArchitecture [manifest]", [
    [true, llama()],
    [true, llama(1)],
    [true, p({ max_seq: 2n ** 64n - 1n, rope_style: 1 })],
    [false, arch("llama/2", LLAMA)],
    [false, arch("tensor-pack/1", LLAMA)],
    [true, arch("tensor-pack/1", {})],
    [false, arch("llama/1", without)],
    [false, p({ more: 1 })],
    [false, p({ dim: 0 })],
    [false, p({ dim: -1 })],
    [false, p({ max_seq: 0 })],
    [false, p({ norm_eps: [0, 1] })],
    [false, p({ norm_eps: [2, 4] })],
    [false, p({ rope_theta: [-1, 1] })],
    [false, p({ rope_theta: 10000 })],
    [false, p({ rope_style: 2 })],
    [false, p({ tied_output: 1 })],
    [false, p({ kv_heads: 2 })],
    [false, p({ head_dim: 3 })],
    [false, p({ layers: 2 })],
    [false, p({ layers: 2n ** 64n - 1n })],
    [false, p({ heads: 2n ** 63n, kv_heads: 1, head_dim: 2n ** 63n })],
    [false, p({ tied_output: false })],
    [true, untied([output])],
    [false, untied([{ ...output, shape: [4, 3] }])],
    [false, {
      ...llama(),
      tensors: [...llama().tensors!.slice(0, 10), output, llama().tensors![10]],
    }],
    ...llama().tensors!.map((
      _,
      i,
    ): [boolean, Draft] => [false, tensors(llama(), (t, j) => i === j ? null : t)]),
    [false, tensors(llama(), (t) => t.role === "ffn-up" ? { ...t, set: { subindex_0: 0 } } : t)],
    [false, tensors(llama(), (t) => t.role === "ffn-up" ? { ...t, layer: 1 } : t)],
    [false, tensors(llama(), (t) => t.role === "final-norm" ? { ...t, layer: 0 } : t)],
    [true, tensors(llama(), (t) => t.role === "ffn-up" ? { ...t, name: "any" } : t)],
    [false, tensors(llama(), (t) => t.role === "ffn-up" ? { ...t, type: 4, data: floats(48) } : t)],
    [true, tensors(llama(), (t) => t.role === "ffn-norm" ? { ...t, type: 3, data: floats(2) } : t)],
    [false, {
      ...llama(),
      tensors: [first, { ...first, name: "z" }, ...llama().tensors!.slice(1)],
    }],
    [true, scaled(0)],
    [false, scaled(-1)],
    [false, {
      ...scaled(0),
      aux: [],
      quants: [],
      tensors: scaled(0).tensors!.map((t) => t.role === "ffn-up" ? llama().tensors![8] : t),
    }],
    [
      false,
      tensors(
        { ...llama(), quants: quants("q8-0.b32.row") },
        (t) =>
          t.role === "ffn-norm"
            ? { ...t, quant: 0, data: concat(fromHex("003c"), new Uint8Array(32)) }
            : t,
      ),
    ],
    [
      true,
      tensors(
        { ...llama(), quants: quants("q8-0.b32.row") },
        (t) => t.role === "ffn-up" ? { ...t, quant: 0, data: new Uint8Array(6 * 34) } : t,
      ),
    ],
  ]);
});

Deno.test("stage 25: KV caches and retrieval indexes", () => {
  const kv = kvCache();
  const [k0, k1, v0, v1] = kv.tensors!;
  const of = (...list: TensorDraft[]): Draft => ({ ...kv, tensors: list });
  const r = retrieval();
  const [vectors] = r.tensors!;
  const rv = (...list: TensorDraft[]): Draft => ({ ...r, tensors: list });
  const rows: TensorDraft = { ...vectors, quant: 0, data: new Uint8Array(6), run: [0, 1] };
  const scale: TensorDraft = { role: "scale", name: "s", shape: [3], data: floats(3) };
  const scaled = (scale: TensorDraft): Draft => {
    const list = [scale, rows].sort((a, b) => a.role < b.role ? -1 : 1);
    return {
      ...rv(...list),
      quants: quants("q8-row.exact"),
      aux: [{ owner: list.indexOf(rows), kind: 1, target: list.indexOf(scale) }],
    };
  };
  const at = (layer: number) => (t: TensorDraft) => ({ ...t, layer, name: `${t.role}.${layer}` });
  check("UnsupportedArchitecture [manifest]", [
    [true, of(k0, v0)],
    [false, of(k0, k1, v0)],
    [false, of(k0, v0, v1)],
    [false, of(k0)],
    [false, of(k0, at(2)(k1), v0, at(2)(v1))],
    [false, of(k1, v1)],
    [false, of(k0, k1, v0, { ...v1, set: { subindex_1: 0 } })],
    [false, of(k0, k1, v0, { ...v1, shape: [1, 4, 2] })],
    [false, of(...[k0, v0].map((t) => ({ ...t, shape: [1, 4, 2] })))],
    [true, of(...[k0, v0].map((t) => ({ ...t, shape: [2, 2, 2] })))],
    [false, of(...[k0, v0].map((t) => ({ ...t, shape: [4, 2] })))],
    [false, of(...[k0, v0].map((t) => ({ ...t, type: 3 })))],
    [false, of(k0, v0, { role: "other", name: "o", shape: [1, 2, 4], type: 2, data: k0.data })],
    [true, r],
    [false, rv({ ...vectors, shape: [2, 3] })],
    [false, rv({ ...vectors, shape: [6] })],
    [false, rv({ ...vectors, type: 2, data: floats(3) })],
    [false, rv({ ...vectors, layer: 0 })],
    [false, rv({ ...vectors, set: { subindex_0: 0 } })],
    [false, rv({ ...vectors, role: "vector" })],
    [false, rv(vectors, { ...vectors, name: "w" })],
    [false, rv(scale, vectors)],
    [true, scaled(scale)],
    [true, scaled({ ...scale, set: { subindex_0: 3 } })],
    [false, scaled({ ...scale, layer: 0 })],
    [false, scaled({ ...scale, role: "scales" })],
  ]);
});

const keyOf = (name: string, set: Map = {}) => ({
  layer: -1,
  name,
  role: name,
  subindex_0: -1,
  subindex_1: -1,
  ...set,
});
const ops = (...operations: Cbor[]) => adapter({ operations });

Deno.test("stage 25: adapter operations", () => {
  const both = { a: keyOf("a"), b: keyOf("b") };
  const with_ = (tensors: Map) => ops(loraOperation({ tensors }));
  const extra = adapter();
  check("UnsupportedOperation [manifest]", [
    [true, adapter()],
    [false, ops(loraOperation({ op: "lora/2", rank: 0 }))],
    [false, with_({ a: keyOf("a") })],
    [false, with_({ ...both, c: keyOf("a") })],
    [false, with_({ a: keyOf("a"), c: keyOf("b") })],
    [false, with_({ a: keyOf("a"), b: keyOf("a") })],
    [false, with_({ a: keyOf("a"), b: keyOf("b", { layer: 0 }) })],
    [false, with_({ a: keyOf("a"), b: keyOf("b", { subindex_1: 2n ** 63n }) })],
    [false, with_({ a: keyOf("a"), b: keyOf("b", { role: "a" }) })],
    [false, with_({ a: keyOf("a"), b: keyOf("zz") })],
    [false, ops(loraOperation(), loraOperation({ order: 1 }))],
    [false, {
      ...extra,
      tensors: [...extra.tensors!, { role: "c", name: "c", shape: [1], data: floats(1) }],
    }],
  ]);
});

// ------------------------------------------------------------------------------ closure

/** An artifact with its identities, as a resolver has it. */
function stored(draft: Draft): { bytes: Uint8Array; ids: Identities; entry: Dependency } {
  const bytes = build(draft);
  const { verdict } = table.read({ source: memory(bytes) });
  if (verdict.verdict !== "accept") throw new Error(short(verdict));
  return { bytes, ids: verdict.identities, entry: { source: memory(bytes) } };
}
function resolved(draft: Draft, resolve: Dependency[], runtime_memory?: number): string {
  const source = memory(build(draft));
  return short(table.read({ source, resolve, runtime_memory }).verdict);
}

const base = stored(llama());
const tok = stored(tokenizer());
const tokenizerId = fromHex(tok.ids.artifact_id);
const tpl = stored(template({ tokenizer_id: tokenizerId }));
const baseOf = (set: Map = {}) => ({
  layout_id: fromHex(base.ids.tensor_layout),
  model_id: fromHex(base.ids.artifact_id),
  whole_file: null,
  ...set,
});
const lora = stored(adapter({ base: baseOf() }));
const compose = (set: Map = {}) =>
  composition({
    adapters: [fromHex(lora.ids.artifact_id)],
    base: { model_id: fromHex(base.ids.artifact_id), whole_file: fromHex(base.ids.whole_file) },
    chat_template_id: fromHex(tpl.ids.artifact_id),
    tokenizer_id: tokenizerId,
    ...set,
  });
const all = [base, tok, tpl, lora].map(({ entry }) => entry);

Deno.test("closure: a composition and what it names", () => {
  assertEquals(resolved(compose(), all), "accept");
  assertEquals(resolved(compose(), all.toReversed()), "accept");
  for (let i = 0; i < all.length; i++) {
    assertEquals(resolved(compose(), all.toSpliced(i, 1)), "25 DependencyMissing [manifest]");
  }
  assertEquals(resolved(compose(), []), "25 DependencyMissing [manifest]");
  // rejected artifacts are no candidates
  const damaged = base.bytes.slice();
  damaged[damaged.length - 1] ^= 1;
  const entry = { source: memory(damaged) };
  assertEquals(resolved(compose(), [entry, ...all.slice(1)]), "25 DependencyMissing [manifest]");
  assertEquals(resolved(compose(), [entry, ...all]), "accept");
  const absent = {
    source: {
      size: () => {
        throw new Error("gone");
      },
      read: () => 0,
    },
  };
  assertEquals(resolved(compose(), [absent, ...all]), "accept");
});

Deno.test("closure: whole files, and which of several is taken", () => {
  // the same base with an extension has the same id and another whole_file
  const extension = { critical: false, id: "note", payload: {}, version: 1 };
  const twin = stored({ ...llama(), extensions: [extension] });
  assertEquals(twin.ids.artifact_id, base.ids.artifact_id);
  const rest = all.slice(1);
  assertEquals(resolved(compose(), [twin.entry, ...rest]), "25 DependencyWholeFile [manifest]");
  assertEquals(resolved(compose(), [twin.entry, base.entry, ...rest]), "accept");
  assertEquals(resolved(compose(), [base.entry, twin.entry, ...rest]), "accept");
  const free = adapter({ base: baseOf() });
  assertEquals(resolved(free, [twin.entry]), "accept");
});

Deno.test("closure: resolvers keyed by a claimed id", () => {
  const claim = (bytes: Uint8Array, claimed_id: string): Dependency => ({
    source: memory(bytes),
    claimed_id,
  });
  const rest = all.slice(1);
  const ask = (entry: Dependency) => resolved(compose(), [entry, ...rest]);
  const { artifact_id } = base.ids;
  assertEquals(ask(claim(base.bytes, artifact_id)), "accept");
  assertEquals(ask(claim(base.bytes, "00".repeat(32))), "25 DependencyMissing [manifest]");
  const damaged = base.bytes.slice();
  damaged[damaged.length - 1] ^= 1;
  assertEquals(ask(claim(damaged, artifact_id)), "25 DependencyWholeFile [manifest]");
  assertEquals(ask(claim(tok.bytes, artifact_id)), "25 DependencyWholeFile [manifest]");
  // where no whole_file is asked
  const alone = (entry: Dependency) => resolved(adapter({ base: baseOf() }), [entry]);
  assertEquals(alone(claim(damaged, artifact_id)), "25 DependencyMissing [manifest]");
  assertEquals(alone(claim(tok.bytes, artifact_id)), "25 DependencyClass [manifest]");
  const other = stored(llama(2, { ...LLAMA, max_seq: 17 }));
  assertEquals(alone(claim(other.bytes, artifact_id)), "25 DependencyId [manifest]");
  assertEquals(alone(claim(base.bytes, artifact_id)), "accept");
});

Deno.test("closure: class, template and adapter", () => {
  const asTemplate = compose({ chat_template_id: fromHex(lora.ids.artifact_id), adapters: [] });
  assertEquals(resolved(asTemplate, all), "25 DependencyClass [manifest]");
  const stray = stored(template({ tokenizer_id: fill32(9) }));
  const withStray = compose({ chat_template_id: fromHex(stray.ids.artifact_id) });
  assertEquals(resolved(withStray, [...all, stray.entry]), "25 TokenizerMismatch [manifest]");

  const ask = (draft: Draft) => {
    const a = stored(draft);
    const c = compose({ adapters: [fromHex(a.ids.artifact_id)] });
    return resolved(c, [...all, a.entry]);
  };
  const a = (set: Map = {}, body: Map = {}) =>
    adapter({ base: baseOf(set), ...body } as { [key: string]: Cbor });
  assertEquals(ask(a()), "accept");
  assertEquals(ask(a({ model_id: fill32(1) })), "25 BaseMismatch [manifest]");
  assertEquals(ask(a({ whole_file: fill32(1) })), "25 BaseMismatch [manifest]");
  assertEquals(
    ask(a({ whole_file: fill32(1), layout_id: fill32(1) })),
    "25 BaseMismatch [manifest]",
  );
  assertEquals(
    ask(a({ layout_id: fill32(1) }, { tokenizer_id: fill32(1) })),
    "25 LayoutMismatch [manifest]",
  );
  assertEquals(ask(a({}, { tokenizer_id: fill32(1) })), "25 TokenizerMismatch [manifest]");
  assertEquals(ask(a({}, { tokenizer_id: tokenizerId })), "accept");
  assertEquals(
    ask(a({}, { operations: [loraOperation({ shape: [4] })] })),
    "25 TargetShape [manifest]",
  );
  // alone: no TokenizerMismatch
  const alone = (draft: Draft) => resolved(draft, [base.entry]);
  assertEquals(alone(a({}, { tokenizer_id: fill32(1) })), "accept");
  assertEquals(alone(a({ layout_id: fill32(1) })), "25 LayoutMismatch [manifest]");
});

Deno.test("closure: operations against the base", () => {
  const alone = (operations: Cbor[], tensors?: TensorDraft[]) => {
    const draft = adapter({ base: baseOf(), operations });
    return resolved(tensors ? { ...draft, tensors } : draft, [base.entry]);
  };
  const target = loraOperation().target as Map;
  const op = (set: Map) => [loraOperation(set)];
  const shape = "25 TargetShape [manifest]";
  assertEquals(alone(op({})), "accept");
  assertEquals(alone(op({ target: { ...target, layer: 1 } })), "25 TargetMissing [manifest]");
  assertEquals(alone(op({ target: { ...target, name: "zz" } })), "25 TargetMissing [manifest]");
  assertEquals(alone(op({ shape: [4, 5] })), shape);
  assertEquals(alone(op({ shape: [4] })), shape);
  assertEquals(alone(op({ rank: 3 })), shape);
  assertEquals(alone(op({ rank: 2n ** 64n - 1n })), shape);
  assertEquals(alone(op({ element_type: 2 })), "25 TargetQuant [manifest]");
  const q = { element_type: 256, profile: fill32(3), kernel_contract: 1 };
  assertEquals(alone(op(q)), "25 TargetQuant [manifest]");
  assertEquals(alone(op({ ...q, shape: [5] })), shape);
  const norm = { layer: 0, name: "l0.ffn-norm", role: "ffn-norm", subindex_0: -1, subindex_1: -1 };
  assertEquals(alone(op({ target: norm, shape: [4] })), shape); // lora wants rank 2

  const one = (op: string, set: Map, ...tensors: TensorDraft[]) =>
    alone(
      [loraOperation({
        op,
        rank: 0,
        tensors: Object.fromEntries(tensors.map((t) => [t.role, keyOf(t.name)])) as Map,
        ...set,
      })],
      tensors,
    );
  const t = (name: string, shape: number[], type = 1): TensorDraft => {
    const size = type === 12 ? 8 : 4;
    return {
      role: name,
      name,
      shape,
      type,
      data: new Uint8Array(size * shape.reduce((n, d) => n * d, 1)),
    };
  };
  assertEquals(one("additive-delta/1", {}, t("delta", [4, 4])), "accept");
  assertEquals(one("additive-delta/1", {}, t("delta", [16])), shape);
  assertEquals(one("sparse-delta/1", {}, t("index", [3], 12), t("value", [3])), "accept");
  assertEquals(one("sparse-delta/1", {}, t("index", [3], 12), t("value", [2])), shape);
  assertEquals(one("sparse-delta/1", {}, t("index", [3], 10), t("value", [3])), shape);
  assertEquals(one("sparse-delta/1", {}, t("index", [3], 12), t("value", [3], 10)), shape);
  assertEquals(one("sparse-delta/1", {}, t("index", [3, 1], 12), t("value", [3, 1])), shape);
  const vector = "multiplicative-vector/1";
  const up = { ...norm, name: "l0.ffn-up", role: "ffn-up" };
  assertEquals(one(vector, { axis: 0, target: up, shape: [6, 4] }, t("v", [6])), "accept");
  assertEquals(one(vector, { axis: 1, target: up, shape: [6, 4] }, t("v", [4])), "accept");
  assertEquals(one(vector, { axis: 1, target: up, shape: [6, 4] }, t("v", [6])), shape);
  assertEquals(one(vector, { axis: 2, target: up, shape: [6, 4] }, t("v", [6])), shape);
  assertEquals(one(vector, { axis: 2n ** 63n, target: up, shape: [6, 4] }, t("v", [6])), shape);
});

Deno.test("closure: runtime capability, last and only with a resolver", () => {
  const needs = (requirements: Map): Draft => ({
    ...receipt(),
    dependencies: [dependency("subject", 2, fill32(9), fill32(10))],
    manifest: { requirements },
  });
  const features = needs({ features: ["x"], memory_bytes: 0 });
  assertEquals(verdict(features), "accept");
  assertEquals(resolved(features, []), "25 DependencyMissing [manifest]");
  const own = (requirements: Map): Draft => ({ ...pack(), manifest: { requirements } });
  const none = own({ features: [], memory_bytes: 5 });
  assertEquals(
    resolved(own({ features: ["x"], memory_bytes: 0 }), []),
    "25 RuntimeCapability [manifest]",
  );
  assertEquals(resolved(none, []), "accept");
  assertEquals(resolved(none, [], 5), "accept");
  assertEquals(resolved(none, [], 4), "25 RuntimeCapability [manifest]");
  const huge = own({ features: [], memory_bytes: 2n ** 64n - 1n });
  assertEquals(resolved(huge, [], Number.MAX_SAFE_INTEGER), "25 RuntimeCapability [manifest]");
  assertEquals(
    short(table.read({ source: memory(build(huge)), runtime_memory: 1 }).verdict),
    "accept",
  );
});
