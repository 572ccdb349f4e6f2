/** `compare`: the logit suite, with a verdict a case. */
import { Command } from "commander";
import { styleText } from "node:util";
import { BACKEND_NAMES, loadBackend } from "../backends.ts";
import { type Case, isFiles, isLogits } from "../compare/case.ts";
import { allCases } from "../compare/cases.ts";
import { Evidence } from "../compare/evidence.ts";
import { asEvidence, asJson } from "../compare/json.ts";
import {
  type CaseResult,
  isBreach,
  isOperations,
  isRejected,
  isSkipped,
  type Outcome,
  type Ran,
  runCases,
} from "../compare/run.ts";
import { EXIT, setExit, UsageError } from "../exit.ts";
import { progress } from "../progress.ts";
import { loadReaders } from "../readers.ts";

interface Options {
  reader: string;
  out: string;
  list?: boolean;
  json?: boolean;
}

export default function (): Command {
  return new Command()
    .argument("[parts...]", "only cases whose name holds one of these; absent: all")
    .option("--list", "name the cases, with their bounds and where these come from; run nothing")
    .option("--out <dir>", "where tensors of a breach are kept, by their hash", "out/compare")
    .option("--reader <name>", "the reader that admits the artifacts", "cursor")
    .option("--json", "one JSON object a case")
    .description(
      "Holds logits against values of other programs, backends against the reference backend,\n" +
        "profiles against f32, adapters against merged weights, resumed caches against uncut ones.\n" +
        "On a breach it names the first operation over its own budget on each backend. A backend\n" +
        "that is not there is skipped by name. Exit code 1: a reference is missed; 3: two of our\n" +
        "own runs disagree.",
    )
    .addHelpText(
      "after",
      `
Examples:
  deno task lab compare                    everything
  deno task lab compare source/ resumed/   two groups
  deno task lab compare --list wasm        what is asked of the Wasm backend, and why`,
    )
    .action(compare);
}

async function compare(parts: readonly string[], options: Options): Promise<void> {
  const cases = allCases().filter(({ name }) =>
    parts.length === 0 || parts.some((part) => name.includes(part))
  );
  if (cases.length === 0) throw new UsageError("no case has such a name; --list names them");
  if (options.list) return cases.forEach((one) => list(one, options.json ?? false));
  const [reader] = await loadReaders(options.reader);
  const backends = Object.fromEntries(
    await Promise.all(BACKEND_NAMES.map(async (name) => [name, await loadBackend(name)] as const)),
  );
  const evidence = new Evidence(options.out), bar = progress("compare", cases.length, "cases");
  const outcomes: Outcome[] = [];
  for await (const outcome of runCases(cases, reader, backends)) {
    outcomes.push(outcome);
    bar.update(outcomes.length);
    judge(outcome);
    if (options.json) console.log(JSON.stringify(await asJson(outcome, evidence)));
    else await print(outcome, evidence);
  }
  bar.stop();
  if (!options.json) summarise(outcomes);
}

function judge(outcome: Outcome): void {
  if (isSkipped(outcome) || !isBreach(outcome)) return;
  const { case: one } = outcome, files = isLogits(one) && isFiles(one.reference);
  setExit(files || isRejected(outcome) ? EXIT.broken : EXIT.disagree);
}

function list(one: Case, json: boolean): void {
  if (json) return console.log(JSON.stringify(one));
  if (!isLogits(one)) {
    return console.log(`${one.name}\n    each operation within its budget, kernels/envelope.ts`);
  }
  const { absolute, derivation } = one.envelope;
  console.log(`${one.name}\n    at most ${figure(absolute)} apart: ${derivation}`);
}

/** The largest of each figure over a case's positions. */
function worst({ positions }: CaseResult) {
  const most = (name: "absolute" | "relative" | "ulp" | "kl") =>
    positions.reduce((value, { distance }) => Math.max(value, distance[name]), 0);
  return {
    absolute: most("absolute"),
    relative: most("relative"),
    ulp: most("ulp"),
    kl: most("kl"),
  };
}

async function print(outcome: Outcome, evidence: Evidence): Promise<void> {
  const name = outcome.case.name.padEnd(46);
  if (isSkipped(outcome)) {
    return console.log(`${styleText("yellow", "skip")}  ${name} ${outcome.skipped}`);
  }
  if (isRejected(outcome)) {
    return console.log(`${styleText("red", "NO  ")}  ${name} rejected at ${outcome.rejected}`);
  }
  const mark = isBreach(outcome) ? styleText("red", "NO  ") : styleText("green", "ok  ");
  if (isOperations(outcome)) {
    const { steps, same } = outcome;
    console.log(`${mark}  ${name} ${steps.length} operations, ${same} of them bit for bit`);
  } else {
    const { absolute, relative, ulp, kl } = worst(outcome), { envelope } = outcome.case;
    console.log(
      `${mark}  ${name} ${figure(absolute).padStart(8)} of ${figure(envelope.absolute).padEnd(8)}` +
        ` rel ${figure(relative).padEnd(8)} ulp ${String(Math.round(ulp)).padEnd(8)}` +
        ` KL ${figure(kl)}`,
    );
    for (const { position, broken } of outcome.positions) {
      if (broken.length > 0) {
        console.log(`        position ${position} breaks ${broken.join(", ")}`);
      }
    }
  }
  for (const culprit of outcome.culprits) {
    const { backend, at, element, got, want, budget } = await asEvidence(culprit, evidence);
    console.log(
      `        ${backend}: first wrong at ${at}, element ${element}: ` +
        `${culprit.got[element]}, not ${culprit.want[element]} within ${figure(budget)}\n` +
        `        got ${got.slice(0, 16)}…, want ${want.slice(0, 16)}… in ${evidence.folder}`,
    );
  }
  if (isBreach(outcome) && !isOperations(outcome) && outcome.culprits.length === 0) {
    console.log("        every operation of every backend is within its own budget");
  }
}

function summarise(outcomes: readonly Outcome[]): void {
  const ran = outcomes.filter((one) => !isSkipped(one)) as Ran[];
  const flips = ran.flatMap((one) =>
    "flips" in one ? one.flips.map((flip) => ({ name: one.case.name, ...flip })) : []
  );
  if (flips.length > 0) {
    console.log("\nanother arg max, inside every bound:");
    for (const { name, position, distance: { argMax } } of flips) {
      console.log(`  ${name}, position ${position}: ${argMax.got}, reference ${argMax.want}`);
    }
  }
  const broken = ran.filter(isBreach).length, skipped = outcomes.length - ran.length;
  console.log(
    `\n${ran.length - broken} hold, ${broken} broken, ${skipped} skipped` +
      (flips.length > 0 ? `, ${flips.length} arg-max flips inside the budget` : ""),
  );
}

/** A small number in few characters. */
function figure(value: number): string {
  return value === 0
    ? "0"
    : value >= 0.01 && value < 1000
    ? value.toPrecision(3)
    : value.toExponential(1);
}
