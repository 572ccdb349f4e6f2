/** `triage`: findings of a folder, what each is by now, and what a person makes of it. */
import { Command } from "commander";
import { resolve } from "node:path";
import { styleText } from "node:util";
import { fileURLToPath } from "node:url";
import { GOLDEN } from "../../corpus/golden.ts";
import { parseIndex } from "../../corpus/index.ts";
import type { Reader } from "../../readers/contract.ts";
import type { FindingView, HexRow } from "../../reports/nightly/model.ts";
import { foreign } from "../../reports/terminal.ts";
import { EXIT, setExit, UsageError } from "../exit.ts";
import { Interrupt } from "../nightly/interrupt.ts";
import { Parents } from "../nightly/parent.ts";
import { viewOf } from "../nightly/show.ts";
import { inputPathOf } from "../gate/findings.ts";
import { git, ROOT, tree } from "../gate/standing.ts";
import { wholeNumber } from "../options.ts";
import { type Progress, progress } from "../progress.ts";
import { loadReaders, READER_NAMES } from "../readers.ts";
import { Looks } from "../triage/at_commit.ts";
import { AXES, type Axis, bisect, type Bisected, commitsOf, MOST_LOOKS } from "../triage/bisect.ts";
import { type Entry, readLedger, type State, writeLedger } from "../triage/ledger.ts";
import { look, type Triaged } from "../triage/look.ts";

interface Options {
  show?: string;
  status?: string;
  note?: string;
  expected?: true;
  unexpected?: true;
  finding?: string;
  bisect?: string;
  looks: number;
  state?: string;
  most: number;
  json?: true;
}

const COLOURS: Readonly<Record<State, "red" | "yellow" | "green">> = {
  regressed: "red",
  new: "red",
  known: "yellow",
  fixed: "green",
};

/** Rows of bytes that a terminal shows. */
const ROWS = 24;

/** Signs of rows: where a verdict points, what differs, and hashes that differ in consequence. */
const MARKS: Readonly<Record<HexRow["mark"], string>> = {
  fault: "▶",
  differs: "≠",
  sealed: "#",
  "": "",
};

export default function (): Command {
  return new Command("triage")
    .argument("[folder]", "of findings, a folder each", "out/findings")
    .option("--state <name>", `only these: ${Object.keys(COLOURS).join(", ")}`)
    .option("--most <n>", "findings listed", wholeNumber(1), 50)
    .option("--show <name>", "one finding in full: verdicts, bytes, sentences")
    .option("--finding <name>", "which finding a status, note or mark is for")
    .option("--status <word>", "such as 'assigned to Ada'")
    .option("--note <text>", "what a colleague should know")
    .option("--expected", "take it for granted: listed last, still open for the gate")
    .option("--unexpected", "take that back")
    .option("--bisect <name>", "which moved its verdict: readers, corpus or specification")
    .option("--looks <n>", "commits looked at an axis", wholeNumber(2), MOST_LOOKS)
    .option("--json", "one JSON object a finding")
    .description(
      "Replays each finding on the readers as they are, and says whether it is new, known, fixed or\n" +
        "regressed. What it saw stays in triage.json beside them. Findings are named by any start of\n" +
        "their folder's name that no other has.",
    )
    .addHelpText(
      "after",
      `
Exit codes: 0 nothing is open, 1 something is, 2 usage or I/O, 3 an open finding divides the readers.

Examples:
  deno task lab triage
  deno task lab triage --show disagreement-1f
  deno task lab triage --finding crash-07 --status "assigned to Ada" --note "since the new CBOR reader"
  deno task lab triage --bisect disagreement-1f`,
    )
    .action(triage);
}

