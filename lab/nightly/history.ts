/** Figures of all nightly runs, in SQLite: what a run's own history is. */
import { DatabaseSync } from "node:sqlite";
import { PATIENCE_MS } from "../campaign/store.ts";
import type { PartRecord } from "../gate/record.ts";

const SCHEMA = `
  PRAGMA journal_mode = WAL;
  CREATE TABLE IF NOT EXISTS runs (
    run INTEGER PRIMARY KEY, started TEXT NOT NULL, commit_id TEXT NOT NULL, corpus TEXT NOT NULL,
    budget TEXT NOT NULL, exit INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS parts (
    run INTEGER NOT NULL REFERENCES runs, part TEXT NOT NULL, exit INTEGER NOT NULL,
    seconds REAL NOT NULL, PRIMARY KEY (run, part)) STRICT;
  CREATE TABLE IF NOT EXISTS figures (
    run INTEGER NOT NULL REFERENCES runs, part TEXT NOT NULL, figure TEXT NOT NULL,
    value REAL NOT NULL, PRIMARY KEY (run, part, figure)) STRICT, WITHOUT ROWID;
`;

export interface Run {
  readonly started: string;
  readonly commit: string;
  readonly corpus: string;
  /** what the run was given to spend; only runs of equal budget are compared */
  readonly budget: string;
  readonly exit: number;
}

/** One value of a figure and when it was. */
export interface Point {
  readonly started: string;
  readonly value: number;
}

export class History {
  readonly #db: DatabaseSync;

  /** Opens or makes the history at `path`. */
  constructor(path: string) {
    this.#db = new DatabaseSync(path, { timeout: PATIENCE_MS });
    this.#db.exec(SCHEMA);
  }

  /** What was added and not kept is gone. */
  close(): void {
    this.#db.close();
  }

  /**
   * Adds a run, for good only with `commit`: until then it is seen here alone.
   * @param entire records of parts that ran to their end, whose figures count
   * @param ran records of all parts that ran
   */
  add(
    { started, commit, corpus, budget, exit }: Run,
    entire: readonly PartRecord[],
    ran: readonly PartRecord[] = entire,
  ): void {
    this.#db.exec("BEGIN IMMEDIATE");
    const { lastInsertRowid: run } = this.#db.prepare(
      "INSERT INTO runs (started, commit_id, corpus, budget, exit) VALUES (?, ?, ?, ?, ?)",
    ).run(started, commit, corpus, budget, exit);
    const part = this.#db.prepare("INSERT INTO parts VALUES (?, ?, ?, ?)");
    for (const record of ran) {
      const seconds = (Date.parse(record.ended) - Date.parse(record.started)) / 1000;
      part.run(run, record.part, record.exit, seconds);
    }
    const figure = this.#db.prepare("INSERT INTO figures VALUES (?, ?, ?, ?)");
    for (const record of entire) {
      for (const [name, value] of Object.entries(record.figures)) {
        figure.run(run, record.part, name, value);
      }
    }
  }

  /** Keeps what was added. */
  commit(): void {
    this.#db.exec("COMMIT");
  }

  /** The last values of a figure, oldest first. @param budget only runs that had just this one */
  points(part: string, figure: string, budget: string, most = 30): Point[] {
    const rows = this.#db.prepare(
      `SELECT started, value FROM figures JOIN runs USING (run)
       WHERE part = ? AND figure = ? AND budget = ? ORDER BY run DESC LIMIT ?`,
    ).all(part, figure, budget, most);
    return (rows as unknown as Point[]).reverse();
  }

  /** Names of figures that a part ever had under a budget. */
  names(part: string, budget: string): string[] {
    return this.#db.prepare(
      `SELECT DISTINCT figure FROM figures JOIN runs USING (run)
       WHERE part = ? AND budget = ? ORDER BY figure`,
    ).all(part, budget).map(({ figure }) => String(figure));
  }

  /** The exit code that a part had in the last run, or null. */
  lastExit(part: string): number | null {
    const row = this.#db.prepare(
      "SELECT exit FROM parts WHERE part = ? ORDER BY run DESC LIMIT 1",
    ).get(part);
    return row === undefined ? null : Number(row.exit);
  }
}
