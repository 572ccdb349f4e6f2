/** An interrupt, a hangup or a request to end, for work that ends by itself once it is told to. */

const SIGNALS: readonly Deno.Signal[] = Deno.build.os === "windows"
  ? ["SIGINT", "SIGBREAK"]
  : ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * A terminal interrupts all processes of a command, and a task runner passes on what it got: one
 * Ctrl-C comes twice, on a busy machine so far apart.
 */
const ONE_MS = 2000;

export class Stopping implements Disposable {
  readonly #controller = new AbortController();
  readonly #listeners: (() => void)[];
  #since = 0;

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

  [Symbol.dispose](): void {
    for (const remove of this.#listeners.splice(0)) remove();
  }

  #heard(signal: Deno.Signal): void {
    if (!this.signal.aborted) {
      this.#since = performance.now();
      console.error("\nlab: ending after what is under way; once more ends at once");
      return this.#controller.abort();
    }
    if (performance.now() - this.#since < ONE_MS) return;
    this[Symbol.dispose]();
    Deno.kill(Deno.pid, signal);
  }
}
