/** `minimize FINDING`: a smaller input that shows the same. */
import { Command } from "commander";
import { dirname } from "node:path";
import { styleText } from "node:util";
import { foreign } from "../../reports/terminal.ts";
import { AS_IT_STANDS } from "../campaign/campaign.ts";
import { fileFinding, MINIMIZED, readFinding, writeSynced } from "../campaign/findings.ts";
import { Judge } from "../campaign/judge.ts";
import { minimize } from "../campaign/minimize.ts";
import { EXIT, setExit, UsageError } from "../exit.ts";
import { wholeNumber } from "../options.ts";
import { progress } from "../progress.ts";

interface Options {
  tries: number;
  key?: string;
  out?: string;
}

/** Enough for a few KiB; a finding that deserves more gets it with `--tries`. */
const TRIES = 20_000;

/** A smaller input may not end; it gets less time than a replay. */
const HANG_MS = 2000;

export default function (): Command {
  return new Command()
    .argument("<finding>", "folder of a finding, or any file with a flaw")
    .option("--tries <n>", "inputs that may be judged", wholeNumber(1), TRIES)
    .option("--key <key>", "the flaw to keep; absent: the finding's, or the file's first")
    .option("--out <file>", "where the smaller input goes; absent: beside the input")
    .description(
      "Leaves out parts of the artifact, offsets and hashes made good again, then bytes, as long as\n" +
        "the same bucket key shows. What fails in another way is filed as a finding of its own.",
    )
    .action(run);
}

async function run(path: string, options: Options): Promise<void> {
  const { input, finding } = readFinding(path);
  const judge = new Judge(AS_IT_STANDS, HANG_MS);
  const bar = progress("minimize", options.tries, "tries");
  try {
    const key = options.key ?? finding?.key ?? (await judge.ask(input))[0]?.key;
    if (key === undefined) throw new UsageError(`${path}: nothing is wrong with it`);
    if (!(await judge.ask(input)).some((flaw) => flaw.key === key)) {
      throw new UsageError(`${path} does not show ${key}`);
    }
    const slips = new Set<string>();
    const folder = finding ? dirname(path) : `${dirname(path)}/findings`;
    const { input: smaller, tries, cut } = await minimize(input, {
      key,
      tries: options.tries,
      judge: (one) => judge.ask(one),
      progress: (tries) => bar.update(tries),
      async slip(flaw, one) {
        if (slips.has(flaw.key)) return;
        slips.add(flaw.key);
        await fileFinding(folder, flaw, one);
      },
    });
    bar.stop();
    const out = options.out ?? (finding ? `${path}/${MINIMIZED}` : `${path}.min`);
    writeSynced(out, smaller);
    console.log(
      `${foreign(out)}: ${input.length} -> ${styleText("bold", String(smaller.length))} bytes, ` +
        `${tries} tries${cut ? ", cut off: more with --tries" : ""}`,
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
