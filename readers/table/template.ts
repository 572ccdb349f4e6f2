/** Template programs (`classes.md` section 5). */
import { ARRAY, TEXT, UNSIGNED } from "./cbor.ts";
import type { Fault } from "./fault.ts";
import type { Item, Manifest } from "./manifest.ts";
import { array, fault18, id, type Shape } from "./shapes.ts";

/** Opcodes that rules name. */
const EMIT_LITERAL = 1;
const FOR_EACH_MESSAGE = 7;
const EMIT_GENERATION_MARKER = 8;
/** Relations: only inside `for_each_message`. */
const MESSAGE_ONLY: ReadonlySet<number> = new Set([2, 3, 5, 6]);
/** Relations: instructions of a program. */
const MAX_INSTRUCTIONS = 4096;

/** Operands by opcode, as major types: a text is an identifier, an array a block. */
const OPERANDS: ReadonlyMap<number, readonly number[]> = new Map([
  [1, [UNSIGNED]],
  [2, []],
  [3, []],
  [4, [UNSIGNED]],
  [5, [TEXT, ARRAY]],
  [6, [TEXT, ARRAY]],
  [7, [ARRAY]],
  [8, []],
  [9, []],
]);

/** `[* instruction]`; recursion ends with the nesting limit of stage 17. */
export const block: Shape = (m, at) => array(m, at) ?? m.each(at, (item) => instruction(m, item));

const instruction: Shape = (m, at) => {
  const wrong = array(m, at);
  if (wrong !== null) return wrong;
  const opcode = m.content(at);
  const operands = m.count(at) > 0 && m.type(opcode) === UNSIGNED
    ? OPERANDS.get(m.count(opcode))
    : undefined;
  if (operands === undefined || operands.length !== m.count(at) - 1) {
    return fault18("BadValue", at, "an instruction with its operands");
  }
  return m.each(
    at,
    (item, i) =>
      i === 0 || m.type(item) === operands[i - 1]
        ? null
        : fault18("BadValue", item, "an operand of the instruction's type"),
  ) ??
    m.each(at, (item, i) => i > 0 && operands[i - 1] === TEXT ? id(m, item) : null) ??
    m.each(at, (item, i) => i > 0 && operands[i - 1] === ARRAY ? block(m, item) : null);
};

/** Relations of section 5, in order. */
export function templateRelations(m: Manifest, body: Item, blobCount: number): Fault {
  const program = m.get(body, "program");
  let count = 0;
  let hasMarker = false;

  /** One rule over every instruction, in order. */
  function walk(
    at: Item,
    inMessage: boolean,
    rule: (instruction: Item, opcode: number, inMessage: boolean) => Fault,
  ): Fault {
    return m.each(at, (item) => {
      const opcode = m.count(m.content(item));
      const fault = rule(item, opcode, inMessage);
      if (fault !== null) return fault;
      return m.each(
        item,
        (operand) =>
          m.type(operand) === ARRAY
            ? walk(operand, inMessage || opcode === FOR_EACH_MESSAGE, rule)
            : null,
      );
    });
  }

  const marker = m.get(body, "generation_marker");
  return walk(
    program,
    false,
    (at, opcode, inMessage) =>
      MESSAGE_ONLY.has(opcode) && !inMessage
        ? fault18("BadValue", at, "2, 3, 5 and 6 only inside 7")
        : null,
  ) ??
    walk(
      program,
      false,
      (at, opcode, inMessage) =>
        opcode === FOR_EACH_MESSAGE && inMessage ? fault18("BadValue", at, "7 not inside 7") : null,
    ) ??
    walk(
      program,
      false,
      (at, opcode) =>
        opcode === EMIT_LITERAL && m.count(m.next(m.content(at))) >= blobCount
          ? fault18("BadValue", at, `a blob index below ${blobCount}`)
          : null,
    ) ??
    walk(program, false, (at, opcode) => {
      hasMarker ||= opcode === EMIT_GENERATION_MARKER;
      return ++count > MAX_INSTRUCTIONS
        ? fault18("BadValue", at, `at most ${MAX_INSTRUCTIONS} instructions`)
        : null;
    }) ??
    (hasMarker === m.isNull(marker)
      ? fault18("BadValue", marker, "a marker exactly if instruction 8 is used")
      : null);
}
