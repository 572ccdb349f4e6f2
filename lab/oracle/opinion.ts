/**
 * Oracle: a testee answers every request that the protocol lets it be asked, and says what the
 * readers say as far as its stages go (testee.md).
 */
import { stripVTControlCharacters } from "node:util";
import { subjectOf } from "../testee/input.ts";
import { type Fault, isFault, type Outcome, type TesteeInfo } from "../testee/testee.ts";
import type { Ask } from "../testee/testee.ts";
import type { Clause } from "./clauses.ts";
import { type Answer, type Finding, tuple, tuples } from "./oracle.ts";
import { sameIdentities } from "./same_identities.ts";
import { sameVerdict } from "./same_verdict.ts";
import { compare } from "./verdicts.ts";

/** Bytes of standard error that a finding quotes. */
const MOST_STDERR = 2048;

/**
 * @param readers what the house's readers said to the same request; where they part, that is a
 *   finding of its own, and the testee is held against those that it could agree with
 * @returns a disagreement, or the testee's crash, hang, memory or breach of the protocol
 */
export function opinion(
  { name, stages }: TesteeInfo,
  outcome: Outcome,
  readers: readonly Answer[],
  asked: Ask,
): Finding | null {
  const who = `testee ${name}`;
  if (isFault(outcome)) return faultOf(who, outcome, readers, asked);
  const own: Answer = { reader: { name: who }, outcome };
  const others = readers.filter((one) => one.outcome.verdict !== "throw");
  const parted = others.filter((one) =>
    compare({ outcome: one.outcome as Outcome }, { outcome, stages }).result === "disagree"
  );
  if (parted.length < others.length || others.length === 0) return null;
  const bytes = bytesOf(asked);
  const pair = { bytes, seen: [parted[0], own] };
  const finding = sameVerdict(pair) ?? sameIdentities(pair);
  if (finding === null) return null;
  const detail = tuples({ bytes, seen: [...readers, own], asked });
  return { ...finding, key: `${who}: ${finding.key}`, detail };
}

/** The artifact that is asked about, where it comes by value. */
function bytesOf(ask: Ask): Uint8Array {
  const subject = subjectOf(ask);
  return "bytes" in subject ? subject.bytes : new Uint8Array(0);
}

function faultOf(
  who: string,
  fault: Fault,
  readers: readonly Answer[],
  { op }: Ask,
): Finding {
  const { verdict, why, stderr } = fault;
  return {
    oracle: "opinion",
    class: verdict,
    key: `${who}: ${verdict} ${placeOf(fault, op)}`,
    detail: [
      ...readers.map(({ reader, outcome }) => `${reader.name}: ${tuple(outcome)}`),
      `${who}: ${verdict}: ${why}`,
      stderr.slice(-MOST_STDERR),
    ].join("\n").trimEnd(),
    clause: OWED,
  };
}

/** testee.md, its last sentence. */
export const OWED: Clause = {
  id: "testee-fault",
  text: "A crash, a hang past the per-input limit, a line that is not such an object, or an id " +
    "that does not match is a finding of its own kind (`crash`, `hang`, `protocol`), never an " +
    "accept or a reject.",
};

/** How languages tell where a program ended; the name that stands nearest to the end. */
const TRACES: readonly RegExp[] = [
  // CPython: the last frame is the innermost
  /File "[^"\n]*", line \d+, in (\S+)\n(?![\s\S]*File ")/,
  // JavaScript: the first frame is
  /^\s*at (?:async )?([\w.$<>]+) \(/m,
  // Rust
  /panicked at ([^:\n]+):/,
  // Go
  /goroutine \d+ \[running\]:\n(\S+)\(/,
  // sanitizers and debuggers
  /#0 0x[0-9a-f]+ in (\S+)/,
];

/** Characters of a line that belong to a key. */
const MOST_LINE = 100;

/**
 * Where a testee failed, so that one cause is one bucket: by its own trace; else by what was wrong
 * with its line; else by how it ended and its last words; else by what it was asked for. What the
 * readers say to the input is no part of it: an endless loop may be met at every stage of theirs.
 */
function placeOf({ verdict, why, stderr }: Fault, op: Ask["op"]): string {
  const said = stripVTControlCharacters(stderr);
  for (const trace of verdict === "crash" ? TRACES : []) {
    const place = trace.exec(said)?.[1];
    if (place !== undefined) return `in ${place}`;
  }
  // what stands behind a colon, in quotes or as a number is the testee's own
  if (verdict === "protocol") return why.split(":")[0].replace(/".*"|\d+/g, "#");
  const line = withoutNumbers(said.trimEnd().split("\n").at(-1) ?? "").slice(0, MOST_LINE);
  const what = line === "" ? `on ${op}` : `after "${line}"`;
  return verdict === "crash" ? `${why.replace(/ without an answer.*/, "")} ${what}` : what;
}

/** A line as it is whatever the input: numbers, addresses and hashes are one input's own. */
const withoutNumbers = (line: string): string =>
  line.trim().replace(/\b(?:0x)?[0-9a-f]*[0-9][0-9a-f]*\b|\d+/gi, "#");
