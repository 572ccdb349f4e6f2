/**
 * One input at a time, judged in a worker of its own that may die: how an input on which a worker of
 * the campaign ended is looked at again, how a finding is replayed, and how it is made smaller.
 */
import { parentPort, Worker, workerData } from "node:worker_threads";
import { type Edge, NAMES } from "./instrument.ts";
import { countersOf, load } from "./build.ts";
import { flawOfThrow } from "./flaw.ts";
import type { Flaw, Subject } from "./subject.ts";

/** Megabytes of heap of a worker; readers of a few KiB need a few of them. */
export const HEAP_MIB = 128;

/** Time after which an execution counts as endless: far above what a busy machine makes of it. */
const HANG_MS = 5000;

/** How often the counters of an execution are looked at, to tell where it is. */
const SAMPLE_MS = 25;

/** What is asked: the module of a subject as it stands, or a build of it with its edges. */
export type Court =
  | { readonly module: string }
  | { readonly code: string; readonly edges: readonly Edge[] };

interface JudgeData {
  readonly court: Court;
  readonly counters: SharedArrayBuffer;
}

if (parentPort && workerData?.court) await serve(parentPort, workerData as JudgeData);

async function serve(port: NonNullable<typeof parentPort>, data: JudgeData): Promise<void> {
  const { court, counters } = data;
  Object.assign(globalThis, { [NAMES.shared]: counters });
  const { subject }: { subject: Subject } = "code" in court
    ? (await load<{ subject: Subject }>(court.code)).exports
    : await import(court.module);
  port.on("message", (input: Uint8Array) =>
    // out of a timer, not of the message: only so a full heap is told of
    setTimeout(() => {
      const flaws: Flaw[] = [];
      try {
        subject.run(input, (flaw) => flaws.push(flaw));
      } catch (error) {
        flaws.push(flawOfThrow(error));
      }
      port.postMessage(flaws);
    }, 0));
  port.postMessage("ready");
}

export class Judge {
  #worker: Worker | null = null;
  #counters = new SharedArrayBuffer(0);

  /** @param hangMs time after which an execution counts as endless */
  constructor(private readonly court: Court, private readonly hangMs = HANG_MS) {}

  /** All that is wrong with `input`; nothing is thrown for what it does. */
  async ask(input: Uint8Array): Promise<Flaw[]> {
    const worker = this.#worker ?? await this.#start();
    const { promise, resolve } = Promise.withResolvers<Flaw[]>();
    const places = new Places(this.court, this.#counters);
    const sampling = setInterval(() => places.sample(), SAMPLE_MS);
    const end = (flaw: Flaw) => {
      this.#worker = null;
      worker.terminate();
      resolve([flaw]);
    };
    const hang = setTimeout(() => {
      const detail = `runs for more than ${this.hangMs} ms`;
      end({ class: "hang", key: `hang ${places.busiest()}`, detail });
    }, this.hangMs);
    worker.removeAllListeners();
    worker.on("message", resolve);
    worker.on("error", (error: Error & { code?: string }) => {
      const full = error.code === "ERR_WORKER_OUT_OF_MEMORY";
      const detail = `fills a heap of ${HEAP_MIB} MiB`;
      end(full ? { class: "memory", key: `heap ${places.busiest()}`, detail } : flawOfThrow(error));
    });
    worker.on("exit", (code: number) => {
      const detail = `the worker ended with code ${code}`;
      end({ class: "crash", key: `end ${places.busiest()}`, detail });
    });
    worker.postMessage(input);
    try {
      return await promise;
    } finally {
      clearTimeout(hang);
      clearInterval(sampling);
      worker.removeAllListeners();
    }
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
    this.#worker = null;
  }

  #start(): Promise<Worker> {
    this.#counters = new SharedArrayBuffer(
      countersOf("code" in this.court ? this.court.edges : []),
    );
    const worker = new Worker(new URL(import.meta.url), {
      workerData: { court: this.court, counters: this.#counters } satisfies JudgeData,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
    });
    this.#worker = worker;
    return new Promise((resolve, reject) => {
      worker.once("message", () => resolve(worker));
      worker.once("error", reject);
    });
  }
}

/** Where an execution is: the first function whose counters still move. */
class Places {
  readonly #edges: readonly Edge[];
  readonly #counters: Uint8Array;
  #before = new Uint8Array(0);
  #moving: Edge | undefined;

  constructor(court: Court, counters: SharedArrayBuffer) {
    this.#edges = "code" in court ? court.edges : [];
    this.#counters = new Uint8Array(counters);
  }

  sample(): void {
    const now = this.#counters.slice();
    const moving = this.#edges.find((_, i) => now[i] !== this.#before[i]);
    if (this.#before.length > 0 && moving) this.#moving = moving;
    this.#before = now;
  }

  busiest(): string {
    return this.#moving ? `in ${this.#moving.function} ${this.#moving.file}` : "somewhere";
  }
}
