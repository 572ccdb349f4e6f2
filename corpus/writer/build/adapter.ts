/** Adapters (class 3, classes.md section 3) from a base's identities and its tensors. */
import type { Identities } from "../../../readers/contract.ts";
import type { AdapterBody, AdapterOperation, Rational, TensorRef } from "../bodies.ts";
import type {
  AuxiliaryDescription,
  Description,
  Reference,
  TensorDescription,
} from "../description.ts";
import { dependency } from "./composition.ts";
import { fromHex } from "../identity.ts";
import { profileBody, profileId } from "../profiles.ts";
import { storageOf } from "../storage.ts";

/** One operation; `rank` follows from `a`, `shape` and the rest from the target. */
export interface OperationParts {
  readonly op: "lora/1" | "additive-delta/1" | "sparse-delta/1" | "multiplicative-vector/1";
  /** a tensor of the base */
  readonly target: Omit<TensorDescription, "payload">;
  /** the operation's own tensors, by operand */
  readonly tensors: { readonly [operand: string]: TensorDescription };
  /** absent: 1 */
  readonly scale?: Rational;
  /** only for `multiplicative-vector/1` */
  readonly axis?: number;
  readonly merge?: boolean;
}

/** Describes an adapter; operations apply in the order given. */
export function adapter(
  base: Reference & Pick<Identities, "tensor_layout">,
  operations: readonly OperationParts[],
  more: {
    readonly tokenizer?: Reference;
    /** scale tensors of the operations' own tensors */
    readonly targets?: readonly TensorDescription[];
    readonly auxiliaries?: readonly AuxiliaryDescription[];
  } = {},
): Description & { readonly body: AdapterBody } {
  const { tokenizer, targets = [], auxiliaries } = more;
  return {
    artifact_class: 3,
    body: {
      base: {
        layout_id: fromHex(base.tensor_layout),
        model_id: fromHex(base.artifact_id),
        whole_file: fromHex(base.whole_file),
      },
      operations: operations.map(operation),
      tokenizer_id: tokenizer ? fromHex(tokenizer.artifact_id) : null,
    },
    dependencies: [dependency("base", base)],
    tensors: [...operations.flatMap(({ tensors }) => Object.values(tensors)), ...targets],
    auxiliaries,
  };
}

function operation(parts: OperationParts, order: number): AdapterOperation {
  const { op, target, tensors } = parts;
  const { element_type, profile } = storageOf(target.type);
  return {
    accumulator: 1,
    axis: op === "multiplicative-vector/1" ? parts.axis ?? 0 : -1,
    element_type,
    kernel_contract: profile?.fields.kernel_contract ?? 0,
    merge: parts.merge ?? false,
    op,
    order,
    profile: profile ? profileId(profile.name, profileBody(profile)) : new Uint8Array(32),
    rank: op === "lora/1" ? tensors.a.shape[0] : 0,
    scale: parts.scale ?? [1, 1],
    shape: target.shape,
    target: reference(target),
    tensors: Object.fromEntries(
      Object.entries(tensors).map(([operand, tensor]) => [operand, reference(tensor)]),
    ),
  };
}

const reference = (tensor: Omit<TensorDescription, "payload">): TensorRef => ({
  layer: tensor.layer ?? -1,
  name: tensor.name,
  role: tensor.role,
  subindex_0: tensor.subindex_0 ?? -1,
  subindex_1: tensor.subindex_1 ?? -1,
});
