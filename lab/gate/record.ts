/**
 * Records: what ran, on what, and what came out, in one small file with a hash over all of it. A
 * record that was edited, or that is of another commit, corpus, specification or tool, is none.
 */
import { Ajv2020 } from "ajv/2020";
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Standing } from "./standing.ts";

export const RECORD_FORMAT = "slm2-record/1";

/** Bytes of a record's file beyond which it is not read. */
const MOST_BYTES = 1 << 20;

export interface PartRecord extends Standing {
  readonly format: typeof RECORD_FORMAT;
  /** the part of the nightly that ran */
  readonly part: string;
  /** what was run, so that anybody can run it again */
  readonly command: string;
  /** UTC, ISO 8601 */
  readonly started: string;
  readonly ended: string;
  readonly exit: number;
  readonly figures: Readonly<Record<string, number>>;
  /** SHA-256 of the record as JSON without whitespace, keys in order, this one left out */
  readonly hash: string;
}

/** Closes a record with its hash. */
export function seal(record: Omit<PartRecord, "hash" | "format">): PartRecord {
  const { part, command, commit, clean, corpus, spec, tools, started, ended, exit, figures } =
    record;
  const body = {
    format: RECORD_FORMAT,
    part,
    command,
    commit,
    clean,
    corpus,
    spec,
    tools,
    started,
    ended,
    exit,
    figures,
  } as const;
  return { ...body, hash: hashOf(body) };
}

function hashOf(body: Omit<PartRecord, "hash">): string {
  return createHash("sha256").update(JSON.stringify(body)).digest("hex");
}

const TEXT = { type: "string" };
const BODY = {
  format: { const: RECORD_FORMAT },
  part: { type: "string", pattern: "^[a-z][a-z0-9-]*$" },
  command: TEXT,
  commit: TEXT,
  clean: { type: "boolean" },
  corpus: TEXT,
  spec: TEXT,
  tools: { type: "object", additionalProperties: TEXT },
  started: TEXT,
  ended: TEXT,
  exit: { type: "integer" },
  figures: { type: "object", additionalProperties: { type: "number" } },
  hash: TEXT,
};
const validate = new Ajv2020({ strict: false }).compile<PartRecord>({
  type: "object",
  additionalProperties: false,
  required: Object.keys(BODY),
  properties: BODY,
});

/** Reads a record's text. @returns it, or in words why it is none */
export function parseRecord(text: string): PartRecord | { readonly fault: string } {
  let record: unknown;
  try {
    record = JSON.parse(text);
  } catch {
    return { fault: "is not JSON" };
  }
  if (!validate(record)) {
    const [fault] = validate.errors ?? [];
    return { fault: `is no record: ${fault?.instancePath || "/"} ${fault?.message}` };
  }
  const { hash, ...body } = record;
  return hashOf(body) === hash
    ? record
    : { fault: "was edited after it was made: its hash is not that of its text" };
}

/** Why a record says nothing about `now`, or null where it does. */
export function staleness(record: PartRecord, now: Standing): string | null {
  if (!now.clean) return "the tree has changes that no record can be of; commit them";
  if (!record.clean) return "was made of a tree with changes";
  if (record.commit !== now.commit) return `is of commit ${record.commit.slice(0, 12)}`;
  if (record.corpus !== now.corpus) return `is of corpus ${record.corpus.slice(0, 12)}`;
  if (record.spec !== now.spec) return "is of another specification";
  const tool = Object.keys(now.tools).find((name) => record.tools[name] !== now.tools[name]);
  return tool === undefined ? null : `is of another ${tool}`;
}

/** Keeps a record in a folder, whole or not at all; an older one of its part gives way. */
export function keepRecord(folder: string, record: PartRecord): void {
  Deno.mkdirSync(folder, { recursive: true });
  const path = join(folder, `${record.part}.json`);
  const draft = `${path}.${crypto.randomUUID()}.tmp`;
  Deno.writeTextFileSync(draft, JSON.stringify(record, null, 1) + "\n");
  Deno.renameSync(draft, path);
}

/** A part's record as it stands for `now`: one that counts, or why there is none. */
export type Found = { readonly record: PartRecord } | { readonly why: string };

/** Finds the record of a part in a folder. */
export function findRecord(folder: string, part: string, now: Standing): Found {
  const path = join(folder, `${part}.json`);
  let text: string;
  try {
    if (Deno.statSync(path).size > MOST_BYTES) {
      return { why: `${part}.json is no record: too long` };
    }
    text = Deno.readTextFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { why: `no record of '${part}'` };
    throw error;
  }
  const record = parseRecord(text);
  if ("fault" in record) return { why: `the record of '${part}' ${record.fault}` };
  if (record.part !== part) return { why: `the record of '${part}' is one of '${record.part}'` };
  const stale = staleness(record, now);
  return stale === null ? { record } : { why: `the record of '${part}' is stale: ${stale}` };
}
