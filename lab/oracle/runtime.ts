/** What the oracles of the runtime need of it, so that a copy with a fault can stand in its place. */
import type { Candidate } from "../../readers/contract.ts";
import type { Backend, MatrixSpec } from "../../kernels/backend.ts";
import { openCpu } from "../../kernels/cpu/backend.ts";
import { openWasm } from "../../kernels/wasm/backend.ts";
import { matrixSpec, unsupportedProfile } from "../../readers/runtime/capability.ts";
import { render } from "../../readers/runtime/template/render.ts";
import { loadTemplate } from "../../readers/runtime/template/template.ts";
import { loadTokenizer } from "../../readers/runtime/tokenizer/tokenizer.ts";
import type { Finding, Observation, Oracle } from "./oracle.ts";

/** The parts of a runtime that an artifact alone can be tried on. */
export interface RuntimeParts {
  readonly loadTokenizer: typeof loadTokenizer;
  readonly loadTemplate: typeof loadTemplate;
  readonly render: typeof render;
  readonly unsupportedProfile: typeof unsupportedProfile;
  readonly matrixSpec: typeof matrixSpec;
  readonly backends: readonly Backend[];
}

/** The house's own. @throws Error where a backend that every machine has does not open */
export function houseRuntime(): RuntimeParts {
  const backends = [openCpu(), openWasm()].map((one) => {
    if ("refused" in one) throw new Error(one.why);
    return one;
  });
  return { loadTokenizer, loadTemplate, render, unsupportedProfile, matrixSpec, backends };
}

/** An artifact that some reader accepts, decoded, with its payload at hand. */
export interface Accepted {
  readonly candidate: Candidate;
  readonly payload: (part: { readonly offset: number; readonly length: number }) => Uint8Array;
  readonly blobs: (index: number) => Uint8Array;
}

/** The first acceptance of an observation, or null. */
export function accepted({ bytes, seen }: Observation): Accepted | null {
  const one = seen.find(({ outcome }) => outcome.verdict === "accept");
  const candidate = one?.candidate?.();
  if (!candidate) return null;
  const payload: Accepted["payload"] = ({ offset, length }) =>
    bytes.subarray(offset, offset + length);
  return { candidate, payload, blobs: (index) => payload(candidate.blobs[index]) };
}

/** What an oracle of the runtime says; the wrapper adds what all of them share. */
export type RuntimeFlaw = Pick<Finding, "class" | "detail" | "clause"> & { readonly what: string };

/** An oracle over accepted artifacts of some classes; a throw of the runtime is a crash. */
export const onAccepted = (
  name: string,
  classes: readonly number[],
  place: (error: unknown) => string,
  judge: (accepted: Accepted) => RuntimeFlaw | null,
): Oracle =>
(observation) => {
  const artifact_class = observation.bytes[36];
  if (!classes.includes(artifact_class)) return null;
  const found = accepted(observation);
  if (found === null) return null;
  let flaw: RuntimeFlaw | null;
  try {
    flaw = judge(found);
  } catch (error) {
    const detail = error instanceof Error ? error.stack ?? error.message : String(error);
    flaw = { what: `throw ${place(error)}`, class: "crash", detail, clause: null };
  }
  if (flaw === null) return null;
  const { what, ...rest } = flaw;
  return { oracle: name, key: `${name} ${what}`, ...rest };
};

/** A matrix as a backend wants it, from payload bytes. */
export function loadMatrix(
  backend: Backend,
  spec: MatrixSpec,
  bytes: Uint8Array,
  scales?: Float32Array,
) {
  return backend.load(
    spec,
    (into, offset) => into.set(bytes.subarray(offset, offset + into.length)),
    scales,
  );
}
