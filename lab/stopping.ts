/** An interrupt, a hangup or a request to end, for work that ends by itself once it is told to. */

const SIGNALS: readonly Deno.Signal[] = Deno.build.os === "windows"
  ? ["SIGINT", "SIGBREAK"]
  : ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * A terminal interrupts all processes of a command, and a task runner passes on what it got: one
 * Ctrl-C comes twice. On a busy machine both may be heard far apart, so what counts is time in which
 * this process did listen: so many pauses, one after the other.
 */
const PAUSES = 4, PAUSE_MS = 500;

export class Stopping implements Disposable {
  readonly #controller = new AbortController();
  readonly #listeners: (() => void)[];
  /** a further signal is another one, not the first again */
  #isOver = false;

  /** Listens from now on: the first signal aborts, one that comes later ends the process. */
  constructor() {
    this.#listeners = SIGNALS.map((signal) => {
      const heard = () => this.#heard(signal);
      Deno.addSignalListener(signal, heard);
      return () => Deno.removeSignalListener(signal, heard);
    });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Once interrupted it goes on listening: the same Ctrl-C may come again while the process ends. */
  [Symbol.dispose](): void {
    if (!this.signal.aborted) this.#forget();
  }

  #forget(): void {
    for (const remove of this.#listeners.splice(0)) remove();
  }

  #heard(signal: Deno.Signal): void {
    if (!this.signal.aborted) {
      this.#pause(PAUSES);
      console.error("\nlab: ending after what is under way; once more ends at once");
      return this.#controller.abort();
    }
    if (!this.#isOver) return;
    this.#forget();
    Deno.kill(Deno.pid, signal);
  }

  #pause(left: number): void {
    if (left === 0) this.#isOver = true;
    else Deno.unrefTimer(setTimeout(() => this.#pause(left - 1), PAUSE_MS));
  }
}
