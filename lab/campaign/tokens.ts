/** The dictionary: byte strings that mean something to the format, and what code compared with. */
import type { Compared, Operand } from "./compare_log.ts";
import { encodeInteger, FORMS } from "./integers.ts";

const MOST = 2048;

export class Tokens {
  readonly list: Uint8Array[];
  readonly #known: Set<string>;
  readonly #learnt = new Set<Operand>();

  /** @param base what is known already */
  constructor(base?: Tokens) {
    this.list = base ? [...base.list] : [];
    this.#known = new Set(base ? base.#known : []);
  }

  add(token: Uint8Array): void {
    if (this.list.length === MOST || token.length === 0) return;
    const key = token.toHex();
    if (this.#known.has(key)) return;
    this.#known.add(key);
    this.list.push(token);
  }

  /** Takes both operands of each comparison, in every form that an integer may have. */
  learn(compared: readonly Compared[]): void {
    if (this.list.length === MOST) return;
    for (const { left, right } of compared) {
      for (const operand of [left, right]) {
        if (this.#learnt.has(operand)) continue;
        this.#learnt.add(operand);
        for (const token of tokensOf(operand)) this.add(token);
      }
    }
  }
}

function* tokensOf(operand: Operand): Iterable<Uint8Array> {
  if (typeof operand === "string") return yield new TextEncoder().encode(operand);
  for (const form of FORMS) {
    const token = encodeInteger(operand, form);
    if (token !== null) yield token;
  }
}
