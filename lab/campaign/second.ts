/**
 * Second opinions: a part of a campaign's inputs, those that are kept and a share of all, goes to
 * external testees. What they are asked follows from the campaign's seed.
 */
import type { Opinions, Shown } from "./opinions.ts";
import type { Report } from "./plan.ts";

export interface SecondOptions {
  /** commands of testees, as a shell would split them */
  readonly testees: readonly string[];
  /** processes of each testee */
  readonly processes: number;
  /** for one answer of a testee */
  readonly milliseconds?: number;
}

export class SecondLook {
  private constructor(private readonly opinions: Opinions | null) {}

  /** @throws UsageError for a command that starts no testee */
  static async open(options: SecondOptions): Promise<SecondLook> {
    const { testees, processes, milliseconds } = options;
    if (testees.length === 0) return new SecondLook(null);
    // loaded where there are testees: it holds the readers, and a campaign's parent is small
    const { Opinions } = await import("./opinions.ts");
    return new SecondLook(await Opinions.open(testees, processes, milliseconds));
  }

  /**
   * What is wrong with the inputs that a round kept or sampled, in their order.
   * @param stopped ends it early
   * @returns null where it was stopped
   */
  async look(reports: readonly Report[], stopped: () => boolean): Promise<Shown[] | null> {
    const shown = await this.opinions?.judge(inputsOf(reports), stopped) ?? [];
    return stopped() ? null : shown;
  }

  async close(): Promise<void> {
    await this.opinions?.close();
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
