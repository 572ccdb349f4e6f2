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
    stage INTEGER NOT NULL, steps INTEGER NOT NULL, edits INTEGER NOT NULL, spent INTEGER NOT NULL,
    finds INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS tokens (number INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS rounds (
    round INTEGER PRIMARY KEY, executions INTEGER NOT NULL, digest INTEGER NOT NULL,
    edges INTEGER NOT NULL, entries INTEGER NOT NULL, stages TEXT NOT NULL,
    mutators TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS findings (
    key TEXT PRIMARY KEY, class TEXT NOT NULL, detail TEXT NOT NULL, folder TEXT NOT NULL,
    round INTEGER NOT NULL, times INTEGER NOT NULL) STRICT;
`;

/** What decides the inputs of a campaign and what is found in them, by name. */
export interface Settings {
  readonly [name: string]: string;
}

/** What a round did, all slices together. */
export interface RoundRow {
  readonly round: number;
  readonly executions: number;
  readonly digest: number;
  readonly edges: number;
  readonly entries: number;
  readonly stages: readonly number[];
  readonly mutators: Yields;
}

/** By mutator: inputs that it made, and how many of them were kept. */
export interface Yields {
  readonly [mutator: string]: { readonly tries: number; readonly finds: number };
}

/** A store may be looked at while another process writes into it; this long one waits for the other. */
export const PATIENCE_MS = 10_000;

export class CampaignStore {
  readonly #db: DatabaseSync;

  /** Opens or makes the store at `path`. */
  constructor(path: string) {
    this.#db = new DatabaseSync(path, { timeout: PATIENCE_MS });
    this.#db.exec(SCHEMA);
  }

  close(): void {
    this.#db.close();
  }

  /** What the campaign was begun with; null where there is none yet. */
  get settings(): Settings | null {
    const rows = this.#db.prepare("SELECT name, value FROM settings ORDER BY rowid").all();
    if (rows.length === 0) return null;
    return Object.fromEntries(rows.map(({ name, value }) => [String(name), String(value)]));
  }

  set settings(settings: Settings) {
    const put = this.#db.prepare("INSERT INTO settings VALUES (?, ?)");
    this.#transaction(() => {
      for (const [name, value] of Object.entries(settings)) put.run(name, value);
    });
  }

  /** The last round that is kept whole. */
  lastRound(): RoundRow | null {
    const row = this.#db.prepare("SELECT * FROM rounds ORDER BY round DESC LIMIT 1").get();
    if (row === undefined) return null;
    const [stages, mutators] = [row.stages, row.mutators].map((text) => JSON.parse(String(text)));
    return { ...row, stages, mutators } as unknown as RoundRow;
  }

  /** Fills an empty corpus with what is kept. */
  loadInto(corpus: Corpus): void {
    for (const row of this.#db.prepare("SELECT * FROM entries ORDER BY number").iterate()) {
      const { features, ...rest } = row as unknown as Omit<Entry, "features" | "length"> & {
        features: Uint8Array;
      };
      corpus.add({
        ...rest,
        length: rest.bytes.length,
        features: new Uint32Array(features.slice().buffer),
      });
    }
    for (const row of this.#db.prepare("SELECT bytes FROM tokens ORDER BY number").iterate()) {
      corpus.tokens.add(row.bytes as Uint8Array);
    }
  }

  /** The inputs that are kept. */
  *inputs(): Iterable<Uint8Array> {
    for (
      const { bytes } of this.#db.prepare("SELECT bytes FROM entries ORDER BY number").iterate()
    ) {
      yield bytes as Uint8Array;
    }
  }

  /** Keeps a round and the corpus after it, in one transaction. */
  keep(row: RoundRow, corpus: Corpus, touched: ReadonlySet<number>): void {
    const put = this.#db.prepare("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
    const work = this.#db.prepare(
      "UPDATE entries SET edits = ?, spent = ?, finds = ? WHERE number = ?",
    );
    const entry = (number: number) => {
      const { bytes, features, depth, stage, steps, edits, spent, finds } = corpus.entries[number];
      const list = new Uint8Array(features.buffer, features.byteOffset, features.byteLength);
      put.run(number, bytes, list, depth, stage, steps, edits, spent, finds);
    };
    this.#transaction(() => {
      const kept = this.#count("entries");
      for (let number = kept; number < corpus.entries.length; number++) entry(number);
      for (const number of touched) {
        const { edits, spent, finds } = corpus.entries[number];
        if (number < kept) work.run(edits, spent, finds, number);
      }
      const { list } = corpus.tokens;
      const token = this.#db.prepare("INSERT INTO tokens VALUES (?, ?)");
      for (let i = this.#count("tokens"); i < list.length; i++) token.run(i, list[i]);
      const { round, executions, digest, edges, entries } = row;
      const [stages, mutators] = [row.stages, row.mutators].map((one) => JSON.stringify(one));
      this.#db.prepare("INSERT OR REPLACE INTO rounds VALUES (?, ?, ?, ?, ?, ?, ?)")
        .run(round, executions, digest, edges, entries, stages, mutators);
    });
  }

  /** Keeps a finding and where it is filed. */
  file({ key, class: kind, detail }: Flaw, folder: string, round: number): void {
    this.#db.prepare("INSERT OR IGNORE INTO findings VALUES (?, ?, ?, ?, ?, 0)")
      .run(key, kind, detail, folder, round);
  }

  /** Counts inputs that showed a finding. */
  count(key: string, times: number): void {
    this.#db.prepare("UPDATE findings SET times = times + ? WHERE key = ?").run(times, key);
  }

  /** Every finding that is kept. */
  findings(): { key: string; folder: string; times: number }[] {
    return this.#db.prepare("SELECT key, folder, times FROM findings ORDER BY key").all() as {
      key: string;
      folder: string;
      times: number;
    }[];
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
