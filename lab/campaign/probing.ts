/**
 * Probes of growing work, asked once a campaign, beside it and in a process of their own: a reader whose
 * work grows faster than its input is found by no small one.
 */
import { Judge } from "./judge.ts";
import type { Court } from "./judge.ts";
import { PROBE_MS } from "./probe_name.ts";
import type { Flaw } from "./subject.ts";

export class Probing {
  readonly #judge: Judge;
  #begun = false;
  #over = false;

  /** @param found is told of each flaw, with the file that shows it */
  constructor(court: Court, private readonly found: (flaw: Flaw, input: Uint8Array) => void) {
    this.#judge = new Judge(court, PROBE_MS);
  }

  /** Begins, unless it has. */
  begin(): void {
    if (this.#begun) return;
    this.#begun = true;
    this.#all().catch((error) => {
      if (!this.#over) throw error;
    });
  }

  async close(): Promise<void> {
    this.#over = true;
    await this.#judge.close();
  }

  async #all(): Promise<void> {
    // loaded when it is asked for: it holds the writer
    const { fileOfProbe, growthQuestions } = await import("./growth.ts");
    for (const question of growthQuestions()) {
      if (this.#over) return;
      const flaws = await this.#judge.ask(question);
      if (this.#over) return;
      for (const flaw of flaws) {
        this.found(flaw, flaw.probe === undefined ? question : fileOfProbe(flaw.probe));
      }
    }
  }
}
