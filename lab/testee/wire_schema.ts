/**
 * The lines of testee.md as JSON Schemas, held by ajv. Names come from the contract, so
 * that a code or limit is written once.
 */
import { Ajv2020, type ValidateFunction } from "ajv/2020";
import { CODES, LIMITS, SECTIONS } from "../../readers/contract.ts";
import { clip, type JsonObject } from "./line.ts";
import { OPS } from "./testee.ts";

const HASH = { type: "string", pattern: "^[0-9a-f]{64}$" };
const COUNT = { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
/** A limit, a time or an amount that is only compared: past 2^53 - 1 it is taken as JSON rounds it. */
const AMOUNT = { type: "integer", minimum: 0 };
const TEXT = { type: "string" };
const STAGE = { type: "integer", minimum: 1, maximum: 32 };

const list = (items: object) => ({ type: "array", items });

/** An object whose keys are those of `properties` and no others. */
const closed = (properties: Record<string, object>, required: readonly string[]) => ({
  type: "object",
  properties,
  required: [...required],
  additionalProperties: false,
});

/** An object that has these keys; what else it has is not looked at. */
const open = (properties: Record<string, object>, required = Object.keys(properties)) => ({
  type: "object",
  properties,
  required,
});

const ARTIFACT = {
  oneOf: [closed({ path: TEXT }, ["path"]), closed({ bytes: TEXT }, ["bytes"])],
};
const ID = {};

const IDENTITIES = open({
  class: { type: "integer", minimum: 1, maximum: 13 },
  whole_file: HASH,
  manifest: HASH,
  semantic_manifest: HASH,
  tensor_layout: HASH,
  artifact_id: HASH,
  profiles: list(HASH),
  tensors: list(HASH),
  blobs: list(HASH),
});

const SCHEMAS = {
  /** testee.md 1, the testee's line */
  hello: open({
    testee: open({
      name: TEXT,
      version: TEXT,
      language: TEXT,
      stages: { ...list(STAGE), minItems: 2, maxItems: 2 },
      ops: { ...list({ enum: [...OPS] }), minItems: 1 },
    }, ["name", "version", "language", "stages"]),
  }),
  /** testee.md 2: an unknown policy name is a skip; a key beside the request's own is a note */
  read: open({
    id: ID,
    op: { const: "read" },
    path: TEXT,
    bytes: TEXT,
    policy: closed(Object.fromEntries(LIMITS.map((name) => [name, AMOUNT])), []),
    expect: closed({ whole_file: HASH, artifact_id: HASH }, []),
    pieces: { type: "boolean" },
    resolve: list(ARTIFACT),
    runtime_memory: AMOUNT,
  }, ["id", "op"]),
  piece: open({
    id: ID,
    op: { const: "piece" },
    set: ARTIFACT,
    index: { type: "integer" },
    data: TEXT,
    proof: list(HASH),
    subject: closed({ artifact_id: HASH, whole_file: HASH, bytes: AMOUNT }, []),
  }, ["id", "op", "set", "index", "data"]),
  signature: open({
    id: ID,
    op: { const: "signature" },
    envelope: ARTIFACT,
    trust: open({
      epoch: AMOUNT,
      keys: list(open({
        key_id: HASH,
        public_key: HASH,
        roles: list(TEXT),
        valid_from: AMOUNT,
        valid_until: AMOUNT,
      }, ["key_id", "public_key", "roles", "valid_from", "valid_until"])),
      revoked: list(open({ key_id: HASH, from: AMOUNT }, ["key_id", "from"])),
    }, ["epoch", "keys", "revoked"]),
    now: AMOUNT,
    subject: closed({ class: AMOUNT, artifact_id: HASH, whole_file: HASH }, []),
    statement: HASH,
  }, ["id", "op", "envelope", "trust", "now"]),
  /** testee.md 3 */
  accept: open({
    identities: {
      ...IDENTITIES,
      properties: { ...IDENTITIES.properties, piece_count: COUNT, piece_root: HASH },
    },
  }),
  reject: open({
    stage: STAGE,
    code: { enum: Object.keys(CODES) },
    section: { enum: [...SECTIONS] },
    offset: COUNT,
  }, ["stage", "code", "section"]),
  skip: open({ skip: TEXT }),
};
export type SchemaName = keyof typeof SCHEMAS;

const ajv = new Ajv2020({ strictTypes: false });
const compiled = new Map<SchemaName, ValidateFunction>();

/** @returns what breaks the schema, in one line with the place and the value, or null */
export function breach(name: SchemaName, value: JsonObject): string | null {
  let validate = compiled.get(name);
  if (!validate) compiled.set(name, validate = ajv.compile(SCHEMAS[name]));
  if (validate(value)) return null;
  const error = validate.errors![0];
  const extra = error.params.additionalProperty;
  if (extra !== undefined) return `unknown key ${clip(JSON.stringify(extra), 60)}`;
  const place = error.instancePath.slice(1).replaceAll("/", ".") || "the object";
  const wanted = error.keyword === "enum" ? "is none that the spec has" : error.message;
  return `${place} ${wanted}${found(value, error.instancePath)}`;
}

/** The value at a JSON pointer, quoted, where it is short enough to help. */
function found(value: unknown, pointer: string): string {
  let at = value;
  for (const key of pointer.split("/").slice(1)) at = (at as JsonObject)?.[key];
  return typeof at === "object" || at === undefined ? "" : `: ${clip(JSON.stringify(at), 60)}`;
}
