/**
 * The full runtime: from an accepted composition in a store to text, logits, KV caches and
 * retrieval. It takes a `Reader` through the contract and parses no file itself.
 *
 *     const slot = new ActiveSlot();
 *     const context = await activate({ composition, store: openStore(folder), reader, backend, slot });
 *     if (isReject(context)) ...; else await generate(context, { prompt: { text } });
 */
export { activate, type ActivationRequest, type BackendChoice } from "./activation.ts";
export { ActiveSlot, type Context } from "./context.ts";
export { Conversation } from "./conversation.ts";
export { generate, type GenerateRequest, type Generation, type Stopped } from "./generate.ts";
export { KV_ABI, type KvParts, type KvRefusal, restoreKv, saveKv } from "./kv.ts";
export { logits, type LogitsAt } from "./logits.ts";
export { isReject } from "./outcome.ts";
export type { AdmissionPolicy } from "./policy.ts";
export { encodePrompt, type Prompt, type PromptFault } from "./prompt.ts";
export { measure, type Measured, ofSequence, type Resources, weightBytes } from "./resources.ts";
export { buildRetrieval, type Hit, openRetrieval, type RetrievalIndex } from "./retrieval.ts";
export type { State } from "./states.ts";
export { openStore, type Store } from "./store.ts";
export type { Message } from "./template/render.ts";
