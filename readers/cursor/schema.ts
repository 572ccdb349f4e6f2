/**
 * Stage 18, the order of checks (`classes.md` section 1): an interpreter for schemas that
 * are data. The schemas themselves are in bodies.ts.
 */
import type { Code, Reject } from "../contract.ts";
import { compareRanges } from "./bytes.ts";
import { reject } from "./fault.ts";
import { isIdentifier } from "./identifier.ts";
import { ARRAY, BYTES, MAP, NINT, NULL, SIMPLE, type Tape, TEXT, UINT } from "./tape.ts";

/** One type of a schema. Checks of a rule stand in the order in which they run. */
export type Rule =
  | { readonly is: "uint"; readonly least?: number; readonly only?: number; readonly code?: Code }
  | { readonly is: "int" }
  | { readonly is: "bool" }
  | { readonly is: "bytes"; readonly size?: number }
  | { readonly is: "text"; readonly among?: readonly string[]; readonly code?: Code }
  | { readonly is: "id" }
  /** `x / null` */
  | { readonly is: "nullable"; readonly of: Rule }
  /** `[* x]`, `set<x>`; `least` and `most` bound its length */
  | {
    readonly is: "array";
    readonly of: Rule;
    readonly least?: number;
    readonly most?: number;
    readonly set?: boolean;
  }
  /** `[x, y]`, with a relation of its elements */
  | {
    readonly is: "tuple";
    readonly of: readonly Rule[];
    readonly relation?: (tape: Tape, item: number) => boolean;
  }
  /** a closed map, its keys in the bytewise order of their encodings */
  | { readonly is: "map"; readonly keys: readonly Key[] }
  /** `{ * id => x }`, or without `of` `{ * text => any }` */
  | { readonly is: "entries"; readonly of?: Rule }
  /** `bytes / { * text => any }` */
  | { readonly is: "payload" }
  /** an element whose checks have an order of their own */
  | { readonly is: "own"; readonly check: (tape: Tape, item: number) => Reject | null };

export interface Key {
  readonly name: string;
  readonly of: Rule;
}

/** A rejection of stage 18. */
export function fault(code: Code, tape: Tape, item: number, expected: string): Reject {
  return reject(18, code, "manifest", tape.start(item), expected);
}

/** A closed map; `keys` may be given in any order. */
export function map(keys: Readonly<Record<string, Rule>>): Rule {
  const sorted = Object.entries(keys).map(([name, of]) => ({ name, of }));
  // A shorter text has a smaller head, so the encodings order by length, then bytes.
  sorted.sort((a, b) => a.name.length - b.name.length || (a.name < b.name ? -1 : 1));
  return { is: "map", keys: sorted };
}

/** Checks `item` and all inside it against `rule`: the first fault, or null. */
export function check(rule: Rule, tape: Tape, item: number): Reject | null {
  const major = tape.major(item);
  switch (rule.is) {
    case "uint":
      if (major !== UINT) return fault("WrongType", tape, item, "an unsigned integer");
      if (rule.only !== undefined && tape.uint(item) !== rule.only) {
        return fault(rule.code ?? "BadValue", tape, item, `${rule.only}`);
      }
      if (rule.least !== undefined && tape.uint(item) < rule.least) {
        return fault("BadValue", tape, item, `at least ${rule.least}`);
      }
      return null;
    case "int":
      return major === UINT || major === NINT ? null : fault("WrongType", tape, item, "an integer");
    case "bool":
      return major === SIMPLE && tape.head(item) !== NULL
        ? null
        : fault("WrongType", tape, item, "true or false");
    case "bytes":
      if (major !== BYTES) return fault("WrongType", tape, item, "a byte string");
      return rule.size === undefined || tape.length(item) === rule.size
        ? null
        : fault("BadValue", tape, item, `${rule.size} bytes`);
    case "text":
      if (major !== TEXT) return fault("WrongType", tape, item, "a text");
      return rule.among === undefined || rule.among.some((text) => tape.isText(item, text))
        ? null
        : fault(rule.code ?? "BadValue", tape, item, rule.among.join(" / "));
    case "id":
      if (major !== TEXT) return fault("WrongType", tape, item, "an identifier");
      return checkIdentifier(tape, item);
    case "nullable":
      return tape.isNull(item) ? null : check(rule.of, tape, item);
    case "array":
      return checkArray(rule, tape, item);
    case "tuple":
      return checkTuple(rule.of, rule.relation, tape, item);
    case "map":
      return checkMap(rule.keys, tape, item);
    case "entries":
      return checkEntries(rule.of, tape, item);
    case "payload":
      return major === BYTES || major === MAP
        ? null
        : fault("WrongType", tape, item, "a byte string or a map");
    case "own":
      return rule.check(tape, item);
  }
}

