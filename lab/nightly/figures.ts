/**
 * Figures out of what a part prints. Each reducer takes one line at a time, so that no output is
 * too long; a line that is not what it should be counts for nothing, and its figure is then absent.
 */

export type Figures = Record<string, number>;

/** Takes figures from one line of output. */
export type Reduce = (figures: Figures, line: string) => void;

// deno-lint-ignore no-explicit-any -- the lab's own output, of which single members are read
type Line = any;

/** Reads lines as JSON objects; others, such as a warning, are passed over. */
const json = (take: (figures: Figures, line: Line) => void): Reduce => (figures, line) => {
  if (!line.startsWith("{")) return;
  let value: Line;
  try {
    value = JSON.parse(line);
  } catch {
    return;
  }
  take(figures, value);
};

const add = (figures: Figures, name: string, by: unknown) => {
  if (typeof by === "number") figures[name] = (figures[name] ?? 0) + by;
};

/** A name that a figure can have. */
export const slug = (text: string) =>
  text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 60);

/** What `deno test` prints last, e.g. `ok | 55 passed (3 steps) | 0 failed | 1 ignored (3s)`. */
const SUMMARY = /(\d+) passed(?: \([^)]*\))? \| (\d+) failed(?: \([^)]*\))?(?: \| (\d+) ignored)?/;

export const testFigures: Reduce = (figures, line) => {
  const summary = SUMMARY.exec(line);
  if (summary === null) return;
  add(figures, "passed", Number(summary[1]));
  add(figures, "failed", Number(summary[2]));
  add(figures, "ignored", Number(summary[3] ?? 0));
};

export const corpusFigures: Reduce = json((figures, line) => {
  add(figures, "cases", line.cases);
  for (const name of ["faults", "uncovered", "stale"]) add(figures, name, line[name]?.length);
});

export const conformFigures: Reduce = json((figures, line) => {
  if (line.contradiction !== undefined) add(figures, "contradictions", 1);
  if (line.counts === undefined) return;
  const { pass, fail, fixed, changed, "not-run": unasked } = line.counts.status;
  add(figures, "testees", 1);
  add(figures, "contradictions", 0);
  add(figures, "cases", line.corpus.cases);
  add(figures, "passing", pass);
  add(figures, "failing", fail + fixed + changed + unasked + line.faults.length);
  for (const kind of ["crash", "hang", "memory", "protocol"]) {
    add(figures, kind, line.counts.result[kind]);
  }
});

/**
 * Index of an accept in a campaign's histogram of stages, where those of pieces that are refused
 * stand too; and the last one that a reader refuses at.
 */
export const ACCEPTED = 27, LAST_STAGE = 28;

export const fuzzFigures: Reduce = json((figures, line) => {
  if (typeof line.executions !== "number") return;
  const { executions, seconds, rate, edges, allEdges, corpus, stages, findings } = line;
  Object.assign(figures, { executions, seconds, edges, "all-edges": allEdges, entries: corpus });
  figures["executions-per-second"] = rate;
  figures.findings = 0;
  for (const [kind, count] of Object.entries(findings)) {
    add(figures, "findings", count);
    add(figures, `finding-${slug(kind)}`, count);
  }
  const all = stages.reduce((sum: number, count: number) => sum + count, 0) || 1;
  stages.forEach((count: number, stage: number) => {
    if (stage > 0 && stage <= LAST_STAGE) figures[`stage-${stage}`] = count;
  });
  figures["accept-share"] = (stages[ACCEPTED] ?? 0) / all;
  for (const [name, yields] of Object.entries<Line>(line.mutators ?? {})) {
    const { tries, finds } = yields;
    figures[`yield-${slug(name)}`] = tries === 0 ? 0 : finds / tries;
    figures[`finds-${slug(name)}`] = finds;
  }
});

/** Seeded faults: how many a campaign found, how soon, and how small what showed them became. */
export const faultFigures: Reduce = json((figures, line) => {
  if (typeof line.id !== "string" || typeof line.found !== "boolean") return;
  add(figures, "found", line.found ? 1 : 0);
  add(figures, "missed", line.found ? 0 : 1);
  add(figures, "long", line.large ? 1 : 0);
  add(figures, "executions", line.executions);
  if (!line.found) return;
  add(figures, "buckets", line.buckets.length);
  figures[`seconds-${slug(line.id)}`] = line.seconds;
  figures["seconds-most"] = Math.max(figures["seconds-most"] ?? 0, line.seconds);
});

/** How much of a bound a distance takes up; a bound of zero is for what must be bit for bit. */
export const shareOf = (distance: number, bound: number) => distance === 0 ? 0 : distance / bound;

const VERDICTS: Readonly<Record<string, string>> = {
  holds: "held",
  breach: "breaches",
  skipped: "skipped",
};

export const compareFigures: Reduce = json((figures, line) => {
  const name = VERDICTS[line.verdict];
  if (name === undefined) return;
  for (const one of Object.values(VERDICTS)) add(figures, one, one === name ? 1 : 0);
  if (!Array.isArray(line.positions)) return;
  add(figures, "flips", line.flips?.length);
  const worst = line.positions.reduce(
    (most: number, one: Line) => Math.max(most, shareOf(one.absolute, line.envelope.absolute)),
    0,
  );
  figures["share-of-budget"] = Math.max(figures["share-of-budget"] ?? 0, worst);
});

export const benchFigures: Reduce = json((figures, line) => {
  if (line.suite === undefined) return;
  add(figures, "rows", 1);
  add(figures, "below", line.holds === false ? 1 : 0);
  if (line.unit === "ratio") {
    figures[`ratio-${slug(`${line.suite} ${line.name.replace(" / ", " over ")}`)}`] = line.value;
  }
});
