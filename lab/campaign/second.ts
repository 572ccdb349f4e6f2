/**
 * Second looks: a part of a campaign's inputs, those that are kept and a share of all, goes to whom
 * it would take too long to ask about each: external testees, and oracles that take their time. So
 * what is looked at twice follows from the campaign's seed.
 */
import { type Court, Judge } from "./judge.ts";
import { Opinions, type Shown } from "./opinions.ts";
import type { Report } from "./slice.ts";

export interface SecondOptions {
  /** commands of testees, as a shell would split them */
  readonly testees: readonly string[];
  /** processes of each testee and of the oracles */
  readonly processes: number;
  /** the subject whose later oracles are asked */
  readonly court: Court;
  /** for one answer of a testee */
  readonly milliseconds?: number;
}

export class SecondLook {
  private constructor(
    private readonly opinions: Opinions,
    private readonly judges: readonly Judge[],
  ) {}

  /** @throws UsageError for a command that starts no testee */
  static async open(options: SecondOptions): Promise<SecondLook> {
    const { testees, processes, court, milliseconds } = options;
    const opinions = await Opinions.open(testees, processes, milliseconds);
    return new SecondLook(opinions, Array.from({ length: processes }, () => new Judge(court)));
  }

  /**
   * What is wrong with the inputs that a round kept or sampled, in their order.
   * @param stopped ends it early
   * @returns null where it was stopped
   */
  async look(reports: readonly Report[], stopped: () => boolean): Promise<Shown[] | null> {
    const inputs = inputsOf(reports);
    const shown = await Promise.all([
      this.#judged(inputs, stopped),
      this.opinions.judge(inputs, stopped),
    ]);
    return stopped() ? null : shown.flat();
  }

  async close(): Promise<void> {
    await Promise.all([this.opinions.close(), ...this.judges.map((judge) => judge.close())]);
  }

  async #judged(inputs: readonly Uint8Array[], stopped: () => boolean): Promise<Shown[]> {
    const found: Shown[][] = inputs.map(() => []);
    let next = 0;
    await Promise.all(this.judges.map(async (judge) => {
      while (next < inputs.length && !stopped()) {
        const i = next++, input = inputs[i];
        found[i] = (await judge.ask(input)).map((flaw) => ({ flaw, input }));
      }
    }));
    return found.flat();
  }
}

/** Each once. */
function inputsOf(reports: readonly Report[]): Uint8Array[] {
  const inputs = reports.flatMap(({ entries, samples }) => [
    ...entries.map(({ bytes }) => bytes),
    ...samples,
  ]);
  return [...new Map(inputs.map((input) => [input.toBase64(), input])).values()];
}
