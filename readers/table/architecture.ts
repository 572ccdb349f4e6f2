/** Stage 25: architectures (`classes.md` section 2) and the tensors of classes 7 and 8 (9). */
import { type Artifact, TARGET } from "./artifact.ts";
import { UNSIGNED } from "./cbor.ts";
import { type Fault, reject } from "./fault.ts";
import { A, BF16, F16, F32, QUANTIZED, T } from "./layouts.ts";
import type { Item, Manifest } from "./manifest.ts";
import { bool, exactly, fraction, rat, record, type Shape, uint, where } from "./shapes.ts";
import { TensorRow } from "./tensors.ts";

/** The answer of stage 25 about an item of the manifest, or about a tensor's record. */
function unsupported(at: number, expected: string): Fault {
  return reject(25, "UnsupportedArchitecture", "manifest", at, expected);
}

/** Architecture of classes 1 and 2, tensor rules of 7 and 8; other classes have none. */
export function architectureFault(artifact: Artifact): Fault {
  switch (artifact.artifactClass) {
    case 1:
    case 2:
      return modelFault(artifact);
    case 7:
      return kvFault(artifact);
    case 8:
      return retrievalFault(artifact);
    default:
      return null;
  }
}

function modelFault(artifact: Artifact): Fault {
  const m = artifact.manifest;
  const id = artifact.get("architecture", "id");
  const parameters = artifact.get("architecture", "parameters");
  if (m.isText(id, "tensor-pack/1")) {
    return m.count(parameters) === 0 ? null : unsupported(parameters, "the empty map");
  }
  if (!m.isText(id, "llama/1")) return unsupported(id, "a registered architecture");
  const wrong = LLAMA(m, parameters);
  if (wrong !== null) return unsupported(wrong.offset ?? parameters, wrong.expected ?? "");
  return llamaRelations(m, parameters) ?? llamaTensors(artifact, parameters);
}

// --------------------------------------------------------------------------- llama/1

const positive = where(uint, (m, at) => m.integer(at) > 0, "at least 1");
const positiveRat = where(rat, (m, at) => fraction(m, at)[0] > 0n, "above 0");
const LLAMA_SIZES = [
  "dim",
  "head_dim",
  "hidden_dim",
  "layers",
  "max_seq",
  "kv_heads",
  "heads",
  "vocab",
] as const;
const zeroOrOne: Shape = (m, at) =>
  m.type(at) === UNSIGNED && m.count(at) === 0 ? null : exactly(1)(m, at);
/** The parameters; that this gives codes of stage 18 does not show. */
const LLAMA = record({
  ...Object.fromEntries(LLAMA_SIZES.map((name) => [name, positive])),
  norm_eps: positiveRat,
  rope_theta: positiveRat,
  rope_style: zeroOrOne,
  tied_output: bool,
});

function sizes(m: Manifest, parameters: Item): Record<typeof LLAMA_SIZES[number], bigint> {
  const entries = LLAMA_SIZES.map((name) => [name, BigInt(m.integer(m.get(parameters, name)))]);
  return Object.fromEntries(entries);
}

function llamaRelations(m: Manifest, parameters: Item): Fault {
  const p = sizes(m, parameters);
  if (p.heads % p.kv_heads !== 0n) {
    return unsupported(m.get(parameters, "heads"), "a multiple of kv_heads");
  }
  if (p.head_dim % 2n !== 0n) return unsupported(m.get(parameters, "head_dim"), "an even number");
  return null;
}

/** A role of the table: on each layer or once (-1), its shape, and whether it must be dense. */
interface Role {
  readonly perLayer: boolean;
  readonly isNorm: boolean;
  readonly shape: readonly bigint[];
}

function llamaRoles(m: Manifest, parameters: Item): ReadonlyMap<string, Role> {
  const { dim, head_dim, hidden_dim, heads, kv_heads, vocab } = sizes(m, parameters);
  const once = (...shape: bigint[]) => ({ perLayer: false, isNorm: false, shape });
  const each = (...shape: bigint[]) => ({ perLayer: true, isNorm: false, shape });
  const roles = new Map<string, Role>([
    ["token-embedding", once(vocab, dim)],
    ["attention-norm", { ...each(dim), isNorm: true }],
    ["ffn-norm", { ...each(dim), isNorm: true }],
    ["attention-q", each(heads * head_dim, dim)],
    ["attention-k", each(kv_heads * head_dim, dim)],
    ["attention-v", each(kv_heads * head_dim, dim)],
    ["attention-output", each(dim, heads * head_dim)],
    ["ffn-gate", each(hidden_dim, dim)],
    ["ffn-up", each(hidden_dim, dim)],
    ["ffn-down", each(dim, hidden_dim)],
    ["final-norm", { ...once(dim), isNorm: true }],
  ]);
  if (!m.isTrue(m.get(parameters, "tied_output"))) roles.set("output", once(vocab, dim));
  return roles;
}

const FLOATS: ReadonlySet<number> = new Set([F32, F16, BF16]);

