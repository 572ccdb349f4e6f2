/** Stage 25: rules about tensors that several classes share. */
import type { Reject } from "../contract.ts";
import type { Artifact } from "./artifact.ts";
import { reject } from "./fault.ts";
import { auxiliary, AUXILIARY_RECORD, tensor, TENSOR_RECORD } from "./records.ts";

/** `UnsupportedArchitecture` at `at`, a record or an item. */
export function unsupported(at: number, expected: string): Reject {
  return reject(25, "UnsupportedArchitecture", "manifest", at, expected);
}

/** Whether the tensor record at `at` has layer `layer` and no subindexes. */
export function isAtLayer(bytes: Uint8Array, at: number, layer: number): boolean {
  return tensor.layer(bytes, at) === layer && tensor.subindex_0(bytes, at) === -1 &&
    tensor.subindex_1(bytes, at) === -1;
}

/** Whether the tensor record at `at` has exactly these dimensions. */
export function hasShape(bytes: Uint8Array, at: number, shape: readonly number[]): boolean {
  return tensor.rank(bytes, at) === shape.length &&
    shape.every((dimension, axis) => tensor.dimension(bytes, at, axis) === dimension);
}

/** An auxiliary target has role `scale` and the layer of each of its owners. */
export function targetFault(artifact: Artifact): Reject | null {
  const { bytes, sections: { auxiliary: table, tensors }, strings } = artifact;
  for (let i = 0; i < table.count; i++) {
    const at = table.offset + AUXILIARY_RECORD * i;
    const owner = tensors.offset + TENSOR_RECORD * auxiliary.owner(bytes, at);
    const target = tensors.offset + TENSOR_RECORD * auxiliary.target(bytes, at);
    if (!strings.is(tensor.role(bytes, target), "scale")) {
      return unsupported(target + 8, "the role scale, of an auxiliary target");
    }
    if (tensor.layer(bytes, target) !== tensor.layer(bytes, owner)) {
      return unsupported(target + 16, "the layer of its owner");
    }
  }
  return null;
}
