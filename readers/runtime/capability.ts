/**
 * What this runtime can compute: an exact registry, a profile and a backend at a time. Support
 * is never inferred from a name or from likeness, and what is missing is refused before
 * anything is built; there is no fallback (slm2.md section 8, stage 25).
 */
import type { Candidate, QuantProfile, Reject, Tensor } from "../contract.ts";
import type { Backend, Format, MatrixSpec } from "../../kernels/backend.ts";
import { reject } from "./outcome.ts";
import { REGISTERED, type RegisteredProfile } from "./profiles.ts";

type BackendName = Backend["name"];

/** A backend stands here once it has the kernel and its bit-exact vectors, not before. */
const ALL: readonly BackendName[] = ["cpu", "wasm", "webgpu"];

/** The backends that have kernels for a quantised format. */
export type Kernels = Readonly<Partial<Record<Format, readonly BackendName[]>>>;

const KERNELS: Kernels = {
  "q8-0.b32": ALL,
  "q4-0.b32": ALL,
  "q4-1.b32": ALL,
  "q5-0.b32": ALL,
  "nf4.b64": ALL,
  "q8-row": ALL,
};

/** Dense element types (7.1) that kernels take; the others cannot be computed with. */
const DENSE: ReadonlyMap<number, Format> = new Map([[1, "f32"], [2, "f16"], [3, "bf16"]]);

/**
 * `UnsupportedQuantProfile` for the first profile of `candidate` that is not registered with
 * exactly these fields, or for which `backend` has no kernel; null where all are.
 */
export function unsupportedProfile(
  candidate: Candidate,
  backend: BackendName,
  kernels = KERNELS,
): Reject | null {
  for (const profile of candidate.profiles) {
    const registered = registeredProfile(profile);
    if (!registered || !kernels[registered.format]?.includes(backend)) {
      const wanted = `a profile that the ${backend} backend has kernels for`;
      return reject(25, "UnsupportedQuantProfile", wanted, "quant");
    }
  }
  return null;
}

/** The registry's entry whose id, name and every field are those of `profile`. */
function registeredProfile(profile: QuantProfile): RegisteredProfile | null {
  const entry = REGISTERED.get(profile.profile_id);
  if (!entry || entry.name !== profile.name) return null;
  return entry.record.every((byte, i) => byte === profile.record[36 + i]) ? entry : null;
}

/**
 * How kernels see a tensor: the last axis is a row, all others together count rows. null where
 * its elements cannot be computed with.
 */
export function matrixSpec(candidate: Candidate, tensor: Tensor): MatrixSpec | null {
  const columns = tensor.shape.at(-1) ?? 1;
  const size = { rows: tensor.elements / columns, columns };
  if (tensor.profile === null) {
    const format = DENSE.get(tensor.element_type);
    return format === undefined ? null : { format, tail: "exact", ...size };
  }
  const registered = registeredProfile(candidate.profiles[tensor.profile]);
  return registered && { format: registered.format, tail: registered.tail, ...size };
}
