/**
 * The command line of the lab: `deno task lab COMMAND`.
 *
 * One file a command under `commands/`, loaded only when it is called. A command file
 * exports a function that makes its commander `Command`.
 */
import { Command, CommanderError } from "commander";
import { Unserved } from "../kernels/backend.ts";
import { foreign, foreignLines } from "../reports/terminal.ts";
import process from "node:process";
import { EXIT, setExit, UsageError } from "./exit.ts";
import { columns, fitting, LEAST_COLUMNS } from "./help.ts";

type Load = () => Promise<{ default: () => Command }>;

/** Every command: its summary for the list, and its file. */
export const COMMANDS: Record<string, { summary: string; load: Load }> = {
  demo: {
    summary: "the whole path on the bundled model, with a summary",
    load: () => import("./commands/demo.ts"),
  },
  pack: {
    summary: "import a model, write SLM2 artifacts",
    load: () => import("./commands/pack.ts"),
  },
  verify: {
    summary: "the verdict of each reader on a file, and whether they agree",
    load: () => import("./commands/verify.ts"),
  },
  inspect: {
    summary: "the public-safe facts of an artifact",
    load: () => import("./commands/inspect.ts"),
  },
  run: {
    summary: "generate text with a composition",
    load: () => import("./commands/run.ts"),
  },
  logits: {
    summary: "logits of a composition at given positions, as f32 files",
    load: () => import("./commands/logits.ts"),
  },
  compare: {
    summary: "the logit suite: backends, profiles, adapters and caches against references",
    load: () => import("./commands/compare.ts"),
  },
  quant: {
    summary: "f32 rows to blocks of a quantization profile, and back",
    load: () => import("./commands/quant.ts"),
  },
  tokenize: {
    summary: "text to ids by a tokenizer artifact, and back",
    load: () => import("./commands/tokenize.ts"),
  },
  retrieve: {
    summary: "an index of documents by their vectors: build, query",
    load: () => import("./commands/retrieve.ts"),
  },
  testee: {
    summary: "speak the testee protocol on standard input and output",
    load: () => import("./commands/testee.ts"),
  },
  bench: {
    summary: "rates beside those of the libraries that one would take instead",
    load: () => import("./commands/bench.ts"),
  },
  corpus: {
    summary: "build the golden corpus, prove the committed one",
    load: () => import("./commands/corpus.ts"),
  },
  faults: {
    summary: "seeded faults in copies of the readers, and how long each lives",
    load: () => import("./commands/faults.ts"),
  },
  conform: {
    summary: "run the golden corpus against any reader; matrix, claim and badge",
    load: () => import("./commands/conform.ts"),
  },
  fuzz: {
    summary: "a campaign: break artifacts, hold readers against each other",
    load: () => import("./commands/fuzz.ts"),
  },
  distill: {
    summary: "corpora of campaigns merged into a small one",
    load: () => import("./commands/distill.ts"),
  },
  replay: {
    summary: "what is wrong with the input of a finding",
    load: () => import("./commands/replay.ts"),
  },
  minimize: {
    summary: "a smaller input that shows the same",
    load: () => import("./commands/minimize.ts"),
  },
  gate: {
    summary: "the release gate: evidence and stop rules, from records of this very commit",
    load: () => import("./commands/gate.ts"),
  },
  nightly: {
    summary: "all of it, bounded in time, one dated report folder",
    load: () => import("./commands/nightly.ts"),
  },
  triage: {
    summary: "findings: new, known, fixed or regressed; notes, and what moved a verdict",
    load: () => import("./commands/triage.ts"),
  },
};

