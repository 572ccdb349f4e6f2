/** `llama/1` (`classes.md` section 2): its parameters and the tensors that they ask for. */
import type { Reject } from "../contract.ts";
import type { Artifact } from "./artifact.ts";
import { numerator, RAT } from "./rational.ts";
import { DENSE, tensor, TENSOR_RECORD } from "./records.ts";
import { check } from "./schema.ts";
import { FALSE, type Tape, TRUE, UINT } from "./tape.ts";
import { hasShape, isAtLayer, targetFault, unsupported } from "./tensor_rules.ts";
import { BF16, F16, F32 } from "./types.ts";

const COUNTS = [
  "dim",
  "head_dim",
  "hidden_dim",
  "layers",
  "max_seq",
  "kv_heads",
  "heads",
  "vocab",
] as const;
const RATIONALS = ["norm_eps", "rope_theta"] as const;
const PARAMETERS = [...COUNTS, ...RATIONALS, "rope_style", "tied_output"].length;

/** Sizes that shapes are made of; `q` is heads x head_dim, `kv` is kv_heads x head_dim. */
type Size = "dim" | "hidden_dim" | "vocab" | "q" | "kv";

/** One row of the table. */
interface Slot {
  readonly shape: readonly Size[];
  /** one a layer, else one at layer -1 */
  readonly each?: boolean;
  /** norms are dense */
  readonly norm?: boolean;
}

const SLOTS: ReadonlyMap<string, Slot> = new Map<string, Slot>([
  ["token-embedding", { shape: ["vocab", "dim"] }],
  ["attention-norm", { shape: ["dim"], each: true, norm: true }],
  ["ffn-norm", { shape: ["dim"], each: true, norm: true }],
  ["attention-q", { shape: ["q", "dim"], each: true }],
  ["attention-k", { shape: ["kv", "dim"], each: true }],
  ["attention-v", { shape: ["kv", "dim"], each: true }],
  ["attention-output", { shape: ["dim", "q"], each: true }],
  ["ffn-gate", { shape: ["hidden_dim", "dim"], each: true }],
  ["ffn-up", { shape: ["hidden_dim", "dim"], each: true }],
  ["ffn-down", { shape: ["dim", "hidden_dim"], each: true }],
  ["final-norm", { shape: ["dim"], norm: true }],
  ["output", { shape: ["vocab", "dim"] }],
]);
const OUTPUT = "output";
const EACH = [...SLOTS.values()].filter(({ each }) => each).length;
const GLOBAL = SLOTS.size - EACH;

interface Parameters {
  /** rounded above 2^53, where no dimension or count can equal them */
  readonly sizes: Readonly<Record<Size, number>>;
  readonly layers: number;
  readonly tied: boolean;
}

/** `UnsupportedArchitecture` for a `llama/1` artifact, or null. */
export function llamaFault(artifact: Artifact, item: number): Reject | null {
  const { bytes, tape, sections: { tensors }, strings, targets } = artifact;
  const parameters = parametersOf(tape, item);
  if (parameters === null) return unsupported(tape.start(item), "parameters of llama/1");
  const { sizes, layers, tied } = parameters;
  if (layers > tensors.count) return unsupported(tape.start(item), "a tensor a layer at least");

  // Records are ordered by (role, layer), so one that repeats a slot follows the other.
  let found = 0;
  let role = -1; // string id of the record before
  let slot: Slot | undefined;
  let shape: number[] = [];
  for (let i = 0; i < tensors.count; i++) {
    if (targets.has(i)) continue;
    const at = tensors.offset + TENSOR_RECORD * i;
    if (role !== tensor.role(bytes, at)) {
      role = tensor.role(bytes, at);
      const name = strings.text(role);
      slot = name === OUTPUT && tied ? undefined : SLOTS.get(name);
      shape = slot?.shape.map((size) => sizes[size]) ?? [];
    }
    if (slot === undefined) return unsupported(at + 8, "no other role");
    const layer = tensor.layer(bytes, at);
    const inRange = slot.each ? layer >= 0 && layer < layers : layer === -1;
    if (!inRange || !isAtLayer(bytes, at, layer) || previousLayer(artifact, i) === layer) {
      return unsupported(at + 16, "one tensor a slot");
    }
    if (!hasShape(bytes, at, shape)) return unsupported(at + 32, `shape [${shape}]`);
    const dense = tensor.profile(bytes, at) === DENSE;
    const type = tensor.element_type(bytes, at);
    if (dense ? ![F32, F16, BF16].includes(type) : slot.norm) {
      return unsupported(at + 4, slot.norm ? "f32, f16 or bf16" : "f32, f16, bf16 or quantized");
    }
    found++;
  }
  const expected = GLOBAL - (tied ? 1 : 0) + EACH * layers;
  return found === expected
    ? targetFault(artifact)
    : unsupported(tensors.offset, `${expected} tensors besides scales`);
}

/** The layer of the record before `index` where it has the same role, else null. */
function previousLayer({ bytes, sections: { tensors } }: Artifact, index: number): number | null {
  if (index === 0) return null;
  const at = tensors.offset + TENSOR_RECORD * index;
  const before = at - TENSOR_RECORD;
  return tensor.role(bytes, before) === tensor.role(bytes, at) ? tensor.layer(bytes, before) : null;
}

/** The parameters, or null where they break a rule. */
function parametersOf(tape: Tape, map: number): Parameters | null {
  if (tape.length(map) !== PARAMETERS) return null;
  const count = new Map<string, number>();
  for (const key of COUNTS) {
    const item = tape.find(map, key);
    if (item < 0 || tape.major(item) !== UINT || tape.uint(item) < 1) return null;
    count.set(key, tape.uint(item));
  }
  for (const key of RATIONALS) {
    const item = tape.find(map, key);
    if (item < 0 || check(RAT, tape, item) !== null || numerator(tape, item) <= 0) return null;
  }
  const style = tape.find(map, "rope_style");
  if (style < 0 || tape.major(style) !== UINT || tape.uint(style) > 1) return null;
  const tied = tape.find(map, "tied_output");
  if (tied < 0 || ![TRUE, FALSE].includes(tape.head(tied))) return null;

  const get = (key: typeof COUNTS[number]) => count.get(key) ?? 0;
  if (get("heads") % get("kv_heads") !== 0 || get("head_dim") % 2 !== 0) return null;
  return {
    sizes: {
      dim: get("dim"),
      hidden_dim: get("hidden_dim"),
      vocab: get("vocab"),
      q: get("heads") * get("head_dim"),
      kv: get("kv_heads") * get("head_dim"),
    },
    layers: get("layers"),
    tied: tape.head(tied) === TRUE,
  };
}
