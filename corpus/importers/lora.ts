/**
 * Low-rank adapters (LoRA) in safetensors, as PEFT writes them: `...layers.N.self_attn.q_proj.lora_A
 * .weight` [rank, in] and `lora_B` [out, rank]; W + alpha / rank x (B A). Rows of B are in the order
 * of the base's own, unless `halfSplit` says that those of q and k are not.
 */
import type { Source, Tensor } from "../../readers/contract.ts";
import type { Rational } from "../writer/bodies.ts";
import type { OperationParts } from "../writer/build/adapter.ts";
import { firstNonFinite, type ImportCode, type ImportError } from "./import.ts";
import type { SafeTensor } from "./safetensors.ts";

/** A tensor of the base that may be a target, with what its `type` is called. */
export type Target = Pick<Tensor, "role" | "name" | "layer" | "shape"> & { readonly type: string };

/** PEFT's modules of a llama model, as roles of `llama/1` (classes.md section 2). */
const ROLES: Readonly<Record<string, string>> = {
  "self_attn.q_proj": "attention-q",
  "self_attn.k_proj": "attention-k",
  "self_attn.v_proj": "attention-v",
  "self_attn.o_proj": "attention-output",
  "mlp.gate_proj": "ffn-gate",
  "mlp.up_proj": "ffn-up",
  "mlp.down_proj": "ffn-down",
};

/** Those that rotation turns. */
const TURNED: ReadonlySet<string> = new Set(["attention-q", "attention-k"]);

/** Element types that adapters are kept in, as slm2.md 7.1 names them. */
const TYPES: Readonly<Record<string, string>> = { F32: "f32", F16: "f16", BF16: "bf16" };

const NAME = /(?:^|\.)layers\.(\d{1,6})\.(\w+\.\w+)\.lora_([AB])(?:\.\w+)?\.weight$/;

interface Pair {
  readonly target: Target;
  a?: SafeTensor;
  b?: SafeTensor;
}

/**
 * The operations of the file, in the order of the base's tensors.
 * @param alpha the numerator of the scale, whose denominator is each pair's rank; absent: the rank
 * @param rank where given, that of every pair
 * @param halfSplit where given, q and k have in each head of so many rows the even ones first, as
 *   Hugging Face checkpoints do, though the base turns adjacent pairs
 */
export function importLora(
  tensors: readonly SafeTensor[],
  file: string,
  base: readonly Target[],
  { alpha, rank, halfSplit }: {
    readonly alpha?: Rational;
    readonly rank?: number;
    readonly halfSplit?: number;
  } = {},
): OperationParts[] | ImportError {
  const fault = (code: ImportCode, { name, offset }: SafeTensor, expected: string) => ({
    code,
    file,
    what: name,
    offset,
    expected,
  });
  const pairs = new Map<Target, Pair>();
  for (const tensor of tensors) {
    const [, layer, module, side] = NAME.exec(tensor.name) ?? [];
    const role = Object.hasOwn(ROLES, module ?? "") ? ROLES[module] : undefined;
    if (role === undefined) {
      const modules = Object.keys(ROLES).join(", ");
      return fault("BadKey", tensor, `layers.N.MODULE.lora_A or lora_B, of ${modules}`);
    }
    const target = base.find((one) => one.role === role && one.layer === Number(layer));
    if (!target) return fault("MissingKey", tensor, `${role} of layer ${layer} in the base`);
    if (!Object.hasOwn(TYPES, tensor.dtype)) {
      return fault("UnknownType", tensor, Object.keys(TYPES).join(", "));
    }
    if (tensor.dtype === "F32") {
      const strange = firstNonFinite(tensor.values);
      if (strange !== -1) return fault("NonFinite", tensor, "finite values");
    }
    const pair = pairs.get(target) ?? { target };
    pairs.set(target, pair);
    pair[side === "A" ? "a" : "b"] = tensor;
  }
  const operations: OperationParts[] = [];
  for (const target of base) {
    const pair = pairs.get(target);
    if (!pair) continue;
    const { a, b } = pair;
    if (!a || !b) return fault("MissingKey", (a ?? b)!, "both lora_A and lora_B");
    const [out, into] = target.shape, r = rank ?? a.shape[0];
    if (`${a.shape}` !== `${[r, into]}`) return fault("BadDimension", a, `[${r}, ${into}]`);
    if (`${b.shape}` !== `${[out, r]}`) return fault("BadDimension", b, `[${out}, ${r}]`);
    const { role, name, layer, shape, type } = target;
    const turns = halfSplit !== undefined && TURNED.has(role);
    const operand = (side: "a" | "b", { shape, dtype, values }: SafeTensor) => {
      const payload = side === "b" && turns ? adjacent(values, shape[0], halfSplit) : values;
      return {
        role: "operand",
        name: `${name}.${side}`,
        layer,
        shape,
        type: TYPES[dtype],
        payload,
      };
    };
    operations.push({
      op: "lora/1",
      target: { role, name, layer, shape, type },
      tensors: { a: operand("a", a), b: operand("b", b) },
      scale: alpha ? rational(BigInt(alpha[0]), BigInt(alpha[1]) * BigInt(r)) : [1, 1],
    });
  }
  return operations;
}

/** The `rows` rows of a matrix, in each head the first half's and the second's in turn. */
function adjacent(values: Source, rows: number, headDim: number): Uint8Array {
  const from = new Uint8Array(values.size()), to = new Uint8Array(from.length);
  values.read(0, from);
  const size = from.length / rows, half = headDim / 2;
  for (let row = 0; row < rows; row++) {
    const i = row % headDim, at = row - i + (i % 2) * half + Math.floor(i / 2);
    to.set(from.subarray(at * size, (at + 1) * size), row * size);
  }
  return to;
}

/** A decimal number (`16`, `0.5`) in lowest terms; null where the text is none. */
export function decimalRational(text: string): Rational | null {
  const [, whole, places = ""] = /^(\d{1,12})(?:\.(\d{1,12}))?$/.exec(text) ?? [];
  if (whole === undefined) return null;
  return rational(BigInt(whole + places), 10n ** BigInt(places.length));
}

function rational(numerator: bigint, denominator: bigint): Rational {
  let [a, b] = [numerator, denominator];
  while (b > 0n) [a, b] = [b, a % b];
  return [numerator / a, denominator / a];
}