async function triage(folder: string, options: Options): Promise<void> {
  const { state, show, finding } = options;
  if (state !== undefined && !Object.hasOwn(COLOURS, state)) {
    throw new UsageError(`--state takes one of ${Object.keys(COLOURS).join(", ")}`);
  }
  const marks = [options.status, options.note, options.expected, options.unexpected];
  if (finding === undefined && marks.some((mark) => mark !== undefined)) {
    throw new UsageError("a status, note or mark needs --finding NAME");
  }
  const readers = await loadReaders(READER_NAMES.join(","));
  let bar: Progress | undefined;
  const { commit } = tree(ROOT);
  const { findings, more } = await look(folder, commit, {
    done: (replayed, of) => (bar ??= progress("replay", of, "findings")).update(replayed),
  });
  bar?.stop();
  if (finding !== undefined) return mark(folder, named(findings, finding), options);
  if (options.bisect !== undefined) {
    return await bisected(named(findings, options.bisect), readers, options);
  }
  if (show !== undefined) {
    const index = corpusIndex();
    const view = await viewOf(named(findings, show), readers, index, new Parents(index));
    return options.json ? console.log(JSON.stringify(view)) : print(view);
  }
  const chosen = findings.filter((one) => state === undefined || one.state === state);
  const shown = chosen.slice(0, options.most);
  for (const one of shown) options.json ? console.log(JSON.stringify(one)) : line(one);
  if (!options.json) summarise(findings, chosen.length - shown.length, more, folder);
  const open = findings.filter(({ standing }) => standing !== "gone");
  if (open.length + more > 0) setExit(EXIT.broken);
  if (open.some((one) => one.class === "disagreement")) setExit(EXIT.disagree);
}

/** @throws UsageError where not just one finding begins with `start` */
function named(findings: readonly Triaged[], start: string): Triaged {
  const found = findings.filter(({ name }) => name.startsWith(start));
  const exact = found.find(({ name }) => name === start);
  if (exact !== undefined) return exact;
  if (found.length !== 1) {
    throw new UsageError(`${found.length} findings begin with '${foreign(start)}'`);
  }
  return found[0];
}

function mark(folder: string, one: Triaged, { status, note, expected, unexpected }: Options): void {
  const ledger = readLedger(folder);
  const { expected: _, ...rest } = ledger.findings[one.name];
  const keep = expected || one.entry.expected && !unexpected;
  const entry: Entry = {
    ...rest,
    ...(status !== undefined && { status: status.slice(0, 4096) }),
    ...(note !== undefined && { note: note.slice(0, 4096) }),
    ...(keep && { expected: true }),
  };
  writeLedger(folder, { ...ledger, findings: { ...ledger.findings, [one.name]: entry } });
  line({ ...one, entry });
}

function line({ name, state, standing, class: kind, key, entry }: Triaged): void {
  const noted = [entry.status, entry.note, entry.expected && "expected"].filter(Boolean).join("; ");
  const unsure = standing === "unknown" ? " (not replayed here)" : "";
  console.log(
    `${styleText(COLOURS[state], state.padEnd(9))} ${foreign(name, 60).padEnd(28)} ${
      entry.first_seen.slice(0, 10)
    }  ${foreign(key, 100)}${unsure}`,
  );
  if (noted !== "") console.log(`          ${styleText("dim", foreign(noted))}`);
  if (kind === "unreadable") {
    console.log(`          ${styleText("red", "its record is unreadable")}`);
  }
}

function summarise(findings: readonly Triaged[], cut: number, more: number, folder: string): void {
  if (cut > 0) console.log(`… and ${cut} more (--most)`);
  if (more > 0) console.log(`… and ${more} beyond what is looked at`);
  const counts = (Object.keys(COLOURS) as State[]).map((state) =>
    `${findings.filter((one) => one.state === state).length} ${state}`
  );
  console.log(findings.length === 0 ? `no finding in ${folder}` : `\n${counts.join(", ")}`);
}

