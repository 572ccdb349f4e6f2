/**
 * Opinions beyond the readers': external testees (testee.md) answer a part of a campaign's inputs,
 * and are held against the readers as they stand. What they are asked follows from the campaign's
 * seed alone; each has as many processes as the campaign has workers, started again when they fail.
 */
import { cursor } from "../../readers/cursor/reader.ts";
import { table } from "../../readers/table/reader.ts";
import { UsageError } from "../exit.ts";
import { opinion } from "../oracle/opinion.ts";
import type { Answer } from "../oracle/oracle.ts";
import { askOfInput, isWirable } from "../testee/input.ts";
import { askReader } from "../testee/open.ts";
import { runPool } from "../testee/pool.ts";
import { startTestee } from "../testee/subprocess.ts";
import type { Ask, Testee } from "../testee/testee.ts";
import { splitWords } from "../testee/words.ts";
import type { Flaw } from "./subject.ts";

/** What one answer may take. */
const MILLISECONDS = 5000;
const MEMORY = 1 << 30;

const READERS = [cursor, table];

/** A flaw and the input that shows it. */
export interface Shown {
  readonly flaw: Flaw;
  readonly input: Uint8Array;
}

/** Testees of one command. */
interface Side {
  readonly command: string;
  readonly processes: readonly Testee[];
}

export class Opinions {
  /** keys of flaws that came again when they were asked for again */
  readonly #confirmed = new Set<string>();

  private constructor(private readonly sides: readonly Side[], private readonly cwd: string) {}

  /**
   * Starts the testees.
   * @param commands programs with their arguments, as a shell would split them
   * @param milliseconds for one answer
   * @param cwd the folder in which they are started
   * @throws UsageError for a command that starts no testee
   */
  static async open(
    commands: readonly string[],
    processes = 1,
    milliseconds = MILLISECONDS,
    cwd = Deno.cwd(),
  ): Promise<Opinions> {
    const limits = { milliseconds, memory: MEMORY };
    const sides: Side[] = [];
    for (const command of commands) {
      const words = splitWords(command);
      if (words === null || words.length === 0) throw new UsageError(`no command: ${command}`);
      const started = await Promise.all(
        Array.from({ length: processes }, () => startTestee(words, limits, cwd)),
      );
      const failed = started.find((one) => "why" in one);
      if (failed) throw new UsageError(`${command}: ${failed.why}\n${failed.stderr}`.trimEnd());
      sides.push({ command, processes: started as Testee[] });
    }
    return new Opinions(sides, cwd);
  }

  /**
   * All that testees do not agree with, or fail at, in the order of the inputs.
   * @param stopped ends it early
   */
  async judge(inputs: readonly Uint8Array[], stopped = () => false): Promise<Shown[]> {
    if (this.sides.length === 0) return [];
    const asks = inputs.map((input) => {
      const ask = askOfInput(input);
      return ask !== null && isWirable(ask) ? { input, ask } : null;
    }).filter((one) => one !== null);
    const shown: { order: number; shown: Shown }[] = [];
    await Promise.all(
      this.sides.map((side) =>
        runPool(side.processes, asks.entries(), async (testee, [order, { input, ask }]) => {
          const flaw = await this.#flawOf(testee, side.command, ask);
          if (flaw !== null) shown.push({ order, shown: { flaw, input } });
          return !stopped();
        })
      ),
    );
    return shown.sort((a, b) => a.order - b.order).map(({ shown }) => shown);
  }

  /** The same of one input. */
  async ask(input: Uint8Array): Promise<Flaw[]> {
    return (await this.judge([input])).map(({ flaw }) => flaw);
  }

  async close(): Promise<void> {
    await Promise.all(this.sides.flatMap(({ processes }) => processes.map((one) => one.close())));
  }

  async #flawOf(testee: Testee, command: string, ask: Ask): Promise<Flaw | null> {
    if (!testee.info.ops.includes(ask.op)) return null;
    const readers = READERS.map((reader): Answer => {
      try {
        return { reader, outcome: askReader(reader, ask) };
      } catch (error) {
        return { reader, outcome: { verdict: "throw", error } };
      }
    });
    const say = async () => {
      const found = opinion(testee.info, await testee.ask(ask), readers, ask);
      return found && { ...found, testee: command, testeeIn: this.cwd };
    };
    const flaw = await say();
    if (flaw === null || this.#confirmed.has(flaw.key)) return flaw;
    const again = await say();
    if (again?.class !== flaw.class) {
      // it comes of the inputs before, or of chance
      return { ...flaw, key: `${flaw.key}, not again` };
    }
    this.#confirmed.add(flaw.key);
    return flaw;
  }
}

/** Testees by their commands, and the folder in which those are started; absent: this process's. */
export interface Commands {
  readonly commands: readonly string[];
  readonly cwd?: string;
}

/** The testees that a finding is to be asked of again. */
export function testeesOf(finding: Flaw | null, given: readonly string[] | undefined): Commands {
  if (given !== undefined) return { commands: given };
  if (finding?.testee === undefined) return { commands: [] };
  return { commands: [finding.testee], cwd: finding.testeeIn };
}

/** All that testees have to do with one input. @throws UsageError for a command that starts none */
export async function askTestees(
  { commands, cwd }: Commands,
  input: Uint8Array,
): Promise<Flaw[]> {
  const opinions = await Opinions.open(commands, 1, undefined, cwd);
  try {
    return await opinions.ask(input);
  } finally {
    await opinions.close();
  }
}
