/** What an oracle is, what it is given, and what it says. */
import type { Candidate, Judgement, Reader, Verdict } from "../../readers/contract.ts";
import { describeAsk } from "../testee/input.ts";
import type { Ask } from "../testee/testee.ts";
import type { WatchedAllocator } from "../watchdog/allocator.ts";
import type { WatchedSource } from "../watchdog/source.ts";
import type { Companion } from "../watchdog/bounds.ts";
import type { Clause } from "./clauses.ts";

/** The five classes of findings, never merged. */
export const FINDING_CLASSES = ["crash", "hang", "memory", "protocol", "disagreement"] as const;
export type FindingClass = typeof FINDING_CLASSES[number];

/** What was thrown, where a reader threw instead of answering. */
export interface Thrown {
  readonly verdict: "throw";
  readonly error: unknown;
}

/** Who answered, and what. */
export interface Answer {
  readonly reader: { readonly name: string };
  readonly outcome: Verdict | Judgement | Thrown;
}

/** One reader's answer to the case, and what it was seen to do. */
export interface Seen extends Answer {
  readonly reader: Reader;
  readonly candidate?: () => Candidate;
  readonly source: WatchedSource;
  /** the sources of the artifacts that it may resolve, in the order given */
  readonly companions: readonly Companion[];
  readonly allocator: WatchedAllocator;
  /** what this reader holds whatever the file */
  readonly base: number;
}

/** One case of a campaign, judged by every reader. */
export interface Observation {
  /** the artifact that is asked about */
  readonly bytes: Uint8Array;
  readonly seen: readonly Seen[];
  /** the request, where it is more than to read a file */
  readonly asked?: Ask;
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
  /** of growing work: the probe's name and its size, of which the input is the file */
  readonly probe?: string;
}

/** One function on one page: null where all is well. Never throws for what a reader does. */
export type Oracle = (observation: Observation) => Finding | null;

/** The same for what takes a turn of the event loop. */
export type LaterOracle = (observation: Observation) => Promise<Finding | null>;

/** The whole tuple of an outcome in one line. */
export function tuple(outcome: Answer["outcome"]): string {
  switch (outcome.verdict) {
    case "throw":
      return `throw ${outcome.error instanceof Error ? outcome.error.stack : outcome.error}`;
    case "skip":
      return `skip: ${outcome.why}`;
    case "accept":
      return "identities" in outcome ? `accept ${JSON.stringify(outcome.identities)}` : "accept";
    case "reject": {
      const { stage, code, section, offset } = outcome;
      return `reject ${stage} ${code} [${section}]${offset === undefined ? "" : ` at ${offset}`}`;
    }
  }
}

/** What was asked, where it was more than to read a file; then what all said, one line each. */
export function tuples({ seen, asked }: Answers): string {
  const lines = seen.map(({ reader, outcome }) => `${reader.name}: ${tuple(outcome)}`);
  return [...asked === undefined ? [] : [`asked: ${describeAsk(asked)}`], ...lines].join("\n");
}

/** What several gave to one request. */
export interface Answers extends Pick<Observation, "asked" | "bytes"> {
  readonly seen: readonly Answer[];
}
