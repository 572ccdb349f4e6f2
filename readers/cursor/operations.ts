/** Tokenizer ops: the registries of `classes.md` section 4, and how an op is checked. */
import type { Reject } from "../contract.ts";
import { checkIdentifier, fault, type Rule } from "./schema.ts";
import { ARRAY, type Tape, TEXT, UINT } from "./tape.ts";

/** Operand types of each op of one field, in order. */
type Registry = ReadonlyMap<string, readonly (typeof UINT | typeof TEXT)[]>;

const NORMALIZERS: Registry = new Map([
  ["nfc", []],
  ["nfkc", []],
  ["lowercase", []],
  ["strip-accents", []],
  ["clean-control", []],
  ["cjk-space", []],
  ["prepend", [TEXT]],
  ["replace", [TEXT, TEXT]],
  ["collapse-space", []],
]);

const PRETOKENIZERS: Registry = new Map([
  ["gpt2-split", []],
  ["whitespace-split", []],
  ["punctuation-split", []],
  ["digits-split", [UINT]],
  ["none", []],
]);

/** "At an op": array, first item, identifier, registry row, in this order. */
function checkOp(registry: Registry, tape: Tape, item: number): Reject | null {
  if (tape.major(item) !== ARRAY) return fault("WrongType", tape, item, "an array");
  const end = tape.next(item);
  const name = item + 1;
  if (name === end || tape.major(name) !== TEXT) {
    return fault("BadValue", tape, item, "a name first");
  }
  const wrong = checkIdentifier(tape, name);
  if (wrong !== null) return wrong;
  const id = tape.text(name);
  const operands = registry.get(id);
  if (operands === undefined) return fault("BadValue", tape, name, "a registered op");
  if (tape.length(item) !== operands.length + 1) {
    return fault("BadValue", tape, item, `${operands.length} operands`);
  }
  let operand = tape.next(name);
  for (const major of operands) {
    if (tape.major(operand) !== major) {
      return fault("BadValue", tape, operand, major === UINT ? "an unsigned integer" : "a text");
    }
    operand = tape.next(operand);
  }
  if (id === "digits-split" && tape.uint(name + 1) < 1) {
    return fault("BadValue", tape, name + 1, "at least 1");
  }
  return null;
}

export const NORMALIZER_OP: Rule = {
  is: "own",
  check: (tape, item) => checkOp(NORMALIZERS, tape, item),
};

export const PRETOKENIZER_OP: Rule = {
  is: "own",
  check: (tape, item) => checkOp(PRETOKENIZERS, tape, item),
};
