/**
 * One input at a time, judged in a process of its own that may die: how an input on which a worker of
 * the campaign ended is looked at again, how a finding is replayed, and how it is made smaller.
 */
import { fileURLToPath } from "node:url";
import { processorSeconds } from "../processor_time.ts";
import { BeatFile } from "./beat.ts";
import { Child, type End } from "./child.ts";
import { FULL } from "./guard.ts";
import type { Flaw } from "./subject.ts";
import type { JudgingData } from "./judging.ts";

/** Mebibytes of heap of a child; readers of a few KiB need a few of them. */
export const HEAP = { young: 2, old: 96 };

/** Resident memory at which a child is ended, in bytes: what V8's heap may hold, and buffers. */
export const MEMORY = 512 << 20;

/** Processor time after which an execution counts as endless: far above what any good one takes. */
const HANG_MS = 5000;

/** A busy machine gives a process a part of its time; one that takes none is ended at this multiple. */
const BUSY = 30;

/** How often that is looked at while an input is judged. */
const LOOKS = 20;

/** What is asked: the module of a subject as it stands, or a build of it with its edges. */
export type Court =
  | { readonly module: string }
  /** paths of the module and of its edges as JSON */
  | { readonly build: string; readonly edges: string };

export class Judge {
  #child: Child | null = null;
  #beat: BeatFile | null = null;
  #before: Promise<unknown> = Promise.resolve();

  /** @param hangMs processor time after which an execution counts as endless */
  constructor(private readonly court: Court, private readonly hangMs = HANG_MS) {}

  /** All that is wrong with `input`; nothing is thrown for what it does. One input after another. */
  ask(input: Uint8Array): Promise<Flaw[]> {
    const answer = this.#before.then(() => this.#ask(input));
    this.#before = answer.catch(() => {});
    return answer;
  }

  async close(): Promise<void> {
    await this.#child?.kill();
    this.#child = null;
    this.#beat?.close();
    this.#beat = null;
  }

  async #ask(input: Uint8Array): Promise<Flaw[]> {
    const child = this.#child ?? await this.#start();
    let endless = false;
    const spent = spentBy(child.pid);
    const hang = setInterval(() => {
      const { processor, wall } = spent();
      if (processor < this.hangMs && wall < BUSY * this.hangMs) return;
      endless = true;
      child.kill();
    }, this.hangMs / LOOKS);
    const { promise, resolve } = Promise.withResolvers<Flaw[]>();
    child.told = (flaws) => resolve(flaws as Flaw[]);
    child.send(input);
    const end = await Promise.race([promise, child.ended]);
    clearInterval(hang);
    if (Array.isArray(end)) return end;
    this.#child = null;
    return [endless ? this.#hang() : this.#death(end)];
  }

  #hang(): Flaw {
    const detail = `takes more than ${this.hangMs} ms of a processor`;
    return { class: "hang", key: `hang ${this.#place()}`, detail };
  }

  #death({ code, signal, text }: End): Flaw {
    const note = this.#beat?.note ?? "";
    if (note.startsWith(FULL) || /out of memory/i.test(text)) {
      const detail = `fills a heap of ${HEAP.old} MiB, or ${MEMORY >> 20} MiB of memory`;
      return { class: "memory", key: `heap ${this.#place()}`, detail };
    }
    const detail = `the process ended with ${signal ?? `code ${code}`}; ${text}`.trim();
    return { class: "crash", key: `end ${this.#place()}`, detail };
  }

  /** The first function whose counters still moved. */
  #place(): string {
    const note = this.#beat?.note ?? "";
    return (note.startsWith(FULL) ? note.slice(FULL.length) : note).trim() || "somewhere";
  }

  async #start(): Promise<Child> {
    this.#beat ??= new BeatFile(Deno.makeTempFileSync(), 0);
    this.#beat.forget();
    const child = new Child({
      script: fileURLToPath(new URL("./judging.ts", import.meta.url)),
      checkout: true,
      data: { court: this.court, beat: this.#beat.path } satisfies JudgingData,
      ...HEAP,
    });
    const ready = new Promise<void>((resolve) => child.told = () => resolve());
    const end = await Promise.race([ready, child.ended]);
    if (end) throw new Error(`a judge ended before it could work: ${end.text}`);
    this.#child = child;
    return child;
  }
}

/** Milliseconds from now on, of a process and of the clock; the same where the system does not tell. */
function spentBy(pid: number): () => { processor: number; wall: number } {
  const begun = performance.now(), before = processorSeconds(pid);
  return () => {
    const wall = performance.now() - begun, now = processorSeconds(pid);
    return { wall, processor: before === null || now === null ? wall : (now - before) * 1000 };
  };
}