function print(view: FindingView): void {
  const { name, state, key, asked, detail, verdicts, fields, sentences, rows, moreRows, size } =
    view;
  const bold = (text: string) => styleText("bold", text);
  console.log(`${bold(foreign(name))}  ${state}, first seen ${view.firstSeen}`);
  console.log(`  bucket   ${foreign(key)}`);
  if (asked !== "") console.log(`  asked    ${foreign(asked, 300)}`);
  for (const { reader, result } of verdicts) {
    console.log(`  ${reader.padEnd(8)} ${foreign(result)}`);
  }
  if (fields.length > 0) console.log(`  ${styleText("red", `differ in ${fields.join(", ")}`)}`);
  for (const text of detail.split("\n").slice(0, 8)) console.log(`           ${foreign(text)}`);
  for (const text of sentences) console.log(`  decided  ${foreign(text, 300)}`);
  if (view.note !== "") console.log(`  noted    ${foreign(view.note)}`);
  console.log(`  replay   ${foreign(view.replay)}`);
  console.log(`  ${size} bytes${view.parent && `, against ${foreign(view.parent)}`}`);
  for (const row of rows.slice(0, ROWS)) printRow(row);
  const more = moreRows + Math.max(0, rows.length - ROWS);
  if (more > 0) console.log(`  … and ${more} more rows`);
}

function printRow({ offset, name, hex, value, mark, was }: HexRow): void {
  const text = ` ${String(offset).padStart(8)}  ${foreign(name, 34).padEnd(34)} ${hex.padEnd(49)} ${
    foreign(value, 24)
  }`;
  const sign = MARKS[mark];
  console.log(sign === "" ? ` ${text}` : styleText(mark === "sealed" ? "dim" : "red", sign + text));
  if (was !== null && mark !== "sealed") {
    console.log(styleText("dim", `${" ".repeat(40)}was  ${was || "nothing"}`));
  }
}

const corpusIndex = () => parseIndex(Deno.readTextFileSync(`${fileURLToPath(GOLDEN)}index.json`));

async function bisected(
  one: Triaged,
  readers: readonly Reader[],
  { looks, json }: Options,
): Promise<void> {
  const path = inputPathOf(one);
  if (path === null) throw new UsageError(`${one.name} has no input to look at`);
  const index = corpusIndex();
  const view = await viewOf(one, readers, index, new Parents(index));
  const sentences = view.sentences.map((text) => text.slice(0, text.indexOf(":")));
  const interrupt = new Interrupt();
  try {
    using at = new Looks(ROOT, { input: resolve(path), sentences, stopped: interrupt.signal });
    for (const axis of Object.keys(AXES) as Axis[]) {
      const commits = commitsOf(axis, ROOT);
      const bar = progress(`${axis}, ${commits.length} commits`, looks, "looks at most");
      const found = await bisect(axis, commits, at.at(axis), looks, bar.update);
      bar.stop();
      console.log(json ? JSON.stringify(found) : words(found));
    }
  } catch (error) {
    if (!interrupt.signal.aborted) throw error;
  } finally {
    interrupt.end();
  }
}

/** What it means that at present an axis says nothing of an input. */
const SILENT: Readonly<Record<Axis, string>> = {
  readers: "the present readers cannot be asked",
  corpus: "no case of the corpus is this file",
  spec: "no sentence is known that decides it",
};

function words(found: Bisected): string {
  const axis = found.axis.padEnd(8);
  if ("unmoved" in found) return `${axis} did not move it`;
  if ("unknown" in found) {
    const why = found.silent ? SILENT[found.axis] : found.unknown;
    return `${axis} ${styleText("yellow", why)}`;
  }
  const subject = foreign(git(ROOT, "log", "-1", "--format=%h %as %s", found.commit) ?? "", 120);
  if ("since" in found) return `${axis} so since ${found.since}: ${subject}`;
  return [
    `${axis} ${styleText("red", "moved it")}: ${subject}`,
    `           before: ${foreign(found.before, 400)}`,
    `           after:  ${foreign(found.after, 400)}`,
  ].join("\n");
}
