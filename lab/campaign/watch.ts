/**
 * The watch over one worker. Deno tells of a worker's end only sometimes: a heap that fills inside a
 * message handler or a promise ends it without a word. So besides what is told, the heart is felt.
 */
import type { Worker } from "node:worker_threads";
import type { Beat } from "./beat.ts";

/** Time without a beat after which a worker at work is taken for dead, and how often it is felt. */
const STILL_MS = 600;
const FEEL_MS = 100;

export class Watch {
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #dead: () => void;
  #over = false;
  #working = false;
  #beats = 0;
  #since = 0;

  /** @param dead is told once, of a worker that has ended or stands still while at work */
  constructor(worker: Worker, private readonly beat: Beat, dead: () => void) {
    this.#dead = () => {
      if (!this.#over) dead();
      this.end();
    };
    worker.on("error", this.#dead);
    worker.on("exit", this.#dead);
    this.#timer = setInterval(() => this.#feel(), FEEL_MS);
  }

  /** From now on the worker has to beat, or it has not. */
  set working(working: boolean) {
    this.#working = working;
    this.#since = performance.now();
  }

  /** Ends the watch; the worker may end then without anyone being told. */
  end(): void {
    this.#over = true;
    clearInterval(this.#timer);
  }

  #feel(): void {
    const { beats } = this.beat;
    const now = performance.now();
    if (beats !== this.#beats || !this.#working) {
      this.#beats = beats;
      this.#since = now;
    } else if (now - this.#since > STILL_MS) this.#dead();
  }
}