async function program(called: string | undefined): Promise<Command> {
  const root = new Command("lab")
    .description("The SLM2 conformance and fuzzing lab.")
    .version(called === "--version" || called === "-V" ? version() : "")
    .addHelpText(
      "after",
      "\nExit codes: 0 holds, 1 does not hold, 2 usage or I/O error, 3 two readers disagree." +
        "\nEach command has its own --help, with examples.",
    )
    .showHelpAfterError("(--help shows how to call it)")
    // what was typed comes back in messages
    .configureOutput({
      outputError: (text, write) => write(foreignLines(text)),
      writeOut: (text) => void process.stdout.write(fitting(text, columns())),
    })
    .configureHelp({ minWidthToWrap: LEAST_COLUMNS })
    .exitOverride();
  for (const [name, { summary, load }] of Object.entries(COMMANDS)) {
    const command = name === called ? (await load()).default() : new Command(name);
    root.addCommand(command.name(name).summary(summary));
    settle(command, root);
  }
  return root;
}

/** What this lab holds readers to: the format's version and the corpus's, and what it runs on. */
function version(): string {
  const index = Deno.readTextFileSync(new URL("../corpus/golden/index.json", import.meta.url));
  const { spec, version, content_id } = JSON.parse(index);
  return `SLM2 ${spec}, corpus ${version} (${content_id}), Deno ${Deno.version.deno}`;
}

/** Gives a command and those below it what `above` has, and makes their help fit any terminal. */
function settle(command: Command, above: Command): void {
  command.copyInheritedSettings(above);
  // help wraps by itself: a line break that is no empty line is the source's, not the reader's
  command.description(command.description().replaceAll(/(?<!\n)\n(?!\n)/g, " "));
  for (const option of command.options) {
    const { defaultValue } = option;
    if (defaultValue instanceof Object && Object.keys(defaultValue).length === 0) {
      option.default(defaultValue, "none");
    }
  }
  for (const below of command.commands) settle(below, command);
}

/** Runs the command line; sets the exit code and never shows a stack for a person's mistake. */
export async function main(args: readonly string[]): Promise<void> {
  try {
    const [called, asked] = args;
    const root = await program(called === "help" ? asked : called);
    if (called === undefined) root.help({ error: true });
    const nobody = called === "help" && asked !== undefined && !Object.hasOwn(COMMANDS, asked);
    await root.parseAsync(nobody ? [asked] : args, { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) {
      setExit(error.exitCode === 0 ? EXIT.holds : EXIT.usage);
    } else if (error instanceof Deno.errors.BrokenPipe) {
      // whoever read our output has seen enough, as `head` does
    } else if (error instanceof UsageError) {
      console.error(`lab: ${foreignLines(error.message)}`);
      setExit(EXIT.usage);
    } else if (error instanceof Unserved || isIoError(error)) {
      console.error(`lab: ${foreign(ioText(error.message), 1000)}`);
      setExit(EXIT.usage);
    } else {
      console.error("lab: this is a fault of the lab, not of what it was given:", error);
      setExit(EXIT.usage);
    }
  }
}

/** A fault of the system, the file first; a file that was to be renamed into place has its own name. */
function ioText(message: string): string {
  const plain = message.replace(/ \(os error \d+\)/, "");
  const parts = plain.match(/^([^:]+): (\w+) '(?:.*' -> ')?(.*?)(?:\.[0-9a-f-]{36}\.tmp)?'$/s);
  if (parts === null) return plain;
  const [, what, call, path] = parts;
  return `${path === "" ? "''" : path}: ${what[0].toLowerCase()}${what.slice(1)} (${call})`;
}

/**
 * Deno gives some faults of the system a class, the others (a full disk) only a code; SQLite has
 * one code for these and for its own mistakes.
 */
function isIoError(error: unknown): error is Error {
  return Object.values(Deno.errors).some((kind) => error instanceof kind) ||
    error instanceof Error && "code" in error &&
      (/^E[A-Z0-9]+$/.test(String(error.code)) ||
        error.code === "ERR_SQLITE_ERROR" && SQLITE_IO.test(error.message));
}

const SQLITE_IO = /is full|I\/O|readonly|unable to open|is locked|not a database|malformed/;

if (import.meta.main) await main(Deno.args);
