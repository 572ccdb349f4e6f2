/** `lab conform`: the corpus against any reader, ours or a stranger's. */
import { Command } from "commander";
import { fileURLToPath } from "node:url";
import { reportLines } from "../../reports/conformance/json.ts";
import { holds } from "../../reports/conformance/model.ts";
import { summary } from "../../reports/conformance/terminal.ts";
import {
  askOf,
  Files,
  isBuilt,
  loadCorpus,
  select,
  type Selection,
  selectionText,
} from "../conform/cases.ts";
import { checkClaim, loadClaim } from "../conform/check.ts";
import { conform, type Conformed, type Who } from "../conform/conform.ts";
import { parseKnown } from "../conform/known.ts";
import { writeReports } from "../conform/write.ts";
import { EXIT, setExit, UsageError } from "../exit.ts";
import { decimal, wholeNumber, workerCount } from "../options.ts";
import { READER_NAMES } from "../readers.ts";
import { HELLO, requestLine } from "../testee/wire.ts";

const GOLDEN = fileURLToPath(new URL("../../corpus/golden/", import.meta.url));

interface Options {
  readonly testee?: readonly string[];
  readonly reader?: readonly string[];
  readonly corpus?: string;
  readonly tag?: readonly string[];
  readonly case?: readonly string[];
  readonly expectedFailures?: readonly string[];
  readonly workers: number;
  readonly timeLimit: number;
  readonly memoryLimit: number;
  readonly giveUp: number;
  readonly send: string;
  readonly resume?: string;
  readonly out?: string;
  readonly check?: string;
  readonly show: number;
  readonly requests?: true;
  readonly json?: true;
}

const HELP = `
A testee is a program that speaks corpus/spec/testee.md: it reads one JSON object a line and
answers one a line. corpus/examples/reader.py is a small one to begin from:

  $ deno task lab conform --testee "python3 corpus/examples/reader.py"

While a reader grows, let it say how far it goes ("stages":[1,16]) and skip the rest: a
case beyond its stages is out of scope, a skip within them is a failure. To work on
one thing, choose cases by id or tag:

  $ deno task lab conform --testee ./my-reader --case 'corrupt/header/**' --tag '!stage-10'

What it gets wrong and cannot mend yet goes into a list for --expected-failures:

  {"format":"slm2-expected-failures/1","testee":"my reader","failures":[
   {"id":"corrupt/header/magic/magic-byte-0","result":"accept","reason":"bug 17"}]}

The run then holds as long as each of them fails in just that way; a success, another
result, or an entry that no longer fits fails it. --out drafts the list; one with an empty
reason is refused.

To look at one case in a debugger, send it what it would be sent:

  $ deno task -q lab conform --case corrupt/header/magic/magic-byte-0 --requests --send bytes |
      ./my-reader

In a nightly: --out DIR leaves junit.xml, report.json, report.html (opens offline), and for each
testee a claim and its badge. A claim is what the testee answered to every case;
anybody can run it again and compare, and it names the corpus by its content id:

  $ deno task lab conform --check DIR/claim-1.json --testee ./my-reader

Results are seven and never merged: accept, reject, skip; crash, hang (no answer within
--time-limit), memory (over --memory-limit), protocol (an answer that is none). After the last
four the testee is started again.

Exit codes: 0 all as the spec says (or known), 1 not, 2 usage or I/O, 3 two testees contradict
each other.`;

