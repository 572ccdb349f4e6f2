/**
 * Oracle: a runtime takes what readers accept, or refuses it with a code of stages 25 to 32; it
 * never throws. The artifact is bound into a composition beside the parts of the house.
 */
import type { Candidate, Hex, Identities, Reader, Reject } from "../../readers/contract.ts";
import { activate } from "../../readers/runtime/activation.ts";
import { ActiveSlot, type Context } from "../../readers/runtime/context.ts";
import { isReject } from "../../readers/runtime/outcome.ts";
import { openRetrieval } from "../../readers/runtime/retrieval.ts";
import type { Store } from "../../readers/runtime/store.ts";
import { openCpu } from "../../kernels/cpu/backend.ts";
import { memorySource } from "../../readers/source.ts";
import { isWriteError } from "../../corpus/writer/fault.ts";
import { write, type Written } from "../../corpus/writer/write.ts";
import { clause } from "./clauses.ts";
import { bind, type House } from "./house.ts";
import type { Finding, LaterOracle } from "./oracle.ts";
import { accepted } from "./runtime.ts";
import { throwPlace } from "./total.ts";

const NAME = "admits";
/** The first stage that is a runtime's to judge. */
const FIRST_OWN = 25;
/** Larger models are not tried here: a campaign asks thousands of times. */
const MOST_BYTES = 1 << 16;

/** The runtime under test. */
export interface Admission {
  readonly activate: typeof activate;
  readonly ActiveSlot: typeof ActiveSlot;
  readonly openRetrieval: typeof openRetrieval;
  readonly openCpu: typeof openCpu;
}
export const HOUSE_ADMISSION: Admission = { activate, ActiveSlot, openRetrieval, openCpu };

/** What is asked of a context, while it is active. */
export type Further = (context: Context, reader: Reader) => Promise<Finding | null>;

/** @param further is asked where the runtime took the artifact and made a context with it */
export function admits(
  house: House,
  admission: Admission = HOUSE_ADMISSION,
  further?: Further,
): LaterOracle {
  return async (observation) => {
    const reader = observation.seen.find(({ outcome }) => outcome.verdict === "accept")?.reader;
    const found = observation.bytes.length > MOST_BYTES ? null : accepted(observation);
    if (!reader || found === null) return null;
    const { candidate } = found;
    try {
      const refusal = await admit(
        admission,
        house,
        reader,
        { bytes: observation.bytes, candidate },
        further,
      );
      if (refusal === null || "oracle" in refusal) return refusal;
      if (refusal.stage >= FIRST_OWN) return null;
      return flaw(candidate, "disagreement", `${refusal.stage} ${refusal.code}`, refusal);
    } catch (error) {
      return flaw(candidate, "crash", `throw ${throwPlace(error)}`, error);
    }
  };
}

function flaw(
  { artifact_class }: Candidate,
  kind: Finding["class"],
  what: string,
  why: unknown,
): Finding {
  const text = why instanceof Error ? why.stack ?? why.message : JSON.stringify(why);
  return {
    oracle: NAME,
    class: kind,
    key: `${NAME} ${what}`,
    detail: `class ${artifact_class}: ${text}`,
    clause: clause("slm2-8-6"),
  };
}

/** What the runtime says of an artifact; null where it takes it, or has no use for its class. */
async function admit(
  { activate, ActiveSlot, openRetrieval, openCpu }: Admission,
  house: House,
  reader: Reader,
  { bytes, candidate }: { readonly bytes: Uint8Array; readonly candidate: Candidate },
  further: Further | undefined,
): Promise<Reject | Finding | null> {
  if (candidate.artifact_class === 8) {
    const index = openRetrieval(candidate);
    return isReject(index) ? index : null;
  }
  const composition = compose(house, bytes, candidate.identities);
  if (composition === null) return null;
  const slot = new ActiveSlot();
  const context = await activate({
    composition: memorySource(composition.bytes),
    store: storeOf(
      [...Object.values(house), { bytes, identities: candidate.identities }]
        .map(({ bytes, identities }) => [identities.artifact_id, bytes]),
    ),
    reader,
    backend: { name: "cpu", open: openCpu },
    slot,
  });
  if (isReject(context)) return context;
  try {
    return await further?.(context, reader) ?? null;
  } finally {
    slot.commit(context, null);
  }
}

/** The composition in which an artifact takes the place of the house's own. */
function compose(house: House, bytes: Uint8Array, identities: Identities): Written | null {
  const { base, tokenizer } = house;
  const parts = { base: base.identities, tokenizer: tokenizer.identities };
  const place = {
    1: () => bind({ ...parts, base: identities }),
    2: () => bind({ ...parts, base: identities }),
    3: () => bind({ ...parts, adapters: [identities] }),
    4: () => bind({ ...parts, tokenizer: identities }),
    5: () => bind({ ...parts, chat_template: identities }),
  }[identities.class];
  if (identities.class === 6) return { bytes, identities };
  if (!place) return null;
  const written = write(place());
  return isWriteError(written) ? null : written;
}

/** Files under ids, in memory; of several under one id the last. */
export function storeOf(entries: Iterable<readonly [id: Hex, bytes: Uint8Array]>): Store {
  const files = new Map(entries);
  return {
    ids: () => [...files.keys()],
    open(id) {
      const bytes = files.get(id);
      return bytes ? { ...memorySource(bytes), close() {} } : null;
    },
    install() {
      throw new Error("nothing is installed into a campaign's store");
    },
  };
}