/** `BadIdentifier`, for a text. */
export function checkIdentifier(tape: Tape, item: number): Reject | null {
  return isIdentifier(tape.bytes, tape.body(item), tape.end(item))
    ? null
    : fault("BadIdentifier", tape, item, "a machine identifier");
}

function checkArray(
  rule: Extract<Rule, { is: "array" }>,
  tape: Tape,
  item: number,
): Reject | null {
  if (tape.major(item) !== ARRAY) return fault("WrongType", tape, item, "an array");
  const length = tape.length(item);
  if (length < (rule.least ?? 0) || length > (rule.most ?? length)) {
    return fault("BadValue", tape, item, `${rule.least ?? 0} to ${rule.most ?? "any"} elements`);
  }
  const end = tape.next(item);
  for (let i = item + 1; i < end; i = tape.next(i)) {
    const wrong = check(rule.of, tape, i);
    if (wrong !== null) return wrong;
  }
  if (rule.set !== true || length < 2) return null;
  for (let a = item + 1, b = tape.next(a); b < end; a = b, b = tape.next(b)) {
    const order = compareRanges(
      tape.bytes,
      tape.start(a),
      tape.end(a),
      tape.start(b),
      tape.end(b),
    );
    if (order >= 0) return fault("UnsortedSet", tape, b, "a greater element");
  }
  return null;
}

function checkTuple(
  of: readonly Rule[],
  relation: ((tape: Tape, item: number) => boolean) | undefined,
  tape: Tape,
  item: number,
): Reject | null {
  if (tape.major(item) !== ARRAY) return fault("WrongType", tape, item, "an array");
  if (tape.length(item) !== of.length) {
    return fault("BadValue", tape, item, `${of.length} elements`);
  }
  let i = item + 1;
  for (const rule of of) {
    const wrong = check(rule, tape, i);
    if (wrong !== null) return wrong;
    i = tape.next(i);
  }
  return relation === undefined || relation(tape, item)
    ? null
    : fault("BadValue", tape, item, "lowest terms");
}

function checkMap(keys: readonly Key[], tape: Tape, item: number): Reject | null {
  if (tape.major(item) !== MAP) return fault("WrongType", tape, item, "a map");
  const end = tape.next(item);
  for (let k = item + 1; k < end; k = tape.next(k + 1)) {
    if (!keys.some(({ name }) => tape.isText(k, name))) {
      return fault("UnknownCoreKey", tape, k, "a key of the schema");
    }
  }
  // Both sides are sorted, and the map has no other keys than the schema's.
  let k = item + 1;
  for (const { name, of } of keys) {
    if (k >= end || !tape.isText(k, name)) {
      return fault("MissingCoreKey", tape, item, `the key ${name}`);
    }
    const wrong = check(of, tape, k + 1);
    if (wrong !== null) return wrong;
    k = tape.next(k + 1);
  }
  return null;
}

function checkEntries(of: Rule | undefined, tape: Tape, item: number): Reject | null {
  if (tape.major(item) !== MAP) return fault("WrongType", tape, item, "a map");
  if (of === undefined) return null;
  for (let k = item + 1; k < tape.next(item); k = tape.next(k + 1)) {
    const wrong = checkIdentifier(tape, k) ?? check(of, tape, k + 1);
    if (wrong !== null) return wrong;
  }
  return null;
}
