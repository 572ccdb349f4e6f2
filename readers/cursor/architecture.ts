/**
 * Stage 25, without a resolver: registered profiles, architectures (`classes.md` section 2)
 * and the tensor rules of classes 7 and 8 (section 9). Class 3 is in adapter.ts.
 */
import type { Reject } from "../contract.ts";
import { checkOperations } from "./adapter.ts";
import type { Artifact } from "./artifact.ts";
import { hex } from "./bytes.ts";
import { reject } from "./fault.ts";
import { llamaFault } from "./llama.ts";
import { REGISTRY } from "./profiles.ts";
import { DENSE, QUANT_RECORD, tensor, TENSOR_RECORD } from "./records.ts";
import { hasShape, isAtLayer, targetFault, unsupported } from "./tensor_rules.ts";
import { F32 } from "./types.ts";

/** Stage 25 but for dependencies. */
export function checkCapability(artifact: Artifact): Reject | null {
  const { bytes, sections: { quant } } = artifact;
  for (let i = 0; i < quant.count; i++) {
    const at = quant.offset + QUANT_RECORD * i;
    if (!REGISTRY.has(hex(bytes, at, 32))) {
      return reject(25, "UnsupportedQuantProfile", "quant", at, "a registered profile");
    }
  }
  switch (artifact.artifact_class) {
    case 1:
    case 2:
      return architectureFault(artifact);
    case 3:
      return checkOperations(artifact);
    case 7:
      return kvFault(artifact);
    case 8:
      return retrievalFault(artifact);
    default:
      return null;
  }
}

function architectureFault(artifact: Artifact): Reject | null {
  const { tape, body } = artifact;
  const architecture = tape.get(body, "architecture");
  const id = tape.get(architecture, "id");
  const parameters = tape.get(architecture, "parameters");
  if (tape.isText(id, "llama/1")) return llamaFault(artifact, parameters);
  if (!tape.isText(id, "tensor-pack/1")) return unsupported(tape.start(id), "a known architecture");
  return tape.length(parameters) === 0
    ? null
    : unsupported(tape.start(parameters), "no parameters");
}

/** KV tensors: keys of layers 0..n-1, then values, which is the order of their records. */
function kvFault({ bytes, tape, body, sections: { tensors }, strings }: Artifact): Reject | null {
  const layers = tensors.count / 2;
  if (!Number.isInteger(layers)) return unsupported(tensors.offset, "a key and a value a layer");
  const positions = tape.uint(tape.get(body, "positions"));
  const type = tape.uint(tape.get(body, "element_type"));
  const first = tensors.offset;
  const shape = [tensor.dimension(bytes, first, 0), positions, tensor.dimension(bytes, first, 2)];
  for (let i = 0; i < tensors.count; i++) {
    const at = tensors.offset + TENSOR_RECORD * i;
    const good = strings.is(tensor.role(bytes, at), i < layers ? "kv-key" : "kv-value") &&
      isAtLayer(bytes, at, i % layers) && hasShape(bytes, at, shape) &&
      tensor.element_type(bytes, at) === type;
    if (!good) return unsupported(at, "a kv-key and a kv-value a layer, all of one shape and type");
  }
  return null;
}

/** Retrieval: one tensor `vectors` [count, dim], and its scales if it has any. */
function retrievalFault(artifact: Artifact): Reject | null {
  const { bytes, tape, body, sections: { tensors }, strings, targets } = artifact;
  const shape = [tape.uint(tape.get(body, "count")), tape.uint(tape.get(body, "dim"))];
  let vectors = 0;
  for (let i = 0; i < tensors.count; i++) {
    if (targets.has(i)) continue;
    const at = tensors.offset + TENSOR_RECORD * i;
    vectors++;
    const good = vectors === 1 && strings.is(tensor.role(bytes, at), "vectors") &&
      isAtLayer(bytes, at, -1) && hasShape(bytes, at, shape) &&
      (tensor.profile(bytes, at) !== DENSE || tensor.element_type(bytes, at) === F32);
    if (!good) return unsupported(at, `one tensor: vectors, f32 or quantized, [${shape}]`);
  }
  return targetFault(artifact);
}
