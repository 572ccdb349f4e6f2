/** A composition that a person names, activated on a backend. */
import { activate, ActiveSlot, type Context, isReject } from "../readers/runtime/mod.ts";
import type { Reject } from "../readers/contract.ts";
import { foreign } from "../reports/terminal.ts";
import { STAGE_NAMES } from "../reports/words.ts";
import { loadBackend } from "./backends.ts";
import { EXIT, setExit, UsageError } from "./exit.ts";
import { openFile, openNamedStore } from "./files.ts";
import { loadReader } from "./readers.ts";

export interface Named {
  /** path of a composition, or its id in the store */
  readonly composition: string;
  readonly store: string;
  readonly reader: string;
  readonly backend: string;
  /** a rejection is one JSON object on standard output */
  readonly json?: boolean;
}

/**
 * Activates the composition. A rejection is printed, sets the exit code, and gives null.
 * @throws UsageError where the store or the composition is not there
 */
export async function activateNamed(named: Named): Promise<Context | null> {
  const reader = await loadReader(named.reader);
  const backend = await loadBackend(named.backend);
  const store = openNamedStore(named.store);
  const source = /^[0-9a-f]{64}$/.test(named.composition)
    ? store.open(named.composition)
    : openFile(named.composition);
  if (source === null) throw new UsageError(`${named.store} holds no ${named.composition}`);
  try {
    const slot = new ActiveSlot();
    const context = await activate({ composition: source, store, reader, backend, slot });
    if (!isReject(context)) return context;
    printReject(named.composition, context, named.json);
    return null;
  } finally {
    source.close();
  }
}

/**
 * Says of `what` that it was rejected, on standard error and for `json` also as an object on
 * standard output, and sets the exit code.
 */
export function printReject(what: string, rejection: Reject, json = false): void {
  const { stage, code, section, offset, expected } = rejection;
  setExit(EXIT.broken);
  if (json) console.log(JSON.stringify(rejection));
  console.error(
    `lab: ${foreign(what)} is rejected at stage ${stage} (${STAGE_NAMES[stage]}): ${code}` +
      (section === "none" ? "" : `, section ${section}`) +
      (offset === undefined ? "" : `, offset ${offset}`) +
      (expected === undefined ? "" : `, expected ${foreign(expected)}`),
  );
}
