/** What is remembered of the findings of one folder, beside them in `triage.json`. */
import { Ajv2020 } from "ajv/2020";
import { join } from "node:path";
import { UsageError } from "../exit.ts";
import type { Standing } from "../gate/findings.ts";

export const LEDGER_FORMAT = "slm2-triage/1";

/** `new`: never seen before. `known`: seen, still there. `fixed`: gone. `regressed`: was gone. */
export type State = "new" | "known" | "fixed" | "regressed";

export interface Entry {
  /** ISO 8601 */
  readonly first_seen: string;
  /** how it stood when it was last looked at, and at which commit */
  readonly standing: Standing;
  readonly commit: string;
  /** it was gone once and came back */
  readonly regressed?: true;
  /** a person's words */
  readonly status?: string;
  readonly note?: string;
  /** a person takes it for granted: it is listed last, and stays open for the gate */
  readonly expected?: true;
}

export interface Ledger {
  readonly format: typeof LEDGER_FORMAT;
  readonly findings: Readonly<Record<string, Entry>>;
}

/** Characters of a text in it. */
const MOST_TEXT = 4096;

const TEXT = { type: "string", maxLength: MOST_TEXT };
const validate = new Ajv2020({ strict: false }).compile<Ledger>({
  type: "object",
  required: ["format", "findings"],
  additionalProperties: false,
  properties: {
    format: { const: LEDGER_FORMAT },
    findings: {
      type: "object",
      additionalProperties: {
        type: "object",
        required: ["first_seen", "standing", "commit"],
        additionalProperties: false,
        properties: {
          first_seen: TEXT,
          standing: { enum: ["open", "gone", "unknown"] },
          commit: TEXT,
          regressed: { const: true },
          status: TEXT,
          note: TEXT,
          expected: { const: true },
        },
      },
    },
  },
});

const path = (folder: string) => join(folder, "triage.json");

/** @throws UsageError where the folder's ledger is none */
export function readLedger(folder: string): Ledger {
  let ledger: unknown;
  try {
    ledger = JSON.parse(Deno.readTextFileSync(path(folder)));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { format: LEDGER_FORMAT, findings: {} };
    throw new UsageError(`${path(folder)} cannot be read: remove or mend it`);
  }
  if (!validate(ledger)) throw new UsageError(`${path(folder)} is no ledger: remove or mend it`);
  return ledger;
}

export function writeLedger(folder: string, ledger: Ledger): void {
  const draft = `${path(folder)}.${crypto.randomUUID()}.tmp`;
  Deno.writeTextFileSync(draft, JSON.stringify(ledger, null, 1) + "\n");
  Deno.renameSync(draft, path(folder));
}

/** What a person says of a finding; what is absent stays as it is. */
export interface Note {
  readonly status?: string;
  readonly note?: string;
  readonly expected?: boolean;
}

/** Keeps what a person says. @returns the finding's entry now */
export function noteIn(folder: string, name: string, { status, note, expected }: Note): Entry {
  const ledger = readLedger(folder);
  const { expected: before, ...rest } = ledger.findings[name];
  const entry: Entry = {
    ...rest,
    ...(status !== undefined && { status: status.slice(0, MOST_TEXT) }),
    ...(note !== undefined && { note: note.slice(0, MOST_TEXT) }),
    ...((expected ?? before) && { expected: true }),
  };
  writeLedger(folder, { ...ledger, findings: { ...ledger.findings, [name]: entry } });
  return entry;
}

/** What a finding is, given what is remembered and how it stands now. */
export function stateOf(before: Entry | undefined, now: Standing): State {
  if (now === "gone") return "fixed";
  if (before === undefined) return "new";
  if (before.standing === "gone" && now === "open" || before.regressed) return "regressed";
  return "known";
}

/** The entry after a look. */
export function updated(
  before: Entry | undefined,
  standing: Standing,
  commit: string,
  seen: string,
): Entry {
  const { regressed: _, ...rest } = before ?? { first_seen: seen };
  return {
    ...rest,
    standing,
    commit,
    ...(stateOf(before, standing) === "regressed" && { regressed: true }),
  };
}