function llamaTensors(artifact: Artifact, parameters: Item): Fault {
  const { manifest: m, tensors, strings, tensorMarks } = artifact;
  const roles = llamaRoles(m, parameters);
  const { layers } = sizes(m, parameters);
  if (layers > tensors.count) {
    return unsupported(m.get(parameters, "layers"), "no more layers than tensors");
  }
  const targets = targetFault(artifact, (owner) => owner);
  if (targets !== null) return targets;

  const t = new TensorRow(artifact);
  let found = 0;
  let previous = -1;
  for (let i = 0; i < tensors.count; i++) {
    if ((tensorMarks[i] & TARGET) !== 0) continue;
    t.to(i);
    const role = roles.get(strings.text(t.get(T.semantic_role_string_id)));
    const layer = t.get(T.layer);
    const at = tensors.where(i, T.semantic_role_string_id);
    if (role === undefined) return unsupported(at, "a role of llama/1");
    const isPlaced = (role.perLayer ? layer >= 0 && layer < layers : layer === -1) &&
      hasNoSubindexes(t);
    if (!isPlaced) return unsupported(at, "a layer of the model, no subindexes");
    if (previous >= 0 && tensors.compare([T.semantic_role_string_id, T.layer], previous, i) === 0) {
      return unsupported(at, "one tensor a role and layer");
    }
    const isTyped = FLOATS.has(t.get(T.element_type)) || (!role.isNorm && !t.isDense);
    if (!isTyped) return unsupported(tensors.where(i, T.element_type), "a type of its role");
    if (!hasShape(t, role.shape)) {
      return unsupported(tensors.where(i, T.shape), `[${role.shape.join(", ")}]`);
    }
    previous = i;
    found++;
  }
  let wanted = 0;
  for (const { perLayer } of roles.values()) wanted += perLayer ? Number(layers) : 1;
  return found === wanted ? null : unsupported(tensors.offset, `${wanted} tensors of llama/1`);
}

function hasShape(t: TensorRow, shape: readonly (bigint | number)[]): boolean {
  return t.rank === shape.length && shape.every((n, axis) => n == t.dimension(axis)); // exact
}

function hasNoSubindexes(t: TensorRow): boolean {
  return t.get(T.subindex_0) === -1 && t.get(T.subindex_1) === -1;
}

/** An auxiliary target has role `scale`, and the layer that `layerOf` gives for each owner's. */
function targetFault(artifact: Artifact, layerOf: (ownerLayer: number) => number): Fault {
  const { auxiliaries, tensors, strings } = artifact;
  for (let i = 0; i < auxiliaries.count; i++) {
    const target = auxiliaries.get(i, A.target);
    const layer = layerOf(tensors.get(auxiliaries.get(i, A.owner), T.layer));
    const isScale = strings.is(tensors.get(target, T.semantic_role_string_id), "scale") &&
      tensors.get(target, T.layer) === layer;
    if (!isScale) {
      const at = tensors.where(target, T.semantic_role_string_id);
      return unsupported(at, `role scale and layer ${layer} for an auxiliary target`);
    }
  }
  return null;
}

// -------------------------------------------------------------------- classes 7 and 8

/** KV tensors: one `kv-key` and one `kv-value` a layer, all alike; they stand in that order. */
function kvFault(artifact: Artifact): Fault {
  const { manifest: m, tensors, strings } = artifact;
  const layers = Math.ceil(tensors.count / 2);
  const t = new TensorRow(artifact);
  const first = new TensorRow(artifact).to(0);
  for (let i = 0; i < tensors.count; i++) {
    t.to(i);
    const isInPlace =
      strings.is(t.get(T.semantic_role_string_id), i < layers ? "kv-key" : "kv-value") &&
      t.get(T.layer) === i % layers && hasNoSubindexes(t);
    if (!isInPlace) {
      const at = tensors.where(i, T.semantic_role_string_id);
      return unsupported(at, "kv-key and kv-value, one of each a layer");
    }
    const isAlike = t.rank === 3 && hasShape(t, first.shape) &&
      t.dimension(1) == m.integer(artifact.get("positions"));
    if (!isAlike) {
      return unsupported(tensors.where(i, T.shape), "[kv_heads, positions, head_dim]");
    }
    if (t.get(T.element_type) !== m.integer(artifact.get("element_type"))) {
      return unsupported(tensors.where(i, T.element_type), "the body's element_type");
    }
  }
  return tensors.count % 2 === 0 ? null : unsupported(tensors.offset, "as many values as keys");
}

/** Retrieval: one `vectors` tensor and, if it has one, its scale. */
function retrievalFault(artifact: Artifact): Fault {
  const { manifest: m, tensors, strings, tensorMarks } = artifact;
  const targets = targetFault(artifact, () => -1);
  if (targets !== null) return targets;
  const shape = [m.integer(artifact.get("count")), m.integer(artifact.get("dim"))];
  const t = new TensorRow(artifact);
  let found = 0;
  for (let i = 0; i < tensors.count; i++) {
    if ((tensorMarks[i] & TARGET) !== 0) continue;
    t.to(i);
    const isVectors = strings.is(t.get(T.semantic_role_string_id), "vectors") &&
      t.get(T.layer) === -1 && hasNoSubindexes(t) && found === 0;
    if (!isVectors) {
      const at = tensors.where(i, T.semantic_role_string_id);
      return unsupported(at, "one tensor vectors and its scale");
    }
    if (t.get(T.element_type) !== F32 && t.get(T.element_type) !== QUANTIZED) {
      return unsupported(tensors.where(i, T.element_type), "f32 or quantized");
    }
    if (!hasShape(t, shape)) return unsupported(tensors.where(i, T.shape), "[count, dim]");
    found++;
  }
  return found === 1 ? null : unsupported(tensors.offset, "one tensor vectors");
}
