/**
 * Findings that campaigns filed, and which of them still stand. A disagreement is open until
 * both readers, as they are now, give its input one verdict; no mark of a person closes it.
 */
import { join } from "node:path";
import type { Reader } from "../../readers/contract.ts";
import { compare } from "../oracle/verdicts.ts";
import { inProcess } from "../testee/inprocess.ts";
import type { Outcome } from "../testee/testee.ts";

/** Bytes of a finding's record and input beyond which they are not read. */
const MOST_RECORD = 1 << 20;
const MOST_INPUT = 64 << 20;

/** Characters of its text that are kept. */
const MOST_TEXT = 4096;

/** Findings of a folder that are looked at; more than that is red whatever they are. */
export const MOST_FINDINGS = 10_000;

export interface Filed {
  /** name of its folder, which is that of its bucket */
  readonly name: string;
  readonly folder: string;
  readonly class: string;
  readonly key: string;
  readonly detail: string;
  readonly replay: string;
  /** when it was filed, ISO 8601 */
  readonly filed: string;
}

/** Findings in a folder, in the order of their names; none where there is no folder. */
export function filedIn(folder: string): { findings: Filed[]; more: number } {
  const names: string[] = [];
  try {
    for (const { name, isDirectory } of Deno.readDirSync(folder)) {
      if (isDirectory && !name.startsWith(".")) names.push(name);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  const findings = names.sort().slice(0, MOST_FINDINGS).map((name) =>
    filed(join(folder, name), name)
  );
  return { findings, more: names.length - findings.length };
}

/** A finding's record; one that cannot be read is a finding too, of a class of its own. */
function filed(folder: string, name: string): Filed {
  const text = (value: unknown) => typeof value === "string" ? value.slice(0, MOST_TEXT) : "";
  try {
    const path = join(folder, "finding.json");
    const { size, mtime } = Deno.statSync(path);
    if (size > MOST_RECORD) throw new RangeError("too long");
    const raw = JSON.parse(Deno.readTextFileSync(path));
    return {
      name,
      folder,
      class: text(raw.class),
      key: text(raw.key),
      detail: text(raw.detail),
      replay: text(raw.replay),
      filed: mtime?.toISOString() ?? "",
    };
  } catch (error) {
    const detail = `its record cannot be read: ${error instanceof Error ? error.message : error}`;
    return { name, folder, class: "unreadable", key: name, detail, replay: "", filed: "" };
  }
}

/** The input of a finding: the least one that shows it where it was minimised. */
export function inputOf({ folder }: Filed): Uint8Array | null {
  for (const name of ["minimized.slm", "input.min.slm", "input.slm"]) {
    const path = join(folder, name);
    try {
      if (Deno.statSync(path).size <= MOST_INPUT) return Deno.readFileSync(path);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  return null;
}

/** What a finding's input gets now, reader by reader. */
export async function verdictsNow(
  input: Uint8Array,
  readers: readonly Reader[],
): Promise<{ reader: string; outcome: Outcome }[]> {
  const answers = [];
  for (const reader of readers) {
    const outcome = await inProcess(reader).ask({ op: "read", artifact: { bytes: input } });
    answers.push({ reader: reader.name, outcome });
  }
  return answers;
}

/** Whether verdicts of one input differ: whoever crashes differs from whoever does not. */
export function disagree(answers: readonly { readonly outcome: Outcome }[]): boolean {
  const [first, ...others] = answers;
  return others.some((other) =>
    compare(first, other).result === "disagree" ||
    (first.outcome.verdict === "crash") !== (other.outcome.verdict === "crash")
  );
}

/** How a finding stands now: it still shows, it no longer does, or it cannot be told here. */
export type Standing = "open" | "gone" | "unknown";

/**
 * Replays one finding on readers of this process. A hang or a full memory is not replayed here,
 * for it would take the process with it.
 */
export async function replayHere(one: Filed, readers: readonly Reader[]): Promise<Standing> {
  const input = one.class === "crash" || one.class === "disagreement" ? inputOf(one) : null;
  if (input === null) return "unknown";
  const answers = await verdictsNow(input, readers);
  const shows = one.class === "crash"
    ? answers.some(({ outcome }) => outcome.verdict === "crash")
    : disagree(answers);
  return shows ? "open" : "gone";
}
