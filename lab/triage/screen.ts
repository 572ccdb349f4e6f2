/**
 * The screen of `triage --work`: what is shown, and what a key makes of it. It holds no terminal, so
 * that a test can press its keys.
 */
import { styleText } from "node:util";
import { foreign } from "../../reports/terminal.ts";
import { findingLine, remarks } from "./lines.ts";
import type { State } from "./ledger.ts";
import type { Triaged } from "./look.ts";

/** What a person asks for that needs more than the screen. */
export type Wish =
  | { readonly wish: "quit" }
  | { readonly wish: "open"; readonly one: Triaged }
  | { readonly wish: "bisect"; readonly one: Triaged }
  | { readonly wish: "expected"; readonly one: Triaged; readonly text: boolean }
  | { readonly wish: "status" | "note"; readonly one: Triaged; readonly text: string };

const FILTERS: readonly (State | "all")[] = ["all", "regressed", "new", "known", "fixed"];

/** Characters of a status or note that can be typed. */
const MOST_TYPED = 500;

export const HELP = "↑↓ move  Enter open  s status  n note  e expected  b bisect  f filter  q quit";

export class Screen {
  #at = 0;
  #filter = 0;
  #scroll = 0;
  /** lines of what is open, or null for the list */
  #open: readonly string[] | null = null;
  #typing: { readonly what: "status" | "note"; text: string } | null = null;
  /** the last line: what is under way, or went wrong */
  message = "";

  constructor(public findings: readonly Triaged[], private readonly more: number) {}

  get shown(): readonly Triaged[] {
    const filter = FILTERS[this.#filter];
    return this.findings.filter(({ state }) => filter === "all" || state === filter);
  }

  get selected(): Triaged | undefined {
    return this.shown[this.#at];
  }

  /** Shows lines in place of the list. */
  open(lines: readonly string[]): void {
    this.#open = lines;
    this.#scroll = 0;
  }

  /** Adds lines to what is open. */
  append(lines: readonly string[]): void {
    if (this.#open !== null) this.#open = [...this.#open, ...lines];
  }

  /** One thing less or more in a finding, where it stands in the list. */
  replace(one: Triaged): void {
    this.findings = this.findings.map((other) => other.name === one.name ? one : other);
  }

  /**
   * @param key the name of a key (`up`, `enter`), or the characters that were typed
   * @param rows of the terminal
   */
  press(key: string, rows: number): Wish | null {
    this.message = "";
    if (this.#typing !== null) return this.#type(key);
    if (key === "interrupt") return { wish: "quit" };
    if (this.#open !== null) {
      if (["q", "escape", "enter", "left"].includes(key)) {
        this.#open = null;
        return null;
      }
      if (key in STEPS) this.#scrollBy(STEPS[key](rows - 2), rows);
      return this.#act(key);
    }
    if (key in STEPS) this.#move(STEPS[key](rows - 3));
    if (key === "f") {
      this.#filter = (this.#filter + 1) % FILTERS.length;
      this.#at = 0;
    }
    if (key === "q" || key === "escape") return { wish: "quit" };
    const one = this.selected;
    if ((key === "enter" || key === "right") && one) return { wish: "open", one };
    return this.#act(key);
  }

  #act(key: string): Wish | null {
    const one = this.selected;
    if (one === undefined) return null;
    if (key === "b") return { wish: "bisect", one };
    if (key === "e") return { wish: "expected", one, text: one.entry.expected !== true };
    const what = { s: "status", n: "note" }[key] as "status" | "note" | undefined;
    if (what !== undefined) this.#typing = { what, text: one.entry[what] ?? "" };
    return null;
  }

  #type(key: string): Wish | null {
    const typing = this.#typing!, one = this.selected!;
    if (key === "escape" || key === "interrupt") this.#typing = null;
    else if (key === "enter") {
      this.#typing = null;
      return { wish: typing.what, one, text: typing.text };
    } else if (key === "backspace") typing.text = [...typing.text].slice(0, -1).join("");
    else if ([...key].length === 1 && typing.text.length < MOST_TYPED) typing.text += key;
    return null;
  }

  #move(by: number): void {
    this.#at = Math.max(0, Math.min(this.shown.length - 1, this.#at + by));
  }

  #scrollBy(by: number, rows: number): void {
    const last = Math.max(0, (this.#open?.length ?? 0) - (rows - 2));
    this.#scroll = Math.max(0, Math.min(last, this.#scroll + by));
  }

  /** Just `rows` lines; what is too wide for the terminal is cut off by it. */
  render(rows: number): string[] {
    const body = this.#open === null
      ? this.#list(rows - 3)
      : this.#open.slice(this.#scroll, this.#scroll + rows - 2);
    const head = this.#open === null ? [this.#head()] : [];
    const lines = [...head, ...body];
    while (lines.length < rows - 2) lines.push("");
    return [...lines.slice(0, rows - 2), this.#foot(), styleText("dim", HELP)];
  }

  #head(): string {
    const counts = FILTERS.slice(1).map((state) =>
      `${this.findings.filter((one) => one.state === state).length} ${state}`
    );
    const beyond = this.more > 0 ? `, ${this.more} beyond what is looked at` : "";
    return styleText("bold", `${counts.join(", ")}${beyond}   showing: ${FILTERS[this.#filter]}`);
  }

  #list(rows: number): string[] {
    const from = Math.max(0, Math.min(this.#at - (rows >> 1), this.shown.length - rows));
    if (this.shown.length === 0) return ["  none"];
    return this.shown.slice(from, from + rows).map((one, i) => {
      const here = from + i === this.#at, noted = remarks(one).length > 0 ? "*" : " ";
      return `${here ? styleText("inverse", "›") : " "}${noted}${findingLine(one)}`;
    });
  }

  #foot(): string {
    if (this.#typing !== null) return `${this.#typing.what}: ${foreign(this.#typing.text, 400)}█`;
    if (this.message !== "") return this.message;
    const one = this.selected;
    return one === undefined ? "" : remarks(one).join("  ");
  }
}

/** Keys that move, by how many lines. */
const STEPS: Readonly<Record<string, (page: number) => number>> = {
  up: () => -1,
  k: () => -1,
  down: () => 1,
  j: () => 1,
  pageup: (page) => -page,
  pagedown: (page) => page,
  home: () => -Infinity,
  end: () => Infinity,
};
