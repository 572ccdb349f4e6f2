/**
 * What a campaign finds, on its way to the disk. A flaw is filed the moment it is known, before
 * anything else is done with it; then its input is judged alone, and where the counters gave it
 * another key its folder is exchanged for one under the right one.
 */
import type { FindingClass } from "../oracle/oracle.ts";
import { filedFindings, fileFinding, removeFinding } from "./findings.ts";
import type { Judge } from "./judge.ts";
import type { CampaignStore } from "./store.ts";
import type { Flaw } from "./subject.ts";

/** Where in a campaign an input was executed. */
export interface Origin {
  readonly seed: number;
  readonly round: number;
  /** absent where a second look showed the flaw */
  readonly slice?: number;
  readonly execution?: number;
}

/** A finding on disk. */
export interface Filed {
  readonly flaw: Flaw;
  readonly folder: string;
}

export class Filing {
  /** by the keys that workers told */
  readonly #told = new Map<string, Filed>();
  readonly #classes = new Map<string, FindingClass>();
  #confirming: Promise<void> = Promise.resolve();

  /**
   * @param fault the seeded fault that the subject has, for whoever replays
   * @param filed is told of each finding that is filed and confirmed
   */
  constructor(
    private readonly folder: string,
    private readonly store: CampaignStore,
    private readonly judge: Judge,
    private readonly fault?: string,
    private readonly filed?: (filed: Filed, input: Uint8Array) => void,
  ) {}

  /** Takes up what is there: findings of earlier runs, and those that one of them could not confirm. */
  resume(): void {
    const kept = new Set(this.store.findings().map(({ key }) => key));
    for (const { finding, input, path } of filedFindings(this.folder)) {
      const { origin, replay: _, ...flaw } = finding;
      this.#know(flaw, path);
      if (!kept.has(flaw.key)) this.#confirm(flaw, input, path, origin);
    }
  }

  /** Files a flaw, unless its bucket is there. It is on the disk when this returns. */
  file(flaw: Flaw, input: Uint8Array, origin: Origin): void {
    if (this.#told.has(flaw.key)) return;
    const { path } = fileFinding(this.folder, flaw, input, { origin, fault: this.fault });
    this.#know(flaw, path);
    this.#confirm(flaw, input, path, origin);
  }

  /** Counts inputs that showed a flaw which is filed. */
  count(key: string, times: number): void {
    const filed = this.#told.get(key);
    if (filed) this.store.count(filed.flaw.key, times);
  }

  /** How many buckets of each class there are. */
  get counts(): Record<FindingClass, number> {
    const counts = { crash: 0, hang: 0, memory: 0, protocol: 0, disagreement: 0 };
    for (const kind of this.#classes.values()) counts[kind]++;
    return counts;
  }

  /** Waits until all that was filed is confirmed. */
  async settled(): Promise<void> {
    await this.#confirming;
  }

  #know(flaw: Flaw, folder: string): void {
    this.#told.set(flaw.key, { flaw, folder });
    this.#classes.set(flaw.key, flaw.class);
  }

  #confirm(flaw: Flaw, input: Uint8Array, path: string, origin?: Origin): void {
    this.#confirming = this.#confirming.then(async () => {
      const filed = await this.#confirmed(flaw, input, path, origin);
      this.store.file(filed.flaw, filed.folder, origin?.round ?? 0);
      this.filed?.(filed, input);
    });
  }

  async #confirmed(flaw: Flaw, input: Uint8Array, path: string, origin?: Origin): Promise<Filed> {
    const ended = flaw.class === "hang" || flaw.class === "memory";
    const alone = ended || flaw.testee !== undefined ? [] : await this.judge.ask(input);
    const right = alone.find(({ key }) => key === flaw.key) ??
      alone.find((one) => one.class === flaw.class) ?? flaw;
    if (right.key === flaw.key) return { flaw, folder: path };
    const { path: folder } = fileFinding(this.folder, right, input, { origin, fault: this.fault });
    removeFinding(path);
    this.#classes.delete(flaw.key);
    this.#know(right, folder);
    this.#told.set(flaw.key, { flaw: right, folder });
    return { flaw: right, folder };
  }
}
