/**
 * The clause list: every sentence of the specification, with an id that stays. Sentences are
 * cut by rule from `spec/slm2.md` and `spec/classes.md`; ids are kept in `spec/clauses.json`,
 * where a sentence that is reworded gets a new one. Vectors name the clauses they exercise.
 */

/** One sentence, list item, table row or schema member. */
export interface Clause {
  readonly id: string;
  /** `slm2-8.14`: the document, its section, and in slm2.md section 8 the stage */
  readonly section: string;
  readonly text: string;
}

/** The documents that decide verdicts. */
export const DOCUMENTS = ["slm2", "classes"] as const;

/** Where an id stands in `spec/clauses.json`. */
export type ClauseTable = { readonly [id: string]: string };

interface Block {
  readonly kind: "prose" | "row" | "cddl" | "formula";
  readonly text: string;
}

/** Cuts a document into its clauses, in order, as [section, text]. */
export function cut(document: string, markdown: string): [section: string, text: string][] {
  const clauses: [string, string][] = [];
  let section = `${document}-0`;
  for (const block of blocksOf(markdown)) {
    const heading = /^#+ (?:(\d+(?:\.\d+)?)\.? )?(.*)$/.exec(block.text);
    if (block.kind === "prose" && heading) {
      section = `${document}-${heading[1] ?? (heading[2] === "Decisions" ? "decisions" : "0")}`;
      continue;
    }
    if (section.endsWith("-decisions")) {
      // a decision is one clause: its sentences settle one thing
      clauses.push([section, block.text.replace(/^\d+\. /, "")]);
      continue;
    }
    for (const [sub, text] of SPLIT[block.kind](block.text, section === "slm2-8")) {
      clauses.push([section + sub, text]);
    }
  }
  return clauses;
}

const SPLIT: {
  readonly [kind in Block["kind"]]: (
    text: string,
    stages: boolean,
  ) => [sub: string, text: string][];
} = {
  prose: (text) => sentences(text).map((one) => ["", one]),
  row(text, stages) {
    const cells = text.split("|").slice(1, -1).map((cell) => cell.trim());
    return stages
      ? sentences(cells[1]).map((one) => [`.${cells[0]}`, one])
      : [["", cells.filter((cell) => cell !== "").join(" | ")]];
  },
  cddl: (text) => members(text).map((one) => ["", one]),
  formula: (text) => [["", text.replace(/\s+/g, " ").trim()]],
};

