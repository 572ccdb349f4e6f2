/** A testee over a program that speaks testee.md, started again after it failed. */
import { Child, type Limits, type Stop } from "./child.ts";
import { parseLine, writeLine } from "./line.ts";
import { RSS_WATCHED } from "./rss.ts";
import type { Ask, Outcome, Testee, TesteeInfo } from "./testee.ts";
import { answerOf, HELLO, infoOf, requestLine } from "./wire.ts";

/** A start may compile or load a lot before it greets. */
const HELLO_MS = 30_000;

/** Starts in a row that may fail before no more is tried. */
const MAX_FAILED_STARTS = 3;

/** Why a program is no testee at all, with the end of its standard error. */
export interface NoTestee {
  readonly why: string;
  readonly stderr: string;
}

/**
 * Starts a program and exchanges greetings.
 * @param command program and arguments, as `splitWords` gives them
 * @param cwd the folder in which it runs; absent: this process's
 */
export async function startTestee(
  command: readonly string[],
  limits: Limits,
  cwd?: string,
): Promise<Testee | NoTestee> {
  const start = await greet(command, limits, cwd);
  return "child" in start ? new Subprocess(command, limits, start.child, start.info, cwd) : start;
}

type Start = { readonly child: Child; readonly info: TesteeInfo } | (NoTestee & Stop);

async function greet(
  command: readonly string[],
  limits: Limits,
  cwd: string | undefined,
): Promise<Start> {
  let child: Child;
  try {
    child = new Child(command, cwd);
  } catch (error) {
    return { verdict: "crash", why: `could not start: ${(error as Error).message}`, stderr: "" };
  }
  child.send(writeLine(HELLO));
  const line = await child.line({ ...limits, milliseconds: HELLO_MS });
  if (!(line instanceof Uint8Array)) {
    const why = line.verdict === "hang"
      ? `did not answer the greeting within ${HELLO_MS / 1000} s`
      : `${line.why} to the greeting`;
    return { verdict: line.verdict, why, stderr: child.stderr };
  }
  const parsed = parseLine(line);
  const info = "fault" in parsed ? parsed : infoOf(parsed.object);
  if ("value" in info) return { child, info: info.value };
  await child.kill();
  return { verdict: "protocol", why: `greeting: ${info.fault}`, stderr: child.stderr };
}

class Subprocess implements Testee {
  readonly notes: readonly string[] = RSS_WATCHED
    ? []
    : ["this system does not show the memory of a process: memory is not watched"];
  #child: Child | null;
  #nextId = 1;
  #failedStarts = 0;
  #noStart: Outcome | null = null;

  constructor(
    private readonly command: readonly string[],
    private readonly limits: Limits,
    child: Child,
    readonly info: TesteeInfo,
    private readonly cwd: string | undefined,
  ) {
    this.#child = child;
  }

  async ask(ask: Ask): Promise<Outcome> {
    if (this.#noStart !== null) return this.#noStart;
    const child = this.#child ?? await this.#restart();
    if (!(child instanceof Child)) return child;
    const id = this.#nextId++;
    child.send(writeLine(requestLine(id, ask)));
    const line = await child.line(this.limits);
    if (!(line instanceof Uint8Array)) {
      this.#child = null;
      return { ...line, stderr: child.stderr };
    }
    const parsed = parseLine(line);
    const answer = "fault" in parsed ? parsed : answerOf(parsed.object, id, ask.op);
    if ("value" in answer) return answer.value;
    this.#child = null;
    await child.kill();
    return { verdict: "protocol", why: answer.fault, stderr: child.stderr };
  }

  async close(): Promise<string | null> {
    const child = this.#child;
    this.#child = null;
    return child === null ? null : await child.close();
  }

  async #restart(): Promise<Child | Outcome> {
    const start = await greet(this.command, this.limits, this.cwd);
    if ("child" in start) {
      if (JSON.stringify(start.info) === JSON.stringify(this.info)) {
        this.#failedStarts = 0;
        return this.#child = start.child;
      }
      await start.child.kill();
      return { verdict: "protocol", why: "introduced itself anew, as another", stderr: "" };
    }
    if (++this.#failedStarts === MAX_FAILED_STARTS) this.#noStart = start;
    return start;
  }
}
