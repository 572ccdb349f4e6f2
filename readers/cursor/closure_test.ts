/** Stage 25 with a resolver: the dependency closure (`classes.md` section 6). */
import { assertEquals } from "@std/assert";
import type { AdapterBody, AdapterOperation } from "../../corpus/writer/bodies.ts";
import { adapter } from "../../corpus/writer/build/adapter.ts";
import { composition, kvCache } from "../../corpus/writer/build/composition.ts";
import { pieceSet } from "../../corpus/writer/build/evidence.ts";
import { tensorPack } from "../../corpus/writer/build/model.ts";
import { template } from "../../corpus/writer/build/template.ts";
import { tokenizer } from "../../corpus/writer/build/tokenizer.ts";
import type { Description, TensorDescription } from "../../corpus/writer/description.ts";
import { storageOf, storedBytes } from "../../corpus/writer/storage.ts";
import { assemble, type Written } from "../../corpus/writer/write.ts";
import type { Dependency } from "../contract.ts";
import { memorySource } from "../source.ts";
import { judged, poked } from "./testing.ts";

const tensor = (name: string, shape: number[], type = "f32"): TensorDescription => ({
  role: name,
  name,
  shape,
  type,
  payload: new Uint8Array(Number(storedBytes(shape, storageOf(type)))),
});
const W = tensor("w", [2, 3]);
const Q = tensor("q", [2, 32], "q8-0.b32.row");
const V = tensor("v", [4]);

const BASE = assemble(tensorPack([W, Q, V], 2));
const TOKENIZER = assemble(tokenizer({ vocabulary: ["a"] }, { kind: "table/1" }));
const OTHER_TOKENIZER = assemble(tokenizer({ vocabulary: ["b"] }, { kind: "table/1" }));
const TEMPLATE = assemble(template(TOKENIZER.identities, ["x"]));

/** The same artifact in another file: an extension that no identity but the file's covers. */
const again = (description: Description) =>
  assemble({
    ...description,
    extensions: [{ id: "x", version: 1, critical: false, payload: new Uint8Array(0) }],
  });

const lora = (rank = 1) => ({
  op: "lora/1" as const,
  target: W,
  tensors: { a: tensor("a", [rank, 3]), b: tensor("b", [2, rank]) },
});
const ADAPTED = adapter(BASE.identities, [lora()], { tokenizer: TOKENIZER.identities });
const ADAPTER = assemble(ADAPTED);

const composed = (more: Partial<Parameters<typeof composition>[0]> = {}) =>
  composition({
    base: BASE.identities,
    tokenizer: TOKENIZER.identities,
    kv: { max_positions: 8 },
    ...more,
  });

const given = (...list: (Written | Uint8Array | Dependency)[]): Dependency[] =>
  list.map((one) =>
    "source" in one ? one : { source: memorySource(one instanceof Uint8Array ? one : one.bytes) }
  );
const resolved = (description: Description, ...list: Parameters<typeof given>) =>
  judged(assemble(description).bytes, { resolve: given(...list) });

const code = (name: string) => `25 ${name} manifest`;

Deno.test("closure: found, missing, and in manifest order", () => {
  const whole = composed({ chat_template: TEMPLATE.identities, adapters: [ADAPTER.identities] });
  assertEquals(resolved(whole, ADAPTER, TEMPLATE, TOKENIZER, BASE), "accept");
  assertEquals(resolved(whole), code("DependencyMissing"));
  for (const left of [BASE, TOKENIZER, TEMPLATE, ADAPTER]) {
    const rest = [BASE, TOKENIZER, TEMPLATE, ADAPTER].filter((one) => one !== left);
    assertEquals(resolved(whole, ...rest), code("DependencyMissing"));
  }
  assertEquals(judged(assemble(whole).bytes), "accept", "no resolver, no closure");
  assertEquals(judged(BASE.bytes, { resolve: [] }), "accept", "nothing to resolve");
  assertEquals(
    resolved(whole, ADAPTER, OTHER_TOKENIZER, TEMPLATE, TOKENIZER, BASE, BASE),
    "accept",
  );
});

