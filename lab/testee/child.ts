/**
 * One running program that is not trusted: its time, memory and output are bounded, and
 * it can always be ended, whatever it does with signals, pipes and processes of its own.
 */
import { MAX_LINE } from "./line.ts";
import { LineSplitter } from "./lines.ts";
import { residentNow, residentPeak, RSS_WATCHED } from "./rss.ts";
import { type Fault, STDERR_TAIL } from "./testee.ts";

/** Bounds of one request. */
export interface Limits {
  readonly milliseconds: number;
  /** bytes resident, descendants included */
  readonly memory: number;
}

/** How often a request under way is held against its limits. */
const WATCH_MS = 20;

/** How long a program that closed its output or was told to end may take to exit. */
const EXIT_MS = 1000;

/** How long standard error may lag behind the exit. */
const STDERR_LAG_MS = 100;

/** Why a line did not come; the program has been ended. */
export type Stop = Pick<Fault, "verdict" | "why">;

/** Those that run now: where the lab itself is ended, none of them is left behind. */
const running = new Set<Child>();
globalThis.addEventListener("unload", () => {
  for (const child of running) child.signal();
});

export class Child {
  readonly #process: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #output: ReadableStreamDefaultReader<Uint8Array>;
  readonly #stderr: ReadableStreamDefaultReader<Uint8Array>;
  readonly #splitter = new LineSplitter(MAX_LINE);
  readonly #stderrRead: Promise<void>;
  #tail = new Uint8Array(0);
  #exit: Deno.CommandStatus | null = null;
  #stop: Stop | null = null;

  /**
   * @param cwd the folder in which it runs; absent: this process's
   * @throws Deno.errors.* where the program cannot be started
   */
  constructor(command: readonly string[], cwd?: string) {
    this.#process = new Deno.Command(command[0], {
      args: command.slice(1),
      cwd,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
      // a process group of its own, so that whatever it starts ends with it
      detached: true,
    }).spawn();
    running.add(this);
    this.#input = this.#process.stdin.getWriter();
    this.#output = this.#process.stdout.getReader();
    this.#stderr = this.#process.stderr.getReader();
    this.#stderrRead = this.#keepTail();
    this.#process.status.then((status) => {
      this.#exit = status;
      running.delete(this);
      // a process that it started may keep the pipe open: what is in it has had its time
      delay(EXIT_MS).then(() => this.#output.cancel().catch(() => {}));
    });
  }

  /** The end of what it wrote to standard error, with invalid UTF-8 replaced. */
  get stderr(): string {
    return new TextDecoder().decode(this.#tail);
  }

  /** Sends a line; that it may not be read is seen by the answer that does not come. */
  send(line: Uint8Array): void {
    this.#input.write(line).catch(() => {});
  }

  /**
   * The next line of its output. Output is read only while a line is awaited, so a program
   * that floods it waits at its pipe. After a `Stop` the child is of no use any more.
   */
  async line(limits: Limits): Promise<Uint8Array | Stop> {
    const deadline = performance.now() + limits.milliseconds;
    const watch = setInterval(() => this.#hold(limits, deadline), WATCH_MS);
    try {
      const line = await this.#readLine();
      if (this.#stop === null && RSS_WATCHED && residentPeak(this.#process.pid) > limits.memory) {
        this.#end({ verdict: "memory", why: overMemory(limits) });
      }
      if (this.#stop === null && line !== null) return line;
      const stop = this.#stop ?? await this.#whyNoLine();
      await this.kill();
      return stop;
    } finally {
      clearInterval(watch);
    }
  }

  /** Closes its input and waits. @returns what was wrong with its end, or null */
  async close(): Promise<string | null> {
    // a pipe that it does not read may never drain: closing must not wait for it
    const left = (async () => {
      await this.#input.close().catch(() => {});
      for (;;) {
        const { done } = await this.#output.read();
        if (done) return;
      }
    })().catch(() => {});
    await Promise.race([Promise.all([left, this.#process.status]), delay(EXIT_MS)]);
    const exit = this.#exit;
    await this.kill();
    if (exit === null) return "did not exit when its input was closed";
    return exit.success ? null : `${exitText(exit)} when its input was closed`;
  }

  /** Ends it and all that it started; returns when it is gone. */
  async kill(): Promise<void> {
    this.signal();
    await this.#process.status;
    await Promise.race([this.#stderrRead, delay(STDERR_LAG_MS)]);
    await Promise.all([
      this.#input.abort().catch(() => {}),
      this.#output.cancel().catch(() => {}),
      this.#stderr.cancel().catch(() => {}),
    ]);
  }

  /** Tells it and all that it started to end, without waiting. */
  signal(): void {
    try {
      if (Deno.build.os !== "windows") Deno.kill(-this.#process.pid, "SIGKILL");
    } catch {
      // the group has ended already
    }
    try {
      this.#process.kill("SIGKILL");
    } catch {
      // so has the process
    }
  }

  #hold(limits: Limits, deadline: number): void {
    if (performance.now() > deadline) {
      this.#end({ verdict: "hang", why: `no answer within ${limits.milliseconds / 1000} s` });
    } else if (RSS_WATCHED && residentNow(this.#process.pid) > limits.memory) {
      this.#end({ verdict: "memory", why: overMemory(limits) });
    }
  }

  /** Ends it for a reason; the line awaited then comes to nothing. */
  #end(stop: Stop): void {
    this.#stop ??= stop;
    this.signal();
  }

  async #readLine(): Promise<Uint8Array | null> {
    for (;;) {
      const line = this.#splitter.next();
      if (line === "too-long") {
        this.#end({ verdict: "protocol", why: `wrote a line of more than ${MAX_LINE} bytes` });
        return null;
      }
      if (line !== "more") return line;
      const { done, value } = await this.#output.read();
      if (done) return null;
      this.#splitter.push(value);
    }
  }

  /** Its output has ended: it exited, or it closed the pipe and lives on. */
  async #whyNoLine(): Promise<Stop> {
    await Promise.race([this.#process.status, delay(EXIT_MS)]);
    return this.#exit === null
      ? { verdict: "protocol", why: "closed its standard output and went on running" }
      : { verdict: "crash", why: `${exitText(this.#exit)} without an answer` };
  }

  async #keepTail(): Promise<void> {
    for (;;) {
      const { done, value } = await this.#stderr.read();
      if (done) return;
      const whole = new Uint8Array(this.#tail.length + value.length);
      whole.set(this.#tail);
      whole.set(value, this.#tail.length);
      this.#tail = whole.slice(-STDERR_TAIL);
    }
  }
}

function overMemory(limits: Limits): string {
  return `more than ${limits.memory / 2 ** 20} MiB resident`;
}

function exitText(status: Deno.CommandStatus): string {
  return status.signal === null ? `exited with ${status.code}` : `ended by ${status.signal}`;
}

/** A wait that keeps nothing alive. */
function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => Deno.unrefTimer(setTimeout(resolve, milliseconds)));
}
