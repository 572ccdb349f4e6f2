/** What has been answered so far, on disk: a run that was broken off goes on from there. */
import { UsageError } from "../exit.ts";
import type { Outcome } from "../testee/testee.ts";

const JOURNAL_FORMAT = "slm2-conform-journal/1";

/** Answers by testee and case. */
export interface Journal {
  get(testee: string, id: string): Outcome | undefined;
  put(testee: string, id: string, outcome: Outcome): void;
  close(): void;
}

export const NO_JOURNAL: Journal = { get: () => undefined, put() {}, close() {} };

/**
 * Opens a journal, made where there is none. One JSON line an answer, the first line says
 * what it is about; a last line that was cut is dropped.
 * @param about what must be the same for its answers to count: corpus and limits
 * @throws UsageError where the file is about something else
 */
export function openJournal(path: string, about: string): Journal {
  const key = (testee: string, id: string) => `${testee}\n${id}`;
  const answers = new Map<string, Outcome>();
  const head = JSON.stringify({ format: JOURNAL_FORMAT, about }) + "\n";
  const text = readIfThere(path);
  if (text !== "" && !text.startsWith(head)) {
    throw new UsageError(
      `${path} is no journal of this corpus and these limits; remove it to begin anew`,
    );
  }
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  for (const line of whole.split("\n").slice(1, -1)) {
    const { testee, id, outcome } = JSON.parse(line);
    answers.set(key(testee, id), outcome);
  }
  const file = Deno.openSync(path, { create: true, write: true, truncate: true });
  const write = (text: string) => {
    const bytes = new TextEncoder().encode(text);
    for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
  };
  write(whole || head);
  return {
    get: (testee, id) => answers.get(key(testee, id)),
    put: (testee, id, outcome) => write(JSON.stringify({ testee, id, outcome }) + "\n"),
    close: () => file.close(),
  };
}

function readIfThere(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "";
    throw error;
  }
}
