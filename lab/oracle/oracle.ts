/** What an oracle is, what it is given, and what it says. */
import type { Candidate, Reader, Verdict } from "../../readers/contract.ts";
import type { WatchedAllocator } from "../watchdog/allocator.ts";
import type { WatchedSource } from "../watchdog/source.ts";
import type { Clause } from "./clauses.ts";

/** The five classes of findings, never merged. */
export type FindingClass = "crash" | "hang" | "memory" | "protocol" | "disagreement";

/** One reader's answer to the case, and what it was seen to do. */
export interface Seen {
  readonly reader: Reader;
  /** what was thrown, where the reader threw instead of answering */
  readonly outcome: Verdict | { readonly verdict: "throw"; readonly error: unknown };
  readonly candidate?: () => Candidate;
  readonly source: WatchedSource;
  readonly allocator: WatchedAllocator;
  /** what this reader holds whatever the file */
  readonly base: number;
}

/** One case of a campaign, judged by every reader. */
export interface Observation {
  readonly bytes: Uint8Array;
  readonly seen: readonly Seen[];
}

/** Something that must not be, of one cause as far as `key` can tell. */
export interface Finding {
  readonly oracle: string;
  readonly class: FindingClass;
  /** joins what has one cause, splits what has several; holds no offset and no free text */
  readonly key: string;
  /** whole tuples and numbers, for a person */
  readonly detail: string;
  /** the sentence that decides, where one does */
  readonly clause: Clause | null;
}

/** One function on one page: null where all is well. Never throws for what a reader does. */
export type Oracle = (observation: Observation) => Finding | null;

/** The whole tuple of an outcome in one line. */
export function tuple(outcome: Seen["outcome"]): string {
  switch (outcome.verdict) {
    case "throw":
      return `throw ${outcome.error instanceof Error ? outcome.error.stack : outcome.error}`;
    case "accept":
      return `accept ${JSON.stringify(outcome.identities)}`;
    case "reject": {
      const { stage, code, section, offset } = outcome;
      return `reject ${stage} ${code} [${section}]${offset === undefined ? "" : ` at ${offset}`}`;
    }
  }
}

/** What all readers said, one line a reader. */
export const tuples = ({ seen }: Observation): string =>
  seen.map(({ reader, outcome }) => `${reader.name}: ${tuple(outcome)}`).join("\n");
