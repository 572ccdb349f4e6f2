/**
 * How much two bodies of source share, by a plain measure: runs of `RUN` tokens, comments and
 * layout left out, every string and number as it stands. The share is that of the smaller body's
 * distinct runs that the other has too.
 */

/** Tokens of a run: longer than any idiom of the language that one writes without thinking. */
export const RUN = 16;

const TOKEN =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|`(?:\\.|[^`\\])*`|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[\p{ID_Start}$_][\p{ID_Continue}$]*|\d[\w.]*|\S/gu;

/** The tokens of a TypeScript source, comments left out. */
export function tokens(source: string): string[] {
  return (source.match(TOKEN) ?? []).filter((one) => !/^\/[/*]/.test(one));
}

/** Distinct runs of a body of sources; import lines are left out. */
export function runs(sources: readonly string[], length = RUN): Set<string> {
  const found = new Set<string>();
  for (const source of sources) {
    const list = tokens(source.replace(/^import [\s\S]*?;$/gm, ""));
    for (let i = 0; i + length <= list.length; i++) {
      found.add(list.slice(i, i + length).join(" "));
    }
  }
  return found;
}

export interface Similarity {
  /** distinct runs that both have */
  readonly shared: number;
  /** distinct runs of the smaller body */
  readonly of: number;
  /** `shared / of` */
  readonly share: number;
}

/** Compares two bodies of sources. */
export function similarity(a: readonly string[], b: readonly string[]): Similarity {
  const [small, large] = [runs(a), runs(b)].sort((x, y) => x.size - y.size);
  let shared = 0;
  for (const run of small) if (large.has(run)) shared++;
  return { shared, of: small.size, share: small.size === 0 ? 0 : shared / small.size };
}
