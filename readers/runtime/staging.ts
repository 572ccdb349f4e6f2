/**
 * Construction of a context from an accepted closure (slm2.md section 8, stage 31): prediction
 * against the memory limit, resources in handles of the candidate's own, smoke check.
 */
import type { Candidate, Reject } from "../contract.ts";
import { type AnyBackend, type KvShape, type LlamaModel, Unserved } from "../../kernels/backend.ts";
import type { BackendChoice } from "./activation.ts";
import { changesTo } from "./adapters.ts";
import type { Closure } from "./closure.ts";
import { type Context, makeContext } from "./context.ts";
import { architecture, compositionBody } from "./manifest.ts";
import { isReject, reject } from "./outcome.ts";
import { takeBlob } from "./payload.ts";
import { predict } from "./resources.ts";
import { loadTemplate, type Template } from "./template/template.ts";
import { loadTokenizer, type Tokenizer } from "./tokenizer/tokenizer.ts";
import { admitted, llamaShape, loadModel } from "./weights.ts";

export interface StagingRequest {
  readonly backend: BackendChoice;
  /** bytes that this runtime may take; absent: not judged */
  readonly memory?: number;
}

/** `kv.element_type` (classes.md section 6): element types of slm2.md 7.1. */
const KV_ELEMENTS: readonly KvShape["element"][] = ["f32", "f16", "bf16"];

/**
 * Builds the context of a closure. Rejections: `UnsupportedArchitecture` (a base that is no model
 * that runs), `ResourceLimit`, `ResourceConstruction`, `SmokeCheckFailed`, `RuntimeCapability`,
 * and `SourceIo` or `PayloadHashMismatch` where bytes are not those that were verified.
 */
export async function stage(
  composition: Candidate,
  closure: Closure,
  { backend: choice, memory = Infinity }: StagingRequest,
): Promise<Context | Reject> {
  const body = compositionBody(composition);
  const { base } = closure;
  const { llama } = architecture(base);
  if (!llama) return reject(25, "UnsupportedArchitecture", "llama/1", "manifest");

  const shape = llamaShape(llama);
  const kv_element = KV_ELEMENTS[body.kv.element_type - 1];
  const positions = Math.min(body.kv.max_positions, llama.max_seq);
  const changes = changesTo(base, closure.adapters);
  const resources = predict({
    composition,
    dependencies: closure.dependencies,
    base,
    changed: new Set(changes.keys()),
    shape,
    kv: { element: kv_element, positions },
    backend: choice.name,
  });
  if (resources.host_peak > memory) {
    return reject(31, "ResourceLimit", `${resources.host_peak} bytes`);
  }

  const text = loadText(closure);
  if (isReject(text)) return text;
  const { tokenizer, template } = text;

  using owned = new DisposableStack();
  const backend = admitted(await choice.open());
  if (isReject(backend)) return backend;
  owned.defer(() => backend.close());
  const model = await loadModel(backend, { base, parameters: llama, changes });
  if (isReject(model)) return model;
  const failed = await smokeCheck(backend, model, kv_element);
  if (failed) return failed;

  return makeContext({
    identities: composition.identities,
    body,
    backend,
    model,
    tokenizer,
    template,
    stop_tokens: new Set([
      ...body.generation.stop_tokens,
      ...tokenizer.stopTokens,
      ...template?.stopTokens ?? [],
    ]),
    kv_element,
    positions,
    resources,
  }, owned.move());
}

/** One token through the whole model: every logit finite. */
async function smokeCheck(
  backend: AnyBackend,
  model: LlamaModel,
  element: KvShape["element"],
): Promise<Reject | null> {
  const session = admitted(backend.session(model, { element, positions: 1 }));
  if (isReject(session)) return session;
  try {
    const logits = await session.forward([0], 0);
    return logits.every(Number.isFinite) ? null : reject(31, "SmokeCheckFailed", "finite logits");
  } catch (error) {
    if (error instanceof Unserved) return admitted<Reject>(error.refusal);
    throw error;
  } finally {
    session.close();
  }
}

/** The tokenizer and, where the composition has one, the chat template. */
function loadText(
  closure: Closure,
): { readonly tokenizer: Tokenizer; readonly template: Template | null } | Reject {
  const tokenizer = loadFrom<Tokenizer>(closure.tokenizer, loadTokenizer);
  if (isReject(tokenizer)) return tokenizer;
  const template = closure.template && loadFrom<Template>(closure.template, loadTemplate);
  return isReject(template) ? template : { tokenizer, template };
}

/** Loads an artifact that is used from memory. */
function loadFrom<T extends object>(
  candidate: Candidate,
  load: (
    candidate: Candidate,
    blobs: (index: number) => Uint8Array,
  ) => T | { readonly error: string; readonly detail: string },
): T | Reject {
  const blobs = takeBlobs(candidate);
  if (isReject(blobs)) return blobs;
  const loaded = load(candidate, (index) => blobs[index]);
  if (!("error" in loaded)) return loaded;
  return reject(31, "ResourceConstruction", `${loaded.error}: ${loaded.detail}`);
}

function takeBlobs(candidate: Candidate): Uint8Array[] | Reject {
  const taken: Uint8Array[] = [];
  for (const index of candidate.blobs.keys()) {
    const bytes = takeBlob(candidate, index);
    if (isReject(bytes)) return bytes;
    taken.push(bytes);
  }
  return taken;
}
