/**
 * Fail-atomic activation: a composition becomes active as a whole or not at all. Whatever fails,
 * at whatever step, the context that was active goes on as it was, and everything made for the
 * candidate is freed (slm2.md section 8, stages 25 to 32; the report, "Fail-atomic activation").
 */
import type { Candidate, Reader, Reject, Source } from "../contract.ts";
import type { AnyBackend, Later, Refusal } from "../../kernels/backend.ts";
import { memorySource } from "../source.ts";
import { unsupportedProfile } from "./capability.ts";
import { type Closure, resolveClosure } from "./closure.ts";
import type { ActiveSlot, Context } from "./context.ts";
import { isReject, reject } from "./outcome.ts";
import { type AdmissionPolicy, admit } from "./policy.ts";
import { stage } from "./staging.ts";
import { Progress, type State } from "./states.ts";
import type { Store } from "./store.ts";

/** A backend that can be opened, once for each context. */
export interface BackendChoice {
  readonly name: AnyBackend["name"];
  open(): Later<AnyBackend | Refusal>;
}

export interface ActivationRequest {
  readonly composition: Source;
  readonly store: Store;
  readonly reader: Reader;
  readonly backend: BackendChoice;
  readonly slot: ActiveSlot;
  /** default: nothing is asked */
  readonly policy?: AdmissionPolicy;
  /** bytes that this runtime may take, for `RuntimeCapability` and `ResourceLimit` */
  readonly memory?: number;
  /** is told of each state as it is reached; a throw fails the activation */
  readonly observe?: (state: State) => void;
}

const COMPOSITION = 6;
/** Of a composition: header, padding to 64, and the longest manifest (slm2.md sections 2 and 4). */
const MOST_COMPOSITION_BYTES = 256 + 4 * 1024 * 1024;

/**
 * Activates a composition: it is in `request.slot` when this gives a context. The rejection
 * names the stage that failed: a reader's (1 to 27) or a code of stages 25 to 32. A source that
 * is no composition is `DependencyClass`.
 * @throws Deno.errors.* where the store itself fails; what `observe` throws
 */
export async function activate(request: ActivationRequest): Promise<Context | Reject> {
  const { reader, slot, memory } = request;
  const before = slot.active;
  using files = new DisposableStack();
  using made = new DisposableStack();
  const progress = new Progress(request.observe);

  const source = receive(request.composition);
  if (isReject(source)) return source;
  progress.reach("QUARANTINED_COMPLETE");

  const { verdict, candidate } = reader.read({ source, pieces: false });
  if (verdict.verdict === "reject" && verdict.stage <= LAST_STRUCTURAL) return verdict;
  progress.reach("STRUCTURALLY_VALID");
  if (verdict.verdict === "reject") return verdict;
  if (!candidate) throw new Error(`${reader.name} accepts without a candidate`);
  progress.reach("CONTENT_VALID");

  const composition = candidate();
  const closure = resolve(composition, request, files);
  if (isReject(closure)) return closure;
  progress.reach("DEPENDENCIES_VALID");

  const inadmissible = admit(reader, composition, closure.dependencies, request.policy ?? {});
  if (inadmissible) return inadmissible;
  progress.reach("POLICY_VALID");

  const staged = await stage(composition, closure, { backend: request.backend, memory });
  if (isReject(staged)) return staged;
  const unused = made.adopt(staged, (context) => context.release());
  progress.reach("RUNTIME_STAGED");

  if (!slot.commit(before, unused)) {
    return reject(32, "CommitFailed", "the context that was active at the beginning");
  }
  made.move();
  progress.reach("ACTIVE");
  return staged;
}

/** Stages up to this one judge structure; later ones judge content. */
const LAST_STRUCTURAL = 25;

/** Takes the candidate into memory of our own, where nobody changes it any more. */
function receive(source: Source): Source | Reject {
  try {
    const size = source.size();
    if (size > MOST_COMPOSITION_BYTES) return source; // the reader says what it is
    const bytes = new Uint8Array(size);
    if (source.read(0, bytes) === size && source.size() === size) return memorySource(bytes);
  } catch {
    // as a short read
  }
  return reject(1, "SourceIo");
}

/** Closure, then capability: every profile that would be computed with has a kernel. */
function resolve(
  composition: Candidate,
  { reader, store, memory, backend }: ActivationRequest,
  files: DisposableStack,
): Closure | Reject {
  if (composition.artifact_class !== COMPOSITION) {
    return reject(25, "DependencyClass", "a composition (class 6)", "manifest");
  }
  const closure = resolveClosure(composition, { reader, store, runtime_memory: memory }, files);
  if (isReject(closure)) return closure;
  for (const artifact of [closure.base, ...closure.adapters]) {
    const fault = unsupportedProfile(artifact, backend.name);
    if (fault) return fault;
  }
  return closure;
}
