/** An interrupt, a hangup or a request to end, as a reason to stop; then the process ends by it. */

const SIGNALS: readonly Deno.Signal[] = Deno.build.os === "windows"
  ? ["SIGINT", "SIGBREAK"]
  : ["SIGINT", "SIGTERM", "SIGHUP"];

export class Interrupt {
  readonly #stop = new AbortController();
  readonly #listeners = SIGNALS.map((signal) => {
    const stop = () => this.#stop.abort(signal);
    Deno.addSignalListener(signal, stop);
    return () => Deno.removeSignalListener(signal, stop);
  });

  /** Aborts at the first of them. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Listens no more; where one had come, the process ends by it. */
  end(): void {
    for (const remove of this.#listeners) remove();
    if (this.#stop.signal.aborted) Deno.kill(Deno.pid, this.#stop.signal.reason);
  }
}
