/**
 * The watch over one child. Its end is told by the system; that it stands still is felt at its
 * beats, whatever it stands in: a loop, a lock, a heap that is nearly full.
 */
import type { BeatFile } from "./beat.ts";
import type { Child } from "./child.ts";

/** Time without a beat after which a child at work is taken for dead. */
export const STILL_MS = 600;

/** How often its beat is felt. */
const FEEL_MS = 100;

/** How a child's death is known: the system told of it, or it stands still. */
export type Death = "told" | "still";

export class Watch {
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #dead: (death: Death) => void;
  #over = false;
  #working = false;
  #beats = 0;
  #since = 0;

  /**
   * @param dead is told once, of a child that has ended or stands still while at work
   * @param stillMs a busy machine makes a child stand still too: whoever watches may learn patience
   */
  constructor(
    child: Child,
    private readonly beat: BeatFile,
    dead: (death: Death) => void,
    private readonly stillMs = STILL_MS,
  ) {
    this.#dead = (death) => {
      if (!this.#over) dead(death);
      this.end();
    };
    child.ended.then(() => this.#dead("told"));
    this.#timer = setInterval(() => this.#feel(), FEEL_MS);
  }

  /** From now on the child has to beat, or it has not. */
  set working(working: boolean) {
    this.#working = working;
    this.#since = performance.now();
  }

  /** Ends the watch; the child may end then without anyone being told. */
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