/** Paragraphs, list items, table rows and fenced blocks; continuation lines joined. */
function* blocksOf(markdown: string): Generator<Block> {
  let prose: string[] = [];
  let fence: { readonly kind: "cddl" | "formula"; readonly lines: string[] } | null = null;
  const flush = function* (): Generator<Block> {
    if (prose.length > 0) yield { kind: "prose", text: prose.join(" ") };
    prose = [];
  };
  let row = 0;
  for (const line of markdown.split("\n")) {
    if (line.startsWith("```")) {
      yield* flush();
      if (fence) yield { kind: fence.kind, text: fence.lines.join("\n") };
      fence = fence ? null : { kind: line === "```cddl" ? "cddl" : "formula", lines: [] };
    } else if (fence) {
      fence.lines.push(line);
    } else if (line.startsWith("|")) {
      yield* flush();
      // the head of a table and the line under it decide nothing
      if (row++ >= 2) yield { kind: "row", text: line };
      continue;
    } else {
      if (/^(#|- |\d+\. )/.test(line) || line.trim() === "") yield* flush();
      if (line.trim() !== "") prose.push(line.trim());
      if (line.startsWith("#")) yield* flush();
    }
    row = 0;
  }
  yield* flush();
}

/** Cuts at `. ` and `; ` outside parentheses and code. */
function sentences(text: string): string[] {
  const parts: string[] = [];
  let depth = 0, code = false, from = 0;
  const body = text.replace(/^(- |\d+\. )/, "");
  for (let i = 0; i < body.length; i++) {
    const c = body[i];
    if (c === "`") code = !code;
    else if (!code && (c === "(" || c === "[")) depth++;
    else if (!code && (c === ")" || c === "]")) depth = Math.max(0, depth - 1);
    else if (
      !code && depth === 0 && (c === ";" || c === ".") && /^\s+\S/.test(body.slice(i + 1)) &&
      !(c === "." && (body[i - 1] === "." || /\b(?:e\.g|i\.e|vs)$/.test(body.slice(0, i))))
    ) {
      parts.push(body.slice(from, i + 1).trim());
      from = i + 1;
    }
  }
  parts.push(body.slice(from).trim());
  return parts.filter((part) => part !== "");
}

/** Stand for a comma inside a comment, and for an arrow, which is no bracket. */
const COMMA = "\u201a", ARROW = "\u21d2";

/** One clause a member of a CDDL rule: `rule.member: type`. */
function members(cddl: string): string[] {
  // a comment belongs to the member before it; its commas must not cut
  const text = cddl.replace(/\n\s*;/g, "").replace(
    /(,?) *;([^\n]*)/g,
    (_, comma, comment) => ` ;${comment.trimEnd().replaceAll(",", COMMA)}${comma}`,
  ).replaceAll("=>", ARROW).replace(/\s+/g, " ").trim();
  const rules = text.split(/ (?=[a-z][a-z-]* = )/);
  return rules.flatMap((rule): string[] => {
    const [, name, type] = /^([a-z-]+) = (.*)$/.exec(rule.trim())!;
    const map = /^\{ (.*?),? \}$/.exec(type);
    return map ? topLevel(map[1]).map((member) => `${name}.${member}`) : [rule.trim()];
  }).map((member) => member.replaceAll(COMMA, ",").replaceAll(ARROW, "=>"));
}

/** Cuts at commas outside brackets. */
function topLevel(text: string): string[] {
  const parts: string[] = [];
  let depth = 0, from = 0;
  for (let i = 0; i < text.length; i++) {
    if ("{[(<".includes(text[i])) depth++;
    else if ("}])>".includes(text[i])) depth--;
    else if (text[i] === "," && depth === 0) {
      parts.push(text.slice(from, i).trim());
      from = i + 1;
    }
  }
  return [...parts, text.slice(from).trim()].filter((part) => part !== "");
}

/**
 * Gives every sentence its id: the one that it had, else the next free one of its section.
 * @param known `spec/clauses.json` as it was
 */
export function numbered(cuts: readonly [string, string][], known: ClauseTable): Clause[] {
  const ids = new Map(Object.entries(known).map(([id, text]) => [`${sectionOf(id)} ${text}`, id]));
  const last = new Map<string, number>();
  for (const id of Object.keys(known)) {
    last.set(sectionOf(id), Math.max(last.get(sectionOf(id)) ?? 0, Number(/\d+$/.exec(id)![0])));
  }
  const used = new Set<string>();
  return cuts.flatMap(([section, text]) => {
    const key = `${section} ${text}`;
    let id = ids.get(key);
    if (id === undefined) {
      const n = (last.get(section) ?? 0) + 1;
      last.set(section, n);
      id = `${section}-${n}`;
      ids.set(key, id);
    }
    // a sentence that stands twice in one section says one thing
    if (used.has(id)) return [];
    used.add(id);
    return [{ id, section, text }];
  });
}

/** The clauses of a table, in its order. */
export const listed = (table: ClauseTable): Clause[] =>
  Object.entries(table).map(([id, text]) => ({ id, section: sectionOf(id), text }));

const sectionOf = (id: string): string => id.replace(/-\d+$/, "");

/** The clauses of the specification as it stands, under their committed ids. */
export function readClauses(): Clause[] {
  const spec = new URL("spec/", import.meta.url);
  const read = (name: string) => Deno.readTextFileSync(new URL(name, spec));
  let known: ClauseTable = {};
  try {
    known = JSON.parse(read("clauses.json"));
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return numbered(DOCUMENTS.flatMap((name) => cut(name, read(`${name}.md`))), known);
}

/** Stages whose codes another section gives. */
const ELSEWHERE: { readonly [stage: number]: string } = {
  17: "slm2-5",
  18: "classes-1",
  25: "classes-6",
};

/**
 * Resolves citations to clause ids. A citation is a section and a fragment of its text that
 * only one clause there has, such as `slm2-8.14 canonical place`; with `*` for a fragment it
 * is every clause of that section.
 * @throws Error where a citation fits none or several: the specification or the recipe changed
 */
export class Citations {
  readonly #bySection = new Map<string, Clause[]>();
  readonly #found = new Map<string, readonly string[]>();

  constructor(clauses: readonly Clause[]) {
    for (const clause of clauses) {
      const list = this.#bySection.get(clause.section);
      if (list) list.push(clause);
      else this.#bySection.set(clause.section, [clause]);
    }
  }

  resolve(citation: string): readonly string[] {
    const known = this.#found.get(citation);
    if (known) return known;
    const [, section, fragment] = /^(\S+) (.*)$/.exec(citation) ?? [];
    const all = this.#bySection.get(section) ?? [];
    const fit = fragment === "*" ? all : all.filter(({ text }) => text.includes(fragment));
    if (fit.length === 0 || (fit.length > 1 && fragment !== "*")) {
      const which = fit.map(({ id, text }) => `\n  ${id} ${text}`).join("");
      throw new Error(`the citation "${citation}" fits ${fit.length} clauses${which}`);
    }
    const ids = fit.map(({ id }) => id);
    this.#found.set(citation, ids);
    return ids;
  }

  /**
   * The one clause that gives a code at a stage: of the stage's row in slm2.md section 8, or of the
   * section that the row refers to. None where several do: then the recipe says which.
   */
  ofCode(stage: number, code: string): readonly string[] {
    for (const section of [`slm2-8.${stage}`, ELSEWHERE[stage]]) {
      const fit = (this.#bySection.get(section) ?? []).filter(({ text }) =>
        text.includes("`" + code + "`")
      );
      if (fit.length > 0) return fit.length === 1 ? [fit[0].id] : [];
    }
    return [];
  }
}

if (import.meta.main) {
  const table = Object.fromEntries(readClauses().map(({ id, text }) => [id, text]));
  const path = new URL("spec/clauses.json", import.meta.url);
  Deno.writeTextFileSync(path, JSON.stringify(table, null, 1) + "\n");
  console.log(`${Object.keys(table).length} clauses`);
}
