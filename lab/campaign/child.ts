/** A process of its own for code that may end it: messages both ways, and word of its end. */
import { fileURLToPath } from "node:url";
import { frame, Unframer } from "./frames.ts";
import { keep, release } from "./keeper.ts";

const CONFIG = fileURLToPath(new URL("../../deno.json", import.meta.url));

/**
 * Settings of glibc's malloc, from which array buffers and the compiler's zones come: one arena for
 * all of V8's threads, and what is freed goes back to the system.
 */
const MALLOC = {
  MALLOC_ARENA_MAX: "1",
  MALLOC_TRIM_THRESHOLD_: "131072",
  MALLOC_MMAP_THRESHOLD_: "65536",
};

/**
 * V8's own, for a process that shall be small: code stays short, and the heap grows by a fifth at a
 * time; it compiles in its own thread, as jobs that wait for another hold tens of mebibytes on a busy
 * machine; and not twice, as the baseline compiler doubles what code takes.
 */
const V8 = [
  "--optimize-for-size",
  "--heap-growing-percent=20",
  "--no-concurrent-recompilation",
  "--no-sparkplug",
  "--expose-gc",
];

/** What of the standard error is kept for a finding. */
const TEXT_BYTES = 2000;

export interface ChildOptions {
  /** a built module, or one of the checkout where `checkout` is set */
  readonly script: string;
  readonly checkout?: boolean;
  /** told to the script as one JSON argument */
  readonly data: unknown;
  /** mebibytes of each half of V8's young generation, and of its old one */
  readonly young: number;
  readonly old: number;
}

/** How a child ended. */
export interface End {
  readonly code: number;
  readonly signal: string | null;
  /** the last words on its standard error */
  readonly text: string;
}

export class Child {
  readonly #process: Deno.ChildProcess;
  readonly #in: WritableStreamDefaultWriter<Uint8Array>;
  /** it has ended and all its messages are told */
  readonly ended: Promise<End>;
  /** takes its messages; those that come before it is set are lost */
  told: (message: unknown) => void = () => {};

  constructor({ script, checkout = false, data, young, old }: ChildOptions) {
    const modules = checkout
      ? ["--config", CONFIG, "--cached-only"]
      : ["--no-config", "--no-lock", "--no-remote", "--no-npm"];
    this.#process = new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-A",
        "--quiet",
        ...modules,
        `--v8-flags=${[...V8, `--max-semi-space-size=${young}`, `--max-old-space-size=${old}`]}`,
        script,
        JSON.stringify(data),
      ],
      env: MALLOC,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    keep(this.#process.pid);
    this.#in = this.#process.stdin.getWriter();
    this.#in.closed.catch(() => {}); // its end is told by `ended`
    this.ended = this.#follow();
  }

  get pid(): number {
    return this.#process.pid;
  }

  send(message: unknown): void {
    this.#in.write(frame(message)).catch(() => {}); // as above
  }

  /** Closes its pipe: it ends by itself once it has nothing to do. */
  async close(): Promise<void> {
    await this.#in.close().catch(() => {});
    await this.ended;
  }

  async kill(): Promise<void> {
    try {
      this.#process.kill("SIGKILL");
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // it has ended already
    }
    await this.ended;
  }

  async #follow(): Promise<End> {
    const [text, { code, signal }] = await Promise.all([
      lastOf(this.#process.stderr),
      this.#process.status,
      this.#listen(),
    ]);
    await release(this.#process.pid);
    return { code, signal, text };
  }

  async #listen(): Promise<void> {
    const unframer = new Unframer();
    for await (const chunk of this.#process.stdout) {
      for (const message of unframer.push(chunk)) this.told(message);
    }
  }
}

async function lastOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    text = (text + decoder.decode(chunk, { stream: true })).slice(-TEXT_BYTES);
  }
  return text;
}
