/**
 * Low-rank adapters (LoRA) in safetensors, as PEFT writes them: `...layers.N.self_attn.q_proj.lora_A
 * .weight` [rank, in] and `lora_B` [out, rank]; W + alpha / rank x (B A). Rows of B are taken in the
 * order of the base's own; a checkpoint that turned them for half-split rotation must turn them back.
 */
import type { Tensor } from "../../readers/contract.ts";
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
 */
export function importLora(
  tensors: readonly SafeTensor[],
  file: string,
  base: readonly Target[],
  { alpha, rank }: { readonly alpha?: Rational; readonly rank?: number } = {},
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
    const operand = (side: string, { shape, dtype, values }: SafeTensor) => {
      const type = TYPES[dtype];
      return { role: "operand", name: `${name}.${side}`, layer, shape, type, payload: values };
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
