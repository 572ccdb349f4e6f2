/** The terminal under a screen: raw keys in, whole frames out, and as it was at the end. */

/** Sequences that keys send (ECMA-48, and what xterm makes of it). */
const KEYS: Readonly<Record<string, string>> = {
  "\x1b[A": "up",
  "\x1b[B": "down",
  "\x1b[C": "right",
  "\x1b[D": "left",
  "\x1bOA": "up",
  "\x1bOB": "down",
  "\x1bOC": "right",
  "\x1bOD": "left",
  "\x1b[5~": "pageup",
  "\x1b[6~": "pagedown",
  "\x1b[H": "home",
  "\x1b[F": "end",
  "\x1b[1~": "home",
  "\x1b[4~": "end",
  "\x1b": "escape",
  "\r": "enter",
  "\n": "enter",
  "\x7f": "backspace",
  "\b": "backspace",
  "\x03": "interrupt",
};

/** Another screen without cursor and without wrapping, and back. */
const ENTER = "\x1b[?1049h\x1b[?25l\x1b[?7l", LEAVE = "\x1b[?7h\x1b[?25h\x1b[?1049l";

/** Names of keys in what a terminal sent at once; other characters as they are. */
export function keysIn(text: string): string[] {
  const keys: string[] = [];
  for (let rest = text; rest !== "";) {
    // deno-lint-ignore no-control-regex -- keys begin with an escape
    const [sequence] = /^\x1b(\[[0-9;]*[A-Za-z~]|O[A-Za-z])/.exec(rest) ?? [[...rest][0]];
    const known = KEYS[sequence];
    if (known !== undefined) keys.push(known);
    else if (!/^[\p{Cc}\p{Cs}]/u.test(sequence)) keys.push(sequence);
    rest = rest.slice(sequence.length);
  }
  return keys;
}

export class Terminal implements Disposable {
  readonly #encoder = new TextEncoder();
  readonly #decoder = new TextDecoder();

  constructor() {
    Deno.stdin.setRaw(true);
    this.#write(ENTER);
  }

  get rows(): number {
    return Deno.consoleSize().rows;
  }

  draw(lines: readonly string[]): void {
    this.#write(`\x1b[H${lines.map((line) => `${line}\x1b[0m\x1b[K`).join("\r\n")}`);
  }

  /** The keys that come next; null where there will be no more. */
  async keys(): Promise<string[] | null> {
    const bytes = new Uint8Array(1024);
    const count = await Deno.stdin.read(bytes);
    return count === null ? null : keysIn(this.#decoder.decode(bytes.subarray(0, count)));
  }

  [Symbol.dispose](): void {
    this.#write(LEAVE);
    Deno.stdin.setRaw(false);
  }

  #write(text: string): void {
    const bytes = this.#encoder.encode(text);
    for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
  }
}
