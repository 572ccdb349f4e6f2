/** Tensors as f32 values on the host: where adapters and retrieval compute. */
import type { Candidate, Reject } from "../contract.ts";
import { decode } from "../../kernels/quant/codec.ts";
import { matrixSpec } from "./capability.ts";
import { isReject, reject } from "./outcome.ts";
import { takeTensor } from "./payload.ts";

/** Auxiliary kind 1 (slm2.md 7.5). */
const SCALE = 1;

/**
 * Tensor `index` dequantised, row-major. `ResourceConstruction` where its elements cannot be
 * computed with; `SourceIo` or `PayloadHashMismatch` where its bytes are not those verified.
 */
export function takeValues(candidate: Candidate, index: number): Float32Array | Reject {
  const spec = matrixSpec(candidate, candidate.tensors[index]);
  if (!spec) return reject(31, "ResourceConstruction", "f32, f16, bf16 or a registered profile");
  const scales = rowScales(candidate, index);
  if (isReject(scales)) return scales;
  const bytes = takeTensor(candidate, index);
  if (isReject(bytes)) return bytes;
  return decode(spec, scales ? { bytes, scales } : { bytes });
}

/** The f32 row scales of a tensor under kernel contract 5; null where it has none. */
export function rowScales(candidate: Candidate, index: number): Float32Array | Reject | null {
  const { auxiliary_first, auxiliary_count } = candidate.tensors[index];
  const record = candidate.auxiliaries
    .slice(auxiliary_first, auxiliary_first + auxiliary_count)
    .find(({ kind }) => kind === SCALE);
  return record ? takeValues(candidate, record.target) : null;
}
