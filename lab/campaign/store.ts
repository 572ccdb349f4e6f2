/**
 * What a campaign keeps, in SQLite: its settings, its corpus, what each round did, and the
 * findings. A round is one transaction, so a campaign that was killed goes on from the last one.
 */
import { DatabaseSync } from "node:sqlite";
import type { Corpus, Entry } from "./corpus.ts";
import type { Flaw } from "./subject.ts";

const SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS entries (
    number INTEGER PRIMARY KEY, bytes BLOB NOT NULL, features BLOB NOT NULL, depth INTEGER NOT NULL,
    edits INTEGER NOT NULL, spent INTEGER NOT NULL, finds INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS tokens (number INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS rounds (
    round INTEGER PRIMARY KEY, executions INTEGER NOT NULL, digest INTEGER NOT NULL,
    edges INTEGER NOT NULL, entries INTEGER NOT NULL, stages TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS findings (
    key TEXT PRIMARY KEY, class TEXT NOT NULL, detail TEXT NOT NULL, folder TEXT NOT NULL,
    round INTEGER NOT NULL, times INTEGER NOT NULL) STRICT;
`;

/** What a round did, all slices together. */
export interface RoundRow {
  readonly round: number;
  readonly executions: number;
  readonly digest: number;
  readonly edges: number;
  readonly entries: number;
  readonly stages: readonly number[];
}

export class CampaignStore {
  readonly #db: DatabaseSync;

  /** Opens or makes the store at `path`. */
  constructor(path: string) {
    this.#db = new DatabaseSync(path);
    this.#db.exec(SCHEMA);
  }

  close(): void {
    this.#db.close();
  }

  setting(name: string): string | null {
    const row = this.#db.prepare("SELECT value FROM settings WHERE name = ?").get(name);
    return row === undefined ? null : String(row.value);
  }

  set(name: string, value: string): void {
    this.#db.prepare("INSERT OR REPLACE INTO settings VALUES (?, ?)").run(name, value);
  }

  /** The last round that is kept whole. */
  lastRound(): RoundRow | null {
    const row = this.#db.prepare("SELECT * FROM rounds ORDER BY round DESC LIMIT 1").get();
    if (row === undefined) return null;
    return { ...row, stages: JSON.parse(String(row.stages)) } as unknown as RoundRow;
  }

  /** Fills an empty corpus with what is kept. */
  loadInto(corpus: Corpus): void {
    for (const row of this.#db.prepare("SELECT * FROM entries ORDER BY number").iterate()) {
      const { features, ...rest } = row as unknown as Omit<Entry, "features"> & {
        features: Uint8Array;
      };
      corpus.add({ ...rest, features: new Uint32Array(features.slice().buffer) });
    }
    for (const row of this.#db.prepare("SELECT bytes FROM tokens ORDER BY number").iterate()) {
      corpus.tokens.add(row.bytes as Uint8Array);
    }
  }

  /** Keeps a round and the corpus after it, in one transaction. */
  keep(row: RoundRow, corpus: Corpus, touched: ReadonlySet<number>): void {
    const put = this.#db.prepare("INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?, ?, ?, ?)");
    const entry = (number: number) => {
      const { bytes, features, depth, edits, spent, finds } = corpus.entries[number];
      const list = new Uint8Array(features.buffer, features.byteOffset, features.byteLength);
      put.run(number, bytes, list, depth, edits, spent, finds);
    };
    this.#transaction(() => {
      const kept = this.#count("entries");
      for (let number = kept; number < corpus.entries.length; number++) entry(number);
      for (const number of touched) if (number < kept) entry(number);
      const { list } = corpus.tokens;
      const token = this.#db.prepare("INSERT INTO tokens VALUES (?, ?)");
      for (let i = this.#count("tokens"); i < list.length; i++) token.run(i, list[i]);
      const { round, executions, digest, edges, entries, stages } = row;
      this.#db.prepare("INSERT OR REPLACE INTO rounds VALUES (?, ?, ?, ?, ?, ?)")
        .run(round, executions, digest, edges, entries, JSON.stringify(stages));
    });
  }

  /** Counts a finding; the first one of a key says where it is filed. */
  count(flaw: Flaw, folder: string, round: number, times: number): void {
    this.#db.prepare(
      `INSERT INTO findings VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (key) DO UPDATE SET times = times + excluded.times`,
    ).run(flaw.key, flaw.class, flaw.detail, folder, round, times);
  }

  #count(table: "entries" | "tokens"): number {
    return Number(this.#db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n);
  }

  #transaction(work: () => void): void {
    this.#db.exec("BEGIN IMMEDIATE");
    try {
      work();
      this.#db.exec("COMMIT");
    } catch (error) {
      this.#db.exec("ROLLBACK");
      throw error;
    }
  }
}
