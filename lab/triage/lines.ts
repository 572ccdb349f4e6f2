/** Findings as lines of a terminal. */
import { styleText } from "node:util";
import type { FindingView, HexRow } from "../../reports/nightly/model.ts";
import { foreign } from "../../reports/terminal.ts";
import { git, ROOT } from "../gate/standing.ts";
import { type Axis, type Bisected } from "./bisect.ts";
import type { State } from "./ledger.ts";
import type { Triaged } from "./look.ts";

export const COLOURS: Readonly<Record<State, "red" | "yellow" | "green">> = {
  regressed: "red",
  new: "red",
  known: "yellow",
  fixed: "green",
};

/** Lines of a detail, and characters of a sentence. */
const DETAIL = 12, SENTENCE = 300;

/** Signs of rows: where a verdict points, what differs, and hashes that differ in consequence. */
const SIGNS: Readonly<Record<HexRow["mark"], string>> = {
  fault: "▶",
  differs: "≠",
  sealed: "#",
  "": " ",
};

export function findingLine({ name, state, key, entry }: Triaged): string {
  return `${styleText(COLOURS[state], state.padEnd(9))} ${foreign(name, 60).padEnd(28)} ${
    foreign(entry.first_seen.slice(0, 10))
  }  ${foreign(key, 100)}`;
}

/** What is to be known beside the line: notes, and what could not be looked at. */
export function remarks({ class: kind, standing, fault, testee, entry, why }: Triaged): string[] {
  const noted = [entry.status, entry.note, entry.expected && "expected"].filter(Boolean).join("; ");
  return [
    ...(noted === "" ? [] : [styleText("dim", foreign(noted))]),
    ...(fault === "" ? [] : [styleText("dim", `with the fault ${foreign(fault)} planted`)]),
    ...(testee === "" ? [] : [styleText("dim", `about ${foreign(testee)}`)]),
    ...(kind === "unreadable"
      ? [styleText("red", "its record is unreadable")]
      : standing === "unknown"
      ? [styleText("yellow", foreign(`it was not replayed here${why ? `: ${why}` : ""}`, 300))]
      : []),
  ];
}

export function viewLines(view: FindingView): string[] {
  const { name, state, key, asked, detail, verdicts, fields, sentences, rows, moreRows, size } =
    view;
  const detailed = detail.split("\n");
  return [
    `${styleText("bold", foreign(name))}  ${state}, first seen ${foreign(view.firstSeen)}`,
    `  bucket   ${foreign(key)}`,
    ...(asked === "" ? [] : [`  asked    ${foreign(asked, SENTENCE)}`]),
    ...verdicts.map(({ reader, result }) => `  ${reader.padEnd(8)} ${foreign(result)}`),
    ...(fields.length === 0 ? [] : [`  ${styleText("red", `differ in ${fields.join(", ")}`)}`]),
    ...detailed.slice(0, DETAIL).map((text) => `           ${foreign(text)}`),
    ...sentences.map((text) => `  decided  ${foreign(text, SENTENCE)}`),
    ...(view.note === "" ? [] : [`  noted    ${foreign(view.note)}`]),
    `  replay   ${foreign(view.replay, 400)}`,
    `  ${size} bytes${view.parent && `, against ${foreign(view.parent)}`}`,
    ...rows.flatMap(rowLines),
    ...(moreRows > 0 ? [`  … and ${moreRows} more rows`] : []),
  ];
}

function rowLines({ offset, name, hex, value, mark, was }: HexRow): string[] {
  const text = `${SIGNS[mark]} ${String(offset).padStart(8)}  ${foreign(name, 34).padEnd(34)} ${
    hex.padEnd(49)
  } ${foreign(value, 24)}`;
  const look = mark === "" ? null : mark === "sealed" ? "dim" : "red";
  return [
    look === null ? text : styleText(look, text),
    ...(was === null || mark === "sealed"
      ? []
      : [styleText("dim", `${" ".repeat(41)}was  ${was || "nothing"}`)]),
  ];
}

/** Ids of the sentences that decide a finding: the oracle's own, or those of its verdicts. */
export function deciding({ clause }: Triaged, { sentences }: FindingView): string[] {
  return clause === "" ? sentences.map((text) => text.slice(0, text.indexOf(":"))) : [clause];
}

/** What it means that at present an axis says nothing of an input. */
const SILENT: Readonly<Record<Axis, string>> = {
  readers: "the present readers cannot be asked",
  corpus: "no case of the corpus is this file",
  spec: "no sentence is known that decides it",
};

export function bisectLines(found: Bisected, root = ROOT): string[] {
  const axis = found.axis.padEnd(8);
  if ("unmoved" in found) return [`${axis} did not move it`];
  if ("unknown" in found) {
    return [`${axis} ${styleText("yellow", found.silent ? SILENT[found.axis] : found.unknown)}`];
  }
  const subject = foreign(git(root, "log", "-1", "--format=%h %as %s", found.commit) ?? "", 120);
  if ("since" in found) return [`${axis} so since ${found.since}: ${subject}`];
  return [
    `${axis} ${styleText("red", "moved it")}: ${subject}`,
    ...found.before.split("\n").map((text) => `           before: ${foreign(text, SENTENCE)}`),
    ...found.after.split("\n").map((text) => `           after:  ${foreign(text, SENTENCE)}`),
  ];
}
