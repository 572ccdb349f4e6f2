/** `minimize FINDING`: a smaller input that shows the same. */
import { Command } from "commander";
import { dirname } from "node:path";
import { styleText } from "node:util";
import { foreign } from "../../reports/terminal.ts";
import { inCourt } from "../campaign/court.ts";
import {
  fileFinding,
  keepMinimized,
  type Read,
  readFinding,
  writeSynced,
} from "../campaign/findings.ts";
import { Judge } from "../campaign/judge.ts";
import { Opinions, testeesOf } from "../campaign/opinions.ts";
import { minimize } from "../minimize/minimize.ts";
import { PROBE_MS, questionOf } from "../campaign/probe_name.ts";
import { EXIT, setExit, UsageError } from "../exit.ts";
import { faultNamed } from "../faults/bench.ts";
import { repeated, wholeNumber } from "../options.ts";
import { progress } from "../progress.ts";

interface Options {
  seconds: number;
  key?: string;
  out?: string;
  testee?: readonly string[];
}

/** Enough for a few KiB; a finding that deserves more gets it with `--seconds`. */
const SECONDS = 60;

/** A smaller input may not end; it gets less time than a replay. */
const HANG_MS = 2000;

export default function (): Command {
  return new Command()
    .argument("<finding>", "folder of a finding, or any file with a flaw")
    .option("--seconds <n>", "time that it may take", wholeNumber(1), SECONDS)
    .option("--key <key>", "the flaw to keep; absent: the finding's, or the file's first")
    .option("--testee <command>", "testee to ask; absent: the finding's; repeatable", repeated)
    .option("--out <file>", "where the smaller input goes; absent: beside the input")
    .description(
      "Puts what fails into the smallest artifact that still shows it, leaves out parts, offsets and\n" +
        "hashes made good again, then bytes, as long as the same bucket key shows. What fails in\n" +
        "another way is filed as a finding of its own.",
    )
    .addHelpText(
      "after",
      `
The same finding gives the same result, unless the time ends first.

Exit codes: 0 made smaller, 1 another flaw was filed on the way, 2 usage or I/O, or it shows nothing.

Examples:
  deno task lab minimize out/fuzz/findings/disagreement-0123456789ab
  deno task lab minimize out/fuzz/findings/hang-0123456789ab --seconds 600`,
    )
    .action(run);
}

async function run(path: string, options: Options): Promise<void> {
  const read = readFinding(path), { finding } = read;
  const testees = testeesOf(finding, options.testee);
  if (testees.commands.length > 0) {
    const opinions = await Opinions.open(testees.commands, 1, HANG_MS, testees.cwd);
    return await smaller(opinions, path, read, options);
  }
  const grows = finding?.probe !== undefined;
  const counted = finding?.class === "hang" || finding?.class === "memory";
  const patience = grows ? PROBE_MS : HANG_MS;
  await inCourt(
    counted ? "counters" : "plain",
    faultNamed(finding?.fault),
    (court) => smaller(new Judge(court, patience), path, read, options),
  );
}

async function smaller(
  judge: Pick<Judge, "ask" | "close">,
  path: string,
  read: Read,
  options: Options,
): Promise<void> {
  const { input, finding } = read;
  const bar = progress("minimize", options.seconds, "seconds");
  const begun = performance.now();
  try {
    const flaws = await judge.ask(questionOf(finding, input));
    const key = options.key ?? finding?.key ?? flaws[0]?.key;
    if (key === undefined) throw new UsageError(`${path}: nothing is wrong with it`);
    if (!flaws.some((flaw) => flaw.key === key)) {
      throw new UsageError(`${path} does not show ${key}`);
    }
    const slips = new Set<string>();
    const folder = read.folder !== null ? dirname(path) : `${dirname(path)}/findings`;
    const { input: best, probe, tries, cut } = await minimize(input, {
      key,
      probe: finding?.probe,
      seconds: options.seconds,
      judge: (one) => judge.ask(one),
      progress: () => bar.update(Math.floor((performance.now() - begun) / 1000)),
      slip(flaw, one) {
        if (slips.has(flaw.key)) return;
        slips.add(flaw.key);
        fileFinding(folder, flaw, one, { fault: finding?.fault });
      },
    });
    bar.stop();
    const inFolder = options.out === undefined && read.folder !== null;
    const out = inFolder ? keepMinimized(read, best, probe) : options.out ?? `${path}.min`;
    if (!inFolder) writeSynced(out, best);
    console.log(
      `${foreign(out)}: ${input.length} -> ${styleText("bold", String(best.length))} bytes, ` +
        `${tries} tries${cut ? ", cut off: more with --seconds" : ""}`,
    );
    if (slips.size > 0) {
      console.log(`${slips.size} other flaws on the way, filed in ${foreign(folder)}`);
      setExit(EXIT.broken);
    }
  } finally {
    bar.stop();
    await judge.close();
  }
}
