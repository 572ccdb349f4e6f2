/**
 * Findings that campaigns filed, and which of them still stand. One is open until no oracle has
 * anything to say of its input, with the readers as they are now; no mark of a person closes it.
 */
import { join } from "node:path";
import { askAlone } from "../campaign/alone.ts";
import { AS_IT_STANDS } from "../campaign/court.ts";
import { Judge } from "../campaign/judge.ts";
import { probeInput } from "../campaign/probe_name.ts";
import type { FindingClass } from "../oracle/oracle.ts";
import type { Flaw } from "../campaign/subject.ts";

/** Bytes of a finding's record and input beyond which they are not read. */
const MOST_RECORD = 1 << 20;
const MOST_INPUT = 64 << 20;

/** Classes of findings (`lab/oracle/oracle.ts`). */
const CLASSES: ReadonlySet<string> = new Set<FindingClass>([
  "crash",
  "hang",
  "memory",
  "protocol",
  "disagreement",
]);

/** Characters of its text that are kept. */
const MOST_TEXT = 4096;

/** Findings of a folder that are looked at; more than that is red whatever they are. */
export const MOST_FINDINGS = 10_000;

/** Time for the replay of a folder's findings; what is not replayed by then cannot be told. */
const REPLAY_MS = 120_000;

export interface Filed {
  /** name of its folder, which is that of its bucket */
  readonly name: string;
  readonly folder: string;
  readonly class: string;
  readonly key: string;
  readonly detail: string;
  readonly replay: string;
  /** the id of the sentence that decides it, where the oracle named one */
  readonly clause: string;
  /** the seeded fault that was planted when it was found; empty for readers as they stand */
  readonly fault: string;
  /** the command of another's reader that it is about; empty where it is about ours */
  readonly testee: string;
  /** the folder in which that command was started; empty where the record does not tell */
  readonly testeeIn: string;
  /** the probe of growing work of which its input is the file; empty where it is none */
  readonly probe: string;
  /** when it was filed, ISO 8601 */
  readonly filed: string;
}

/**
 * Findings in a folder, the first by name; none where there is no folder. Memory and time are those
 * of `most` findings, however many there are.
 */
export async function filedIn(
  folder: string,
  most = MOST_FINDINGS,
): Promise<{ findings: Filed[]; more: number }> {
  const { names, more } = await foldersIn(folder, most);
  return { findings: names.map((name) => filed(join(folder, name), name)), more };
}

/** The first `most` folders by name, and how many there are beyond them. */
export async function foldersIn(
  folder: string,
  most: number,
): Promise<{ names: string[]; more: number }> {
  const least: string[] = [];
  let all = 0;
  const cut = () => least.sort().splice(most);
  try {
    // a list of them all would not be bounded, as `readDirSync` makes it
    for await (const { name, isDirectory } of Deno.readDir(folder)) {
      if (!isDirectory || name.startsWith(".")) continue;
      all++;
      if (least.push(name) > 2 * most) cut();
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  cut();
  return { names: least, more: all - least.length };
}

/** A finding's record; one that cannot be read is a finding too, of a class of its own. */
function filed(folder: string, name: string): Filed {
  const text = (value: unknown) => typeof value === "string" ? value.slice(0, MOST_TEXT) : "";
  try {
    const path = join(folder, "finding.json");
    const { size, mtime } = Deno.statSync(path);
    if (size > MOST_RECORD) throw new RangeError("too long");
    const raw = JSON.parse(Deno.readTextFileSync(path));
    if (!CLASSES.has(raw.class)) throw new TypeError("it names no class of findings");
    return {
      name,
      folder,
      class: text(raw.class),
      key: text(raw.key),
      detail: text(raw.detail),
      replay: text(raw.replay),
      clause: text(raw.clause?.id),
      fault: text(raw.fault),
      testee: text(raw.testee),
      testeeIn: text(raw.testeeIn),
      probe: text(raw.probe),
      filed: mtime?.toISOString() ?? "",
    };
  } catch (error) {
    const detail = `its record cannot be read: ${error instanceof Error ? error.message : error}`;
    return {
      name,
      folder,
      class: "unreadable",
      key: name,
      detail,
      replay: "",
      clause: "",
      fault: "",
      testee: "",
      testeeIn: "",
      probe: "",
      filed: "",
    };
  }
}

/** Where the input of a finding is: the least one that shows it, where it was minimised. */
export function inputPathOf({ folder }: Filed): string | null {
  for (const name of ["minimized.slm", "input.slm"]) {
    const path = join(folder, name);
    try {
      if (Deno.statSync(path).size <= MOST_INPUT) return path;
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  return null;
}

export function inputOf(one: Filed): Uint8Array | null {
  const path = inputPathOf(one);
  return path === null ? null : Deno.readFileSync(path);
}

/** How a finding stands now: it still shows, it no longer does, or it cannot be told here. */
export type Standing = "open" | "gone" | "unknown";

export interface Replayed {
  readonly standing: Standing;
  /** readers disagree on it; where it cannot be told, what it was filed as counts */
  readonly divides: boolean;
}

/** All that the oracles say of an input. */
export type Ask = (input: Uint8Array) => Promise<readonly Pick<Flaw, "class">[]>;

/** Where a finding cannot be replayed, what it was filed as counts. */
const unknown = ({ class: kind }: Filed): Replayed => ({
  standing: "unknown",
  divides: kind === "disagreement",
});

/**
 * Replays one finding by readers and oracles as they are now: it is gone only where nothing at all
 * is wrong with its input. No command that stands in a file is run, so that of another's reader is
 * unknown here.
 */
export async function replay(one: Filed, ask: Ask): Promise<Replayed> {
  const input = inputOf(one);
  if (input === null || one.class === "unreadable" || one.testee !== "") return unknown(one);
  const flaws = await ask(one.probe === "" ? input : probeInput(one.probe));
  return {
    standing: flaws.length > 0 ? "open" : "gone",
    divides: flaws.some((flaw) => flaw.class === "disagreement"),
  };
}

/**
 * Gives `use` a judge for as long as it takes: a process, which a hang or a full memory ends, not
 * this one. After `milliseconds` it is asked no more, and everything is unknown.
 */
export async function withReplays<T>(
  use: (replayed: (one: Filed) => Promise<Replayed>) => Promise<T>,
  milliseconds = REPLAY_MS,
): Promise<T> {
  const judge = new Judge(AS_IT_STANDS), deadline = performance.now() + milliseconds;
  try {
    return await use(async (one) =>
      performance.now() > deadline ? unknown(one) : await replay(
        one,
        (input) => one.probe === "" ? judge.ask(input) : askAlone(input), // with counters
      )
    );
  } finally {
    await judge.close();
  }
}