Deno.test("closure: rejected candidates are none", () => {
  const broken = poked(BASE.bytes, BASE.bytes.length - 1, 1);
  assertEquals(resolved(composed(), broken, TOKENIZER), code("DependencyMissing"));
  assertEquals(resolved(composed(), broken, BASE, TOKENIZER), "accept");
  const unreadable = {
    source: { size: () => 300, read: () => 0 },
  };
  assertEquals(resolved(composed(), unreadable, BASE, TOKENIZER), "accept");
});

Deno.test("closure: of several, the one with the asked whole_file, else the first", () => {
  const other = again(tensorPack([W, Q, V], 2));
  assertEquals(other.identities.artifact_id, BASE.identities.artifact_id);
  assertEquals(resolved(composed(), other, BASE, TOKENIZER), "accept");
  assertEquals(resolved(composed(), other, TOKENIZER), code("DependencyWholeFile"));
  const free = composed();
  const dependencies = free.dependencies!.map((one) =>
    one.role === "tokenizer" ? { ...one, whole_file: null } : one
  );
  const same = again(tokenizer({ vocabulary: ["a"] }, { kind: "table/1" }));
  assertEquals(resolved({ ...free, dependencies }, BASE, same), "accept");
});

Deno.test("closure: class, before whole_file and id", () => {
  // A dependency that says class 1, of an artifact of class 2 with that id.
  const base = { ...BASE.identities, class: 1 };
  assertEquals(resolved(composed({ base }), BASE, TOKENIZER), code("DependencyClass"));
  const other = again(tensorPack([W, Q, V], 2));
  assertEquals(resolved(composed({ base }), other, TOKENIZER), code("DependencyClass"));
});

Deno.test("closure: a claimed id", () => {
  const claim = (file: Uint8Array, id = BASE.identities.artifact_id): Dependency => ({
    source: memorySource(file),
    claimed_id: id,
  });
  const damaged = poked(BASE.bytes, BASE.bytes.length - 1, 1);
  assertEquals(resolved(composed(), claim(BASE.bytes), TOKENIZER), "accept");
  assertEquals(resolved(composed(), claim(damaged), TOKENIZER), code("DependencyWholeFile"));
  assertEquals(resolved(composed(), claim(damaged), BASE, TOKENIZER), "accept");
  assertEquals(
    resolved(composed(), claim(BASE.bytes, "00".repeat(32)), TOKENIZER),
    code("DependencyMissing"),
  );
  // Without an asked whole_file a damaged file is none, and another artifact has another id.
  const free = composed();
  const dependencies = free.dependencies!.map((one) =>
    one.role === "tokenizer" ? { ...one, whole_file: null } : one
  );
  const open = { ...free, dependencies };
  const id = TOKENIZER.identities.artifact_id;
  const bad = poked(TOKENIZER.bytes, TOKENIZER.bytes.length - 1, 1);
  assertEquals(resolved(open, BASE, claim(bad, id)), code("DependencyMissing"));
  assertEquals(resolved(open, BASE, claim(OTHER_TOKENIZER.bytes, id)), code("DependencyId"));
  assertEquals(resolved(open, BASE, claim(BASE.bytes, id)), code("DependencyClass"));
  const lying = {
    ...free,
    dependencies: free.dependencies!.map((one) =>
      one.role === "tokenizer"
        ? { ...one, whole_file: Uint8Array.fromHex(OTHER_TOKENIZER.identities.whole_file) }
        : one
    ),
  };
  assertEquals(resolved(lying, BASE, claim(OTHER_TOKENIZER.bytes, id)), code("DependencyId"));
});

