/** The `key` of an adapter's operation (`classes.md` section 3), and the tensor that it names. */
import type { Artifact } from "./artifact.ts";
import { tensor, TENSOR_RECORD } from "./records.ts";
import type { Tape } from "./tape.ts";

/**
 * The index of the tensor of `artifact` that the key names, or -1.
 *
 * @param tape the manifest in which the key stands: this artifact's, or its adapter's
 */
export function findTensor(artifact: Artifact, tape: Tape, key: number): number {
  const { bytes, sections: { tensors }, strings } = artifact;
  const idOf = (field: string) => {
    const item = tape.get(key, field);
    return strings.find(tape.bytes, tape.body(item), tape.end(item));
  };
  // A bigint is no i32, and stays none when it is rounded.
  const numberOf = (field: string) => Number(tape.integer(tape.get(key, field)));
  const [role, name] = [idOf("role"), idOf("name")];
  if (role < 0 || name < 0) return -1;
  const want = [role, numberOf("layer"), numberOf("subindex_0"), numberOf("subindex_1"), name];

  let low = 0;
  let high = tensors.count;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const at = tensors.offset + TENSOR_RECORD * middle;
    const order = tensor.role(bytes, at) - want[0] || tensor.layer(bytes, at) - want[1] ||
      tensor.subindex_0(bytes, at) - want[2] || tensor.subindex_1(bytes, at) - want[3] ||
      tensor.name(bytes, at) - want[4];
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return -1;
}
