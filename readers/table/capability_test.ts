import { assertEquals } from "@std/assert";
import { table } from "./reader.ts";
import { type Cbor, type CborMap, concat, fromHex, memory, short } from "./testing.ts";
import { build, type Draft, type TensorDraft } from "./testing_build.ts";
import {
  adapter,
  floats,
  LLAMA,
  llama,
  loraOperation,
  pack,
  quant,
  quants,
} from "./testing_models.ts";
import { kvCache, retrieval } from "./testing_samples.ts";

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
  const p = (set: CborMap): Draft => llama(2, { ...LLAMA, ...set });
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

const keyOf = (name: string, set: CborMap = {}) => ({
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
  const with_ = (tensors: CborMap) => ops(loraOperation({ tensors }));
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
