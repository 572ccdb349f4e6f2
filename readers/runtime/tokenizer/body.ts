/**
 * The manifest body of a tokenizer (classes.md section 4) in types. A candidate was accepted,
 * so its schema holds; a body that does not fit is a bug of whoever made the candidate.
 */
import type { Value } from "../../contract.ts";
import type { Policy } from "./kinds/kind.ts";

export type Kind =
  | "byte-level-bpe/1"
  | "score-bpe/1"
  | "unigram/1"
  | "wordpiece/1"
  | "table/1";

/** A normalizer or pretokenizer op: its identifier, then its operands. */
export type Op = readonly [string, ...(number | string)[]];

/** A token that may stand at one end of a text; `auto`: it does. */
export interface EdgeToken {
  readonly auto: boolean;
  readonly id: number | null;
}

export interface Body {
  readonly added_prefix_space: boolean;
  readonly bos: EdgeToken;
  readonly byte_fallback: boolean;
  readonly decoder: readonly string[];
  readonly eos: EdgeToken;
  readonly kind: Kind;
  readonly max_expansion: number;
  readonly normalizer: readonly Op[];
  readonly pretokenizer: readonly Op[];
  readonly roles: ReadonlyMap<string, number>;
  readonly space_marker: string | null;
  readonly stop_bytes: readonly Uint8Array[];
  readonly stop_tokens: readonly number[];
  readonly unknown: { readonly id: number | null; readonly policy: Policy };
  readonly vocab_size: number;
}

type Fields = ReadonlyMap<string, Value>;

/** @throws TypeError where the manifest is not an accepted tokenizer's */
export function readBody(manifest: Fields): Body {
  const body = map(manifest.get("body"));
  const unknown = map(body.get("unknown"));
  return {
    added_prefix_space: bool(body.get("added_prefix_space")),
    bos: edge(body.get("bos")),
    byte_fallback: bool(body.get("byte_fallback")),
    decoder: list(body.get("decoder")).map(text),
    eos: edge(body.get("eos")),
    kind: text(body.get("kind")) as Kind,
    // a bound that does not fit a number is no bound that a text could reach
    max_expansion: Number(body.get("max_expansion")),
    normalizer: list(body.get("normalizer")).map(op),
    pretokenizer: list(body.get("pretokenizer")).map(op),
    roles: new Map([...map(body.get("roles"))].map(([role, id]) => [role, uint(id)])),
    space_marker: orNull(body.get("space_marker"), text),
    stop_bytes: list(body.get("stop_bytes")).map(bytes),
    stop_tokens: list(body.get("stop_tokens")).map(uint),
    unknown: {
      id: orNull(unknown.get("id"), uint),
      policy: text(unknown.get("policy")) as Policy,
    },
    vocab_size: uint(body.get("vocab_size")),
  };
}

const edge = (value: Value | undefined): EdgeToken => ({
  auto: bool(map(value).get("auto")),
  id: orNull(map(value).get("id"), uint),
});

const op = (value: Value): Op => {
  const [id, ...operands] = list(value);
  return [text(id), ...operands.map((item) => typeof item === "string" ? item : Number(item))];
};

const orNull = <T>(value: Value | undefined, read: (value: Value | undefined) => T): T | null =>
  value === null ? null : read(value);

function bool(value: Value | undefined): boolean {
  return typeof value === "boolean" ? value : misfit("bool");
}

function uint(value: Value | undefined): number {
  return typeof value === "number" && value >= 0 ? value : misfit("uint");
}

function text(value: Value | undefined): string {
  return typeof value === "string" ? value : misfit("text");
}

function bytes(value: Value | undefined): Uint8Array {
  return value instanceof Uint8Array ? value : misfit("bytes");
}

function list(value: Value | undefined): readonly Value[] {
  return Array.isArray(value) ? value : misfit("array");
}

function map(value: Value | undefined): Fields {
  return value instanceof Map ? value : misfit("map");
}

function misfit(what: string): never {
  throw new TypeError(`not an accepted tokenizer manifest: ${what} expected`);
}
