/**
 * The ledger: what each released case means, so that an id never gets another meaning. A line
 * an id: the id, the version that brought it, and a digest of the question and the answer.
 */
import { createHash } from "node:crypto";
import type { Entry, Index } from "../../corpus/index.ts";
import { LEDGER, type Ledger, readLedger } from "../../corpus/ledger.ts";

/** Hexadecimal digits of a meaning: enough that no two are taken for one by chance. */
const DIGITS = 16;

/** What is asked, about which bytes, and the answer. Reasons, tags and clauses may change. */
export function meaning({ op = "read", sha256, request, expected, may_differ }: Entry): string {
  const parts = JSON.stringify([op, sha256 ?? null, request ?? null, expected, may_differ ?? null]);
  return createHash("sha256").update(parts).digest("hex").slice(0, DIGITS);
}

/** Released ids that are gone, or mean something else, and are not withdrawn. */
export function* ledgerFaults(index: Index, ledger: Ledger = readLedger()): Generator<string> {
  const entries = new Map(index.entries.map((entry) => [entry.id, entry]));
  for (const [id, released] of ledger) {
    const entry = entries.get(id);
    if (!entry) yield `${id} was released in ${released.since} and is gone; withdraw it instead`;
    else if (!entry.withdrawn && meaning(entry) !== released.meaning) {
      yield `${id} was released in ${released.since} and now means something else; withdraw it`;
    }
  }
}

/**
 * Adds every case of an index to the ledger.
 * @throws Error where a released one changed
 */
export function writeLedger(index: Index): void {
  const ledger = readLedger();
  const [fault] = ledgerFaults(index, ledger);
  if (fault !== undefined) throw new Error(fault);
  const lines = index.entries.map((entry) =>
    `${entry.id} ${ledger.get(entry.id)?.since ?? index.version} ${meaning(entry)}\n`
  );
  Deno.writeTextFileSync(LEDGER, lines.join(""));
}