export default function (): Command {
  const several = (value: string, before: readonly string[] = []) => [...before, value];
  const listed = (value: string, before?: readonly string[]) => [
    ...(before ?? []),
    ...value.split(","),
  ];
  return new Command("conform")
    .description(
      "Runs the golden corpus against any reader, and says where which is wrong and why.",
    )
    .option(
      "--testee <command>",
      "program to run, split like a shell would; repeatable",
      several,
    )
    .option(
      "--reader <names>",
      `readers of the house: ${READER_NAMES.join(",")}; with @chromium behind it, in a browser`,
      listed,
    )
    .option("--corpus <folder>", "folder with index.json (left out: the golden corpus)")
    .option("--tag <tags>", "only cases with one of these tags; !tag leaves out", listed)
    .option("--case <globs>", "only cases whose id matches; ** across /, ! leaves out", listed)
    .option(
      "--expected-failures <file>",
      "what a testee is known to get wrong; repeatable",
      several,
    )
    .option("--workers <n>", "processes a testee", workerCount, navigator.hardwareConcurrency)
    .option("--time-limit <seconds>", "for one answer", decimal(0.001, 86_400), 10)
    .option(
      "--memory-limit <MiB>",
      "resident, for one process with its children",
      decimal(1, 2 ** 20),
      1024,
    )
    .option("--give-up <n>", "stop after so many faults in a row", wholeNumber(1), 100)
    .option("--send <how>", "artifacts by path or bytes", "path")
    .option("--resume <file>", "journal: go on where a run was broken off")
    .option("--out <folder>", "write JUnit, JSON, HTML, claims and badges")
    .option("--check <claim>", "run again and compare with a claim")
    .option("--show <n>", "failures shown in full", wholeNumber(0), 10)
    .option("--requests", "ask nobody: print the lines that a testee would be sent")
    .option("--json", "one JSON object a line")
    .addHelpText("after", HELP)
    .action(action);
}

async function action(options: Options): Promise<void> {
  const { send, reader = [], testee = [], expectedFailures = [] } = options;
  if (send !== "path" && send !== "bytes") throw new UsageError("--send takes path or bytes");
  const who: Who[] = [
    ...reader.map((reader) => ({ reader })),
    ...testee.map((command) => ({ command })),
  ];
  if (who.length === 0 && !options.requests) {
    throw new UsageError("nobody to ask: give --testee or --reader");
  }
  const corpus = loadCorpus(options.corpus ?? GOLDEN);
  const selection: Selection = { tags: options.tag ?? [], ids: options.case ?? [] };
  const chosen = select(corpus.index, selection);
  const entries = chosen.filter((entry) => isBuilt(corpus, entry));
  if (entries.length === 0) {
    const parts = new Set(corpus.index.entries.map(({ id }) => id.split("/")[0]));
    throw new UsageError(
      `no case matches: ${selectionText(selection)}; ids begin with ${
        [...parts].sort().join(", ")
      }`,
    );
  }
  if (options.requests) {
    console.log(JSON.stringify(HELLO));
    const files = new Files(corpus);
    for (const [i, entry] of entries.entries()) {
      console.log(JSON.stringify(requestLine(i + 1, askOf(entry, files, send))));
    }
    return;
  }
  const unbuilt = chosen.length - entries.length;
  const claim = options.check === undefined ? null : loadClaim(options.check, corpus.index);
  const { signal, release } = interruptible();
  try {
    const done = await conform(corpus, entries, who, {
      selection: selectionText(selection),
      notes: unbuilt > 0 ? [`${unbuilt} cases with big files were not built, so not asked`] : [],
      known: expectedFailures.map((path) => parseKnown(Deno.readTextFileSync(path), path)),
      workers: options.workers,
      limits: {
        milliseconds: options.timeLimit * 1000,
        memory: options.memoryLimit * 2 ** 20,
      },
      giveUp: options.giveUp,
      send,
      journal: options.resume,
      stopped: signal,
    });
    if (claim !== null) checkClaim(claim, done, options.json === true);
    else show(done, options);
    if (options.out !== undefined) writeReports(options.out, done);
  } finally {
    release();
  }
}

function show({ report }: Conformed, { json, show, resume, out }: Options): void {
  if (json) { for (const line of reportLines(report)) console.log(JSON.stringify(line)); }
  else {
    const colour = Deno.stdout.isTerminal() && !Deno.noColor;
    console.log(summary(report, { colour, cases: show }));
    if (out !== undefined) console.log(`\nreports in ${out}`);
    if (resume !== undefined) console.log(`\njournal in ${resume}: remove it to ask anew`);
  }
  if (!report.testees.every(holds)) setExit(EXIT.broken);
  if (report.contradictions.length > 0) setExit(EXIT.disagree);
}

/**
 * A signal that Ctrl-C raises: answers under way are waited for, reports are written. A
 * second Ctrl-C ends it at once.
 */
function interruptible(): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController();
  const stop = () => {
    if (controller.signal.aborted) Deno.exit(EXIT.usage);
    console.error("lab: waiting for the answers under way; Ctrl-C again ends at once");
    controller.abort();
  };
  Deno.addSignalListener("SIGINT", stop);
  return { signal: controller.signal, release: () => Deno.removeSignalListener("SIGINT", stop) };
}
