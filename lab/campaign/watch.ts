/**
 * The watch over one worker. Deno tells of a worker's end only sometimes: a heap that fills inside a
 * message handler or a promise ends it without a word. So besides what is told, the heart is felt.
 */
import type { Worker } from "node:worker_threads";
import type { Beat } from "./beat.ts";

/** Time without a beat after which a worker at work is taken for dead. */
export const STILL_MS = 600;

/** How often its beat is felt. */
const FEEL_MS = 100;

/** How a worker's death is known: Deno told of it, or its heart is still. */
export type Death = "told" | "still";

export class Watch {
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #dead: (death: Death) => void;
  #over = false;
  #working = false;
  #beats = 0;
  #since = 0;

  /**
   * @param dead is told once, of a worker that has ended or stands still while at work
   * @param stillMs a busy machine makes a worker stand still too: whoever watches may learn patience
   */
  constructor(
    worker: Worker,
    private readonly beat: Beat,
    dead: (death: Death) => void,
    private readonly stillMs = STILL_MS,
  ) {
    this.#dead = (death) => {
      if (!this.#over) dead(death);
      this.end();
    };
    worker.on("error", () => this.#dead("told"));
    worker.on("exit", () => this.#dead("told"));
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
    } else if (now - this.#since > this.stillMs) this.#dead("still");
  }
}
