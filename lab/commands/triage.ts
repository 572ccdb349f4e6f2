/** `triage`: findings of a folder, what each is by now, and what a person makes of it. */
import { Command } from "commander";
import { fileURLToPath } from "node:url";
import { GOLDEN } from "../../corpus/golden.ts";
import { parseIndex } from "../../corpus/index.ts";
import type { FindingView } from "../../reports/nightly/model.ts";
import { foreign } from "../../reports/terminal.ts";
import { EXIT, setExit, UsageError } from "../exit.ts";
import { openFolder } from "../files.ts";
import { ROOT, tree } from "../gate/standing.ts";
import { Interrupt } from "../nightly/interrupt.ts";
import { Parents } from "../nightly/parent.ts";
import { viewOf } from "../nightly/show.ts";
import { wholeNumber } from "../options.ts";
import { type Progress, progress } from "../progress.ts";
import { loadReaders, READER_NAMES } from "../readers.ts";
import { type Axis, MOST_LOOKS } from "../triage/bisect.ts";
import { noteIn, type State } from "../triage/ledger.ts";
import {
  bisectLines,
  COLOURS,
  deciding,
  findingLine,
  remarks,
  viewLines,
} from "../triage/lines.ts";
import { look, type Triaged } from "../triage/look.ts";
import { moved } from "../triage/moved.ts";
import { work } from "../triage/work.ts";

interface Options {
  show?: string;
  status?: string;
  note?: string;
  expected?: true;
  unexpected?: true;
  finding?: string;
  bisect?: string;
  looks: number;
  work?: true;
  state?: string;
  most: number;
  json?: true;
}

/** Where the nightly files what it finds; there is none before the first. */
const FINDINGS = "out/findings";

export default function (): Command {
  return new Command("triage")
    .argument("[folder]", "of findings, a folder each", FINDINGS)
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
    .option("--work", "a screen to read, note and bisect in")
    .option("--json", "one JSON object a finding")
    .description(
      "Replays each finding on the readers as they are, and says whether it is new, known, fixed or\n" +
        "regressed; one about a testee is asked of that again, by the command that stands in it. What it saw stays in triage.json beside them. Findings are named by any start of\n" +
        "their folder's name that no other has.",
    )
    .addHelpText(
      "after",
      `
Exit codes: 0 nothing is open, 1 something is, 2 usage or I/O, 3 an open finding divides the readers.

Examples:
  deno task lab triage                        what the nightly found
  deno task lab triage out/fuzz/findings      what fuzz found
  deno task lab triage --work
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
  if (folder !== FINDINGS) openFolder(folder);
  let bar: Progress | undefined;
  const { findings, more } = await look(folder, tree(ROOT).commit, {
    testees: true,
    done: (replayed, of) => (bar ??= progress("replay", of, "findings")).update(replayed),
  });
  bar?.stop();
  if (finding !== undefined) {
    const one = named(findings, finding);
    const expected = options.expected ? true : options.unexpected ? false : undefined;
    return line({ ...one, entry: noteIn(folder, one.name, { ...options, expected }) });
  }
  const view = await viewer();
  if (options.bisect !== undefined) {
    const one = named(findings, options.bisect);
    return await bisected(one, await view(one), options);
  }
  if (show !== undefined) {
    const shown = await view(named(findings, show));
    if (options.json) return console.log(JSON.stringify(shown));
    for (const text of viewLines(shown)) console.log(text);
    return;
  }
  if (options.work) {
    if (!Deno.stdin.isTerminal() || !Deno.stdout.isTerminal()) {
      throw new UsageError("--work needs a terminal");
    }
    return await work({ folder, findings, more, looks: options.looks, view });
  }
  const chosen = findings.filter((one) => state === undefined || one.state === state);
  const shown = chosen.slice(0, options.most);
  for (const one of shown) options.json ? console.log(JSON.stringify(one)) : line(one);
  if (!options.json) summarise(findings, chosen.length - shown.length, more, folder);
  const open = findings.filter(({ standing }) => standing !== "gone");
  if (open.length + more > 0) setExit(EXIT.broken);
  if (open.some((one) => one.class === "disagreement")) setExit(EXIT.disagree);
}

/** Views of findings; readers and corpus are loaded once. */
async function viewer(): Promise<(one: Triaged) => Promise<FindingView>> {
  const readers = await loadReaders(READER_NAMES.join(","));
  const index = parseIndex(Deno.readTextFileSync(`${fileURLToPath(GOLDEN)}index.json`));
  const parents = new Parents(index);
  return (one) => viewOf(one, readers, index, parents);
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

function line(one: Triaged): void {
  console.log(findingLine(one));
  for (const text of remarks(one)) console.log(`          ${text}`);
}

function summarise(findings: readonly Triaged[], cut: number, more: number, folder: string): void {
  if (cut > 0) console.log(`… and ${cut} more (--most)`);
  if (more > 0) console.log(`… and ${more} beyond what is looked at`);
  const counts = (Object.keys(COLOURS) as State[]).map((state) =>
    `${findings.filter((one) => one.state === state).length} ${state}`
  );
  console.log(findings.length === 0 ? `no finding in ${folder}` : `\n${counts.join(", ")}`);
}

async function bisected(one: Triaged, view: FindingView, { looks, json }: Options): Promise<void> {
  const sentences = deciding(one, view);
  const interrupt = new Interrupt(), stopped = interrupt.signal;
  let bar: Progress | undefined, at = "";
  const onLook = (axis: Axis, count: number, commits: number) => {
    if (at !== axis) {
      bar?.stop();
      bar = progress(`${axis}, ${commits} commits`, looks, "looks at most");
      at = axis;
    }
    bar?.update(count);
  };
  try {
    for await (const found of moved(one, { sentences, looks, stopped, onLook })) {
      bar?.stop();
      bar = undefined;
      if (json) console.log(JSON.stringify(found));
      else for (const text of bisectLines(found)) console.log(text);
    }
  } catch (error) {
    if (!stopped.aborted) throw error;
  } finally {
    bar?.stop();
    interrupt.end();
  }
}
