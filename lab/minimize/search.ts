/** The smallest input so far, and the trying of smaller ones. */
import { type Artifact, parse } from "../../mutators/artifact.ts";
import type { Flaw } from "../campaign/subject.ts";
import { type Form, formsOf } from "./forms.ts";

export interface MinimizeOptions {
  /** what the smaller input must still show */
  readonly key: string;
  /** the probe of growing work of which the input is the file */
  readonly probe?: string;
  /** inputs that may be judged; absent: any number */
  readonly tries?: number;
  /** time after which no further input is judged; absent: none */
  readonly seconds?: number;
  readonly judge: (input: Uint8Array) => Promise<readonly Flaw[]>;
  /** told of each flaw of another key that a smaller input shows */
  readonly slip?: (flaw: Flaw, input: Uint8Array) => void | Promise<void>;
  readonly progress?: (tries: number, bytes: number) => void;
}

export interface Minimized {
  readonly input: Uint8Array;
  /** the probe of growing work of which it is the file */
  readonly probe?: string;
  readonly tries: number;
  /** the budget ended first */
  readonly cut: boolean;
}

/** Forms of parts that are tried at each step: more show the same fault, and cost as much again. */
const FORMS = 2;

interface Inside {
  readonly outer: Search;
  readonly whole: (part: Uint8Array) => Uint8Array;
}

export class Search {
  tries = 0;
  readonly #tried = new Map<string, boolean>();
  readonly #begun = performance.now();
  #forms: readonly Form[] = [];

  constructor(
    public best: Uint8Array,
    private readonly options: MinimizeOptions,
    /** the search for the whole of which this is a part */
    private readonly inside?: Inside,
  ) {}

  /** The budget is spent. */
  get over(): boolean {
    if (this.inside) return this.inside.outer.over;
    const { tries = Infinity, seconds = Infinity } = this.options;
    return this.tries >= tries || performance.now() - this.#begun > 1000 * seconds;
  }

  /** Finds out in which forms the parts of the smallest input still show the flaw. */
  async learnForms(): Promise<void> {
    const shown: Form[] = [];
    for (const form of formsOf(this.best)) {
      if (shown.length < FORMS && await this.#shows(form(parse(this.best)))) shown.push(form);
    }
    this.#forms = shown;
  }

  /** Takes `input` where it is smaller and shows the flaw. */
  async take(input: Uint8Array, sameLength = false): Promise<boolean> {
    const { length } = this.best;
    if (sameLength ? input.length > length : input.length >= length) return false;
    if (!await this.#shows(input)) return false;
    this.best = input;
    return true;
  }

  /** Takes the smallest input with its parts changed; `edit` says whether there was something to do. */
  async takeEdited(edit: (artifact: Artifact) => boolean | void): Promise<boolean> {
    const edited = () => {
      const artifact = parse(this.best);
      return edit(artifact) === false ? null : artifact;
    };
    for (const form of this.#forms) {
      const artifact = edited(); // a form may write into its parts
      if (artifact === null) return false;
      if (await this.take(form(artifact))) return true;
    }
    return false;
  }

  /**
   * Leaves out stretches of a list, long ones first.
   * @param count how long it is, of the smallest input
   * @param without takes that input without `length` elements from `at` on
   */
  async thin(
    count: () => number,
    without: (at: number, length: number) => Promise<boolean>,
    least = 1,
  ): Promise<void> {
    for (let length = count(); length >= least && !this.over; length >>= 1) {
      for (let at = 0; at < count() && !this.over;) {
        if (!await without(at, Math.min(length, count() - at))) at += length;
      }
    }
  }

  /**
   * Searches for a smaller part of the smallest input.
   * @param whole the input with another part
   */
  async within(
    part: Uint8Array,
    whole: (part: Uint8Array) => Uint8Array,
    shrink: (search: Search) => Promise<void>,
  ): Promise<void> {
    const inner = new Search(part, this.options, { outer: this, whole });
    await shrink(inner);
    await this.take(whole(inner.best));
  }

  async #shows(input: Uint8Array): Promise<boolean> {
    if (this.inside) return await this.inside.outer.#shows(this.inside.whole(input));
    if (this.over) return false;
    const name = input.toBase64();
    const known = this.#tried.get(name);
    if (known !== undefined) return known;
    this.tries++;
    const { key, judge, slip, progress } = this.options;
    const flaws = await judge(input);
    for (const flaw of flaws) if (flaw.key !== key) await slip?.(flaw, input);
    progress?.(this.tries, this.best.length);
    const shows = flaws.some((flaw) => flaw.key === key);
    this.#tried.set(name, shows);
    return shows;
  }
}