Deno.test("closure: templates and adapters of another tokenizer", () => {
  const other = { tokenizer: OTHER_TOKENIZER.identities };
  assertEquals(
    resolved(
      composed({ ...other, chat_template: TEMPLATE.identities }),
      BASE,
      OTHER_TOKENIZER,
      TEMPLATE,
    ),
    code("TokenizerMismatch"),
  );
  assertEquals(
    resolved(
      composed({ ...other, adapters: [ADAPTER.identities] }),
      BASE,
      OTHER_TOKENIZER,
      ADAPTER,
    ),
    code("TokenizerMismatch"),
  );
  const free = assemble(adapter(BASE.identities, [lora()]));
  assertEquals(
    resolved(composed({ ...other, adapters: [free.identities] }), BASE, OTHER_TOKENIZER, free),
    "accept",
  );
  assertEquals(resolved(ADAPTED, BASE), "accept", "alone, no tokenizer is sought");
});

Deno.test("closure: an adapter's base and layout", () => {
  const of = (more: Partial<AdapterBody["base"]>) => {
    const base = { ...ADAPTED.body.base, ...more };
    return assemble({
      ...ADAPTED,
      body: { ...ADAPTED.body, base },
      dependencies: [{
        role: "base",
        artifact_class: 2,
        id: base.model_id,
        whole_file: base.whole_file ?? null,
      }],
    });
  };
  const on = (one: Written) =>
    resolved(composed({ adapters: [one.identities] }), BASE, TOKENIZER, one);
  const other = new Uint8Array(32).fill(9);
  assertEquals(on(of({})), "accept");
  assertEquals(on(of({ whole_file: null })), "accept");
  assertEquals(on(of({ model_id: other, layout_id: other })), code("BaseMismatch"));
  assertEquals(on(of({ whole_file: other, layout_id: other })), code("BaseMismatch"));
  assertEquals(on(of({ layout_id: other })), code("LayoutMismatch"));
  const layout = of({ layout_id: other });
  assertEquals(judged(layout.bytes, { resolve: given(BASE) }), code("LayoutMismatch"));
  // Another file of the same base: the composition's whole_file rules.
  const same = again(tensorPack([W, Q, V], 2));
  assertEquals(
    resolved(
      composed({ base: same.identities, adapters: [ADAPTER.identities] }),
      same,
      TOKENIZER,
      ADAPTER,
    ),
    code("BaseMismatch"),
  );
});

Deno.test("closure: an adapter's operations against its base", () => {
  const of = (description: typeof ADAPTED, more: Partial<AdapterOperation> = {}) => {
    const operations = description.body.operations.map((one) => ({ ...one, ...more }));
    return resolved({ ...description, body: { ...description.body, operations } }, BASE);
  };
  const { target } = ADAPTED.body.operations[0];
  const on = (parts: Parameters<typeof adapter>[1][number]) => adapter(BASE.identities, [parts]);
  for (
    const wrong of [{ name: "x" }, { role: "q" }, { layer: 0 }, { subindex_0: 0 }, { name: "q" }]
  ) {
    assertEquals(
      of(ADAPTED, { target: { ...target, ...wrong }, shape: [] }),
      code("TargetMissing"),
    );
  }
  for (const shape of [[], [2], [3, 2], [2, 3, 1]]) {
    assertEquals(of(ADAPTED, { shape, element_type: 2 }), code("TargetShape"));
  }
  assertEquals(of(ADAPTED, { rank: 2 }), code("TargetShape"));
  assertEquals(of(ADAPTED, { element_type: 2 }), code("TargetQuant"));
  const profile = new Uint8Array(32).fill(1);
  assertEquals(
    of(ADAPTED, { element_type: 256, profile, kernel_contract: 1 }),
    code("TargetQuant"),
  );

  const quantized = on({
    op: "lora/1",
    target: Q,
    tensors: { a: tensor("a", [1, 32]), b: tensor("b", [2, 1]) },
  });
  assertEquals(of(quantized), "accept");
  assertEquals(of(quantized, { kernel_contract: 2 }), code("TargetQuant"));
  assertEquals(of(quantized, { profile }), code("TargetQuant"));
  assertEquals(
    of(quantized, { element_type: 1, profile: new Uint8Array(32), kernel_contract: 0 }),
    code("TargetQuant"),
  );

  const vector = (axis: number, size: number) =>
    of(on({ op: "multiplicative-vector/1", target: W, axis, tensors: { v: tensor("m", [size]) } }));
  assertEquals([vector(0, 2), vector(1, 3)], ["accept", "accept"]);
  assertEquals(vector(2, 3), code("TargetShape"));
  assertEquals(vector(0, 3), code("TargetShape"));

  const delta = (shape: number[]) =>
    of(on({ op: "additive-delta/1", target: W, tensors: { delta: tensor("d", shape) } }));
  assertEquals([delta([2, 3]), delta([6])], ["accept", code("TargetShape")]);

  const sparse = (index: TensorDescription, value: TensorDescription) =>
    of(on({ op: "sparse-delta/1", target: W, tensors: { index, value } }));
  assertEquals(sparse(tensor("i", [4], "u64"), tensor("j", [4])), "accept");
  for (
    const [index, value] of [
      [tensor("i", [4], "u32"), tensor("j", [4])],
      [tensor("i", [4], "u64"), tensor("j", [4], "f16")],
      [tensor("i", [4], "u64"), tensor("j", [3])],
      [tensor("i", [2, 2], "u64"), tensor("j", [2, 2])],
    ]
  ) assertEquals(sparse(index, value), code("TargetShape"));
  assertEquals(
    of(on({
      op: "lora/1",
      target: V,
      tensors: { a: tensor("a", [1, 4]), b: tensor("b", [1, 1]) },
    })),
    code("TargetShape"),
    "lora asks for a target of rank 2",
  );
});

