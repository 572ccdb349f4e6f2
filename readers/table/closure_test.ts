import { assertEquals } from "@std/assert";
import type { Dependency, Identities } from "../contract.ts";
import { table } from "./reader.ts";
import { type Cbor, type CborMap, fill32, fromHex, memory, short } from "./testing.ts";
import { build, type Draft, type TensorDraft } from "./testing_build.ts";
import { adapter, dependency, LLAMA, llama, loraOperation, pack } from "./testing_models.ts";
import { composition, receipt, template, tokenizer } from "./testing_samples.ts";

const verdict = (draft: Draft) => short(table.read({ source: memory(build(draft)) }).verdict);
const keyOf = (name: string, set: CborMap = {}) => ({
  layer: -1,
  name,
  role: name,
  subindex_0: -1,
  subindex_1: -1,
  ...set,
});

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
const baseOf = (set: CborMap = {}) => ({
  layout_id: fromHex(base.ids.tensor_layout),
  model_id: fromHex(base.ids.artifact_id),
  whole_file: null,
  ...set,
});
const lora = stored(adapter({ base: baseOf() }));
const compose = (set: CborMap = {}) =>
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
  const a = (set: CborMap = {}, body: CborMap = {}) =>
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
  const target = loraOperation().target as CborMap;
  const op = (set: CborMap) => [loraOperation(set)];
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

  const one = (op: string, set: CborMap, ...tensors: TensorDraft[]) =>
    alone(
      [loraOperation({
        op,
        rank: 0,
        tensors: Object.fromEntries(tensors.map((t) => [t.role, keyOf(t.name)])) as CborMap,
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
  const needs = (requirements: CborMap): Draft => ({
    ...receipt(),
    dependencies: [dependency("subject", 2, fill32(9), fill32(10))],
    manifest: { requirements },
  });
  const features = needs({ features: ["x"], memory_bytes: 0 });
  assertEquals(verdict(features), "accept");
  assertEquals(resolved(features, []), "25 DependencyMissing [manifest]");
  const own = (requirements: CborMap): Draft => ({ ...pack(), manifest: { requirements } });
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
