/** Section 7.5: what auxiliary records ask of their tensors. */
import type { AuxiliaryDescription, Description, TensorDescription } from "./description.ts";
import type { WriteError } from "./fault.ts";
import { storageOf } from "./storage.ts";

const PER_ROW_SCALE = 5;

/** The first fault of the auxiliary records, of a description whose tensors are in order. */
export function auxiliaryFault(description: Description): WriteError | null {
  const { tensors = [], auxiliaries = [], profiles = [] } = description;
  const byName = new Map(tensors.map((tensor) => [tensor.name, tensor]));
  const owners = new Set(auxiliaries.map(({ owner }) => owner));
  const kinds = new Map<string, number>();
  const profileOf = (tensor: TensorDescription) => storageOf(tensor.type, profiles).profile;
  for (const [i, one] of auxiliaries.entries()) {
    const where = `auxiliaries[${i}]`;
    const owner = byName.get(one.owner), target = byName.get(one.target);
    if (!owner || !target) {
      return {
        code: "UnknownTensor",
        where: `${where}.${owner ? "target" : "owner"}`,
        expected: "the name of a tensor",
      };
    }
    const kind = one.kind ?? 1;
    const bit = 1 << (kind - 1);
    const held = kinds.get(one.owner) ?? 0;
    const expected = kind < 1 || kind > 5 || !Number.isInteger(kind)
      ? "a kind from 1 to 5"
      : held & bit
      ? "one record of a kind for each owner"
      : profileOf(target) !== null || owners.has(one.target)
      ? "a dense target that owns no records"
      : axisFault(one, target) ??
        (kind === 1 && profileOf(owner)?.fields.kernel_contract === PER_ROW_SCALE
          ? perRowFault(one, owner, target)
          : null);
    if (expected !== null) return { code: "BadAuxiliary", where, expected };
    kinds.set(one.owner, held | bit);
  }
  for (const [i, tensor] of tensors.entries()) {
    const mask = profileOf(tensor)?.fields.auxiliary_mask ?? 0;
    if ((kinds.get(tensor.name) ?? 0) !== mask) {
      const expected = `auxiliary kinds of mask ${mask}`;
      return { code: "BadAuxiliary", where: `tensors[${i}]`, expected };
    }
  }
  return null;
}

function axisFault({ axis = 0 }: AuxiliaryDescription, target: TensorDescription): string | null {
  return Number.isInteger(axis) && axis >= -1 && axis < target.shape.length
    ? null
    : "an axis of the target, or -1";
}

/** Contract 5: axis 0, group_size 1, block_stride 0, target f32 of shape [rows]. */
function perRowFault(
  one: AuxiliaryDescription,
  owner: TensorDescription,
  target: TensorDescription,
): string | null {
  const { axis = 0, group_size = 1, block_stride = 0 } = one;
  if (axis !== 0 || group_size !== 1 || block_stride !== 0) {
    return "axis 0, group_size 1, block_stride 0";
  }
  const rows = owner.shape.slice(0, -1).reduce((product, n) => product * n, 1);
  return target.type === "f32" && target.shape.length === 1 && target.shape[0] === rows
    ? null
    : `an f32 target of shape [${rows}]`;
}