Deno.test("closure: requirements last, and only with a resolver", () => {
  const needy = (memory_bytes: number | bigint, features: string[] = []) =>
    composed({ requirements: { features, memory_bytes } });
  const on = (description: Description, runtime_memory?: number) =>
    judged(assemble(description).bytes, { resolve: given(BASE, TOKENIZER), runtime_memory });
  assertEquals(on(needy(2n ** 64n - 1n)), "accept", "no runtime memory was given");
  assertEquals(on(needy(100), 100), "accept");
  assertEquals(on(needy(100), 99), code("RuntimeCapability"));
  assertEquals(on(needy(2n ** 53n), 2 ** 53 - 1), code("RuntimeCapability"));
  assertEquals(on(needy(0, ["x"])), code("RuntimeCapability"));
  assertEquals(resolved(needy(0, ["x"]), BASE), code("DependencyMissing"));
  assertEquals(judged(assemble(needy(0, ["x"])).bytes, { runtime_memory: 0 }), "accept");
});

Deno.test("closure: other classes name one artifact; one level deep", () => {
  const whole = assemble(composed());
  const cache = kvCache({
    composition: whole.identities,
    abi: "x",
    element: "f32",
    kv_heads: 1,
    head_dim: 1,
    prefix: [1],
    layers: [{ key: new Uint8Array(4), value: new Uint8Array(4) }],
  });
  assertEquals(resolved(cache, whole), "accept");
  assertEquals(resolved(cache, BASE), code("DependencyMissing"));
  const { description } = pieceSet(BASE.identities, BASE.bytes);
  assertEquals(resolved(description, BASE), "accept");
  assertEquals(resolved(description, whole), code("DependencyMissing"));
});

Deno.test("closure: reading dependencies leaves the outer reading alone", () => {
  const outer = assemble(ADAPTED);
  const alone = judged(outer.bytes, { expect: outer.identities });
  assertEquals(alone, "accept");
  const big = assemble(tensorPack([tensor("big", [300_000])], 2));
  assertEquals(
    judged(outer.bytes, { resolve: given(big, BASE, TOKENIZER), expect: outer.identities }),
    "accept",
  );
  const broken = poked(outer.bytes, outer.bytes.length - 1, 1);
  assertEquals(judged(broken, { resolve: given(big, BASE) }), "26 PayloadHashMismatch payload");
});
