/** `gate`: whether a release may go out, from records, receipts and what is looked at now. */
import { Command } from "commander";
import { join } from "node:path";
import { styleText } from "node:util";
import { foreign } from "../../reports/terminal.ts";
import type { State } from "../gate/check.ts";
import { type GateResult, type Judged, judgeGate, statementFor } from "../gate/gate.ts";
import { live, type LiveResult } from "../gate/live.ts";
import { findRecord } from "../gate/record.ts";
import { signReceipt } from "../gate/receipt.ts";
import { standing } from "../gate/standing.ts";
import { EXIT, setExit, UsageError } from "../exit.ts";
import { openFolder } from "../files.ts";
import { repeated } from "../options.ts";

interface Options {
  records: string;
  receipts: string;
  findings: readonly string[];
  sign?: string;
  by?: string;
  key?: string;
  json?: true;
}

/** Where campaigns file what they find, seen from the root of the project. */
export const FINDINGS: readonly string[] = ["out/findings", "out/fuzz/findings"];

const LOOK: Readonly<Record<State, { mark: string; colour: "green" | "yellow" | "red" }>> = {
  held: { mark: "held   ", colour: "green" },
  waiting: { mark: "waiting", colour: "yellow" },
  missing: { mark: "MISSING", colour: "red" },
  broken: { mark: "BROKEN ", colour: "red" },
};

/** Open findings that are named for machines; `triage --json` has all. */
const OPEN = 100;

/** Lines of sentences without vectors or campaigns that a terminal shows. */
const SHOWN = 10;

export default function (): Command {
  return new Command("gate")
    .description(
      "Holds the evidence that a release needs, and the stop rules, against recorded results of this\n" +
        "very commit, corpus and specification. A record of anything else, or one that was edited,\n" +
        "counts as missing. The readers are run over the corpus and over every open finding here and\n" +
        "now: where they disagree it is broken, and no option passes it.",
    )
    .option("--records <folder>", "records of the nightly", "out/records")
    .option("--receipts <folder>", "statements that people signed", "receipts")
    .option("--findings <folder>", "a further folder of findings; repeatable", repeated, FINDINGS)
    .option("--sign <id>", "sign the statement of a requirement, to be put into --receipts")
    .option("--by <name>", "who signs: a name of lab/gate/reviewers.json")
    .option("--key <file>", "their key: openssl genpkey -algorithm ed25519")
    .option("--json", "one object a requirement, then one for the whole")
    .addHelpText(
      "after",
      `
Exit codes: 0 all within this project's reach holds (what waits for a person is shown), 1 something
is broken or missing, 2 usage or I/O, 3 two readers disagree.

Examples:
  deno task lab nightly && deno task lab gate
  deno task lab gate --sign E12 --by "A. Reviewer" --key reviewer.pem`,
    )
    .action(gate);
}

async function gate(options: Options): Promise<void> {
  for (const folder of options.findings) if (!FINDINGS.includes(folder)) openFolder(folder);
  const now = standing();
  if (options.sign !== undefined) return await sign(options.sign, options);
  const campaign = findRecord(options.records, "fuzz", now);
  const looked = await live(options.findings, campaign);
  const { records, receipts } = options;
  const result = await judgeGate({ now, records, receipts, live: looked });
  if (options.json) printJson(result, looked);
  else print(result, looked);
  setExit(result.exit);
}

async function sign(id: string, { by, key, receipts }: Options): Promise<void> {
  const statement = statementFor(id);
  if (statement === null) throw new UsageError(`no requirement asks for a receipt '${id}'`);
  if (by === undefined || key === undefined) throw new UsageError("--sign needs --by and --key");
  const date = new Date().toISOString().slice(0, 10);
  const text = Deno.readTextFileSync(key);
  const receipt = await signReceipt({ id, statement, by, date }, standing(), text).catch(() => {
    throw new UsageError(`${key} is no Ed25519 key in PEM (PKCS #8)`);
  });
  Deno.mkdirSync(receipts, { recursive: true });
  const path = join(receipts, `${id}.json`);
  Deno.writeTextFileSync(path, JSON.stringify(receipt, null, 1) + "\n");
  console.log(`${by} states that ${statement}\n${path}`);
}

function printJson({ now, evidence, stopRules, exit }: GateResult, looked: LiveResult): void {
  for (const one of [...evidence, ...stopRules]) console.log(JSON.stringify(one));
  const { clauses, independence } = looked;
  const open = {
    count: looked.open.length,
    first: looked.open.slice(0, OPEN).map(({ folder, class: kind, key }) => ({
      folder,
      class: kind,
      key,
    })),
  };
  console.log(
    JSON.stringify({ gate: exit === EXIT.holds, exit, now, clauses, independence, open }),
  );
}

function print({ now, evidence, stopRules, exit }: GateResult, looked: LiveResult): void {
  console.log(
    `commit ${now.commit.slice(0, 12)}${now.clean ? "" : " with changes"}, corpus ${
      now.corpus.slice(0, 12)
    }, specification ${now.spec.slice(0, 12)}`,
  );
  console.log(`\n${styleText("bold", "Evidence required")}`);
  evidence.forEach(printOne);
  console.log(`\n${styleText("bold", "Stop rules")}, held where what they name does not remain`);
  stopRules.forEach(printOne);
  const { withoutVector, unreached } = looked.clauses;
  sentences("sentences of the specification without a vector", withoutVector);
  sentences("sentences that the last campaign did not reach", unreached ?? []);
  const all = [...evidence, ...stopRules];
  const count = (state: State) => all.filter((one) => one.state === state).length;
  const counts = (["held", "waiting", "missing", "broken"] as const)
    .map((state) => `${count(state)} ${state}`).join(", ");
  const verdict = exit === EXIT.holds
    ? styleText("green", "The gate is open for what is within this project's reach.")
    : styleText(
      "red",
      exit === EXIT.disagree ? "Two readers disagree: stop." : "The gate is shut.",
    );
  console.log(`\n${counts} of ${all.length}. ${verdict}`);
}

function printOne({ id, sentence, state, judgements }: Judged): void {
  const { mark, colour } = LOOK[state];
  console.log(`${styleText(colour, mark)} ${id.padEnd(4)}${sentence}`);
  for (const { state, why, command } of judgements) {
    if (state === "held") continue;
    console.log(`             ${styleText(LOOK[state].colour, state)}: ${foreign(why, 600)}`);
    if (command !== "") console.log(`             ${styleText("dim", command)}`);
  }
}

function sentences(title: string, list: readonly string[]): void {
  if (list.length === 0) return;
  console.log(`\n${list.length} ${title}:`);
  for (const line of list.slice(0, SHOWN)) console.log(`  ${foreign(line)}`);
  if (list.length > SHOWN) console.log(`  … and ${list.length - SHOWN} more (--json)`);
}
