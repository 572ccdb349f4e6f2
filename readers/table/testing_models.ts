/** For tests only: good drafts of models and adapters. */
import { hex } from "./fields.ts";
import { REGISTERED } from "./registry.ts";
import { type Cbor, concat, fill32, ident, raw, slmHash } from "./testing.ts";
import type { Draft, QuantDraft } from "./testing_build.ts";

export function quant(name: string): QuantDraft {
  const record = REGISTERED.get(name);
  if (record === undefined) throw new Error(`no profile ${name}`);
  return { name, record };
}
/** f32 bytes of a tensor. */
export function floats(count: number): Uint8Array {
  return new Uint8Array(Float32Array.from({ length: count }, (_, i) => i / 8 - 1).buffer);
}
export function dependency(
  role: string,
  artifact_class: number,
  id: Uint8Array,
  whole_file: Uint8Array | null = null,
): Cbor {
  return { artifact_class, id, role, whole_file };
}

function order(a: QuantDraft, b: QuantDraft): number {
  const id = (q: QuantDraft) =>
    hex(slmHash("quant-profile", ident(q.name), raw(q.record.subarray(36))));
  return id(a) < id(b) ? -1 : 1;
}
/** Profiles in the order of their ids. */
export function quants(...names: string[]): QuantDraft[] {
  return names.map(quant).sort(order);
}

/** One q8-0 block: scale 1.0, codes, zeros in the lanes from `used` on. */
export function q8Block(used: number): Uint8Array {
  const block = new Uint8Array(34);
  block.set([0, 0x3c]);
  for (let i = 0; i < used; i++) block[2 + i] = i + 1;
  return block;
}

/** Class 1: a tensor pack with dense, padded and row-scaled tensors. */
export function pack(): Draft {
  const profiles = quants("q8-0.b32.row", "q8-row.exact");
  const at = (name: string) => profiles.findIndex((q) => q.name === name);
  return {
    artifactClass: 1,
    body: { architecture: { id: "tensor-pack/1", parameters: {} }, dependents: false },
    quants: profiles,
    tensors: [
      { role: "a", name: "dense", shape: [2, 3], data: floats(6) },
      {
        role: "b",
        name: "padded",
        shape: [3, 33],
        quant: at("q8-0.b32.row"),
        data: concat(...[1, 2, 3].flatMap(() => [q8Block(32), q8Block(1)])),
      },
      {
        role: "c",
        name: "rows",
        shape: [2, 4],
        quant: at("q8-row.exact"),
        data: Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8),
        run: [0, 1],
      },
      { role: "scale", name: "rows.scale", shape: [2], data: floats(2), alignment: 128 },
      { role: "z", name: "scalar", shape: [], data: floats(1) },
    ],
    aux: [{ owner: 2, kind: 1, target: 3 }],
  };
}

const LLAMA = {
  dim: 4,
  head_dim: 2,
  hidden_dim: 6,
  layers: 1,
  max_seq: 16,
  kv_heads: 1,
  heads: 2,
  vocab: 3,
  norm_eps: [1, 100000],
  rope_theta: [10000, 1],
  rope_style: 0,
  tied_output: true,
} as const;
export function llama(artifactClass = 2, parameters: { [key: string]: Cbor } = LLAMA): Draft {
  const layer = (role: string, ...shape: number[]) => ({
    role,
    name: `l0.${role}`,
    layer: 0,
    shape,
    data: floats(shape.reduce((n, d) => n * d, 1)),
  });
  return {
    artifactClass,
    body: { architecture: { id: "llama/1", parameters }, dependents: artifactClass === 2 },
    tensors: [
      layer("attention-k", 2, 4),
      layer("attention-norm", 4),
      layer("attention-output", 4, 4),
      layer("attention-q", 4, 4),
      layer("attention-v", 2, 4),
      layer("ffn-down", 4, 6),
      layer("ffn-gate", 6, 4),
      layer("ffn-norm", 4),
      layer("ffn-up", 6, 4),
      { role: "final-norm", name: "norm", shape: [4], data: floats(4) },
      { role: "token-embedding", name: "embedding", shape: [3, 4], data: floats(12) },
    ],
  };
}
export { LLAMA };

const TARGET = {
  layer: 0,
  name: "l0.attention-q",
  role: "attention-q",
  subindex_0: -1,
  subindex_1: -1,
};
export function loraOperation(set: { [key: string]: Cbor } = {}): { [key: string]: Cbor } {
  const key = (name: string) => ({ layer: -1, name, role: name, subindex_0: -1, subindex_1: -1 });
  return {
    accumulator: 1,
    axis: -1,
    element_type: 1,
    kernel_contract: 0,
    merge: false,
    op: "lora/1",
    order: 0,
    profile: fill32(0),
    rank: 2,
    scale: [1, 2],
    shape: [4, 4],
    target: TARGET,
    tensors: { a: key("a"), b: key("b") },
    ...set,
  };
}
export function adapter(set: { [key: string]: Cbor } = {}): Draft {
  const body = {
    base: { layout_id: fill32(2), model_id: fill32(1), whole_file: null },
    operations: [loraOperation()],
    tokenizer_id: null,
    ...set,
  };
  const base = body.base as { model_id: Uint8Array; whole_file: Uint8Array | null };
  return {
    artifactClass: 3,
    body,
    dependencies: [dependency("base", 2, base.model_id, base.whole_file)],
    tensors: [
      { role: "a", name: "a", shape: [2, 4], data: floats(8) },
      { role: "b", name: "b", shape: [4, 2], data: floats(8) },
    ],
  };
}
