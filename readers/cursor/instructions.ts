/** Chat template programs (`classes.md` section 5): their instructions and their relations. */
import type { Reject } from "../contract.ts";
import { check, checkIdentifier, fault, type Rule } from "./schema.ts";
import { ARRAY, type Tape, TEXT, UINT } from "./tape.ts";

type Operand = "uint" | "id" | "block";

/** Operands of each opcode. */
const OPCODES: ReadonlyMap<number, readonly Operand[]> = new Map<number, readonly Operand[]>([
  [1, ["uint"]], // emit_literal
  [2, []], // emit_role
  [3, []], // emit_content
  [4, ["uint"]], // emit_token
  [5, ["id", "block"]], // if_role
  [6, ["id", "block"]], // if_present
  [7, ["block"]], // for_each_message
  [8, []], // emit_generation_marker
  [9, []], // stop
]);

const MAJOR: Readonly<Record<Operand, number>> = { uint: UINT, id: TEXT, block: ARRAY };

const EMIT_LITERAL = 1;
const FOR_EACH_MESSAGE = 7;
const EMIT_GENERATION_MARKER = 8;
/** Only inside for_each_message. */
const OF_A_MESSAGE: readonly number[] = [2, 3, 5, 6];

const MOST_INSTRUCTIONS = 4096;

/** "At an instruction": array, then opcode, length and operand types, then identifier. */
function checkInstruction(tape: Tape, item: number): Reject | null {
  if (tape.major(item) !== ARRAY) return fault("WrongType", tape, item, "an array");
  const opcode = item + 1;
  if (tape.length(item) === 0 || tape.major(opcode) !== UINT) {
    return fault("BadValue", tape, item, "an opcode first");
  }
  const operands = OPCODES.get(tape.uint(opcode));
  if (operands === undefined) return fault("BadValue", tape, opcode, "an opcode, 1 to 9");
  if (tape.length(item) !== operands.length + 1) {
    return fault("BadValue", tape, item, `${operands.length} operands`);
  }
  let operand = opcode + 1;
  for (const kind of operands) {
    if (tape.major(operand) !== MAJOR[kind]) {
      return fault("BadValue", tape, operand, `an operand: ${kind}`);
    }
    operand = tape.next(operand);
  }
  operand = opcode + 1;
  for (const kind of operands) {
    if (kind === "id") {
      const wrong = checkIdentifier(tape, operand);
      if (wrong !== null) return wrong;
    } else if (kind === "block") {
      const wrong = check(TEMPLATE_BLOCK, tape, operand);
      if (wrong !== null) return wrong;
    }
    operand = tape.next(operand);
  }
  return null;
}

export const TEMPLATE_BLOCK: Rule = {
  is: "array",
  of: { is: "own", check: checkInstruction },
};

/** The relations of a template's body: the item that breaks one and what it has to be. */
export function programFault(
  tape: Tape,
  body: number,
  blobCount: number,
): readonly [item: number, expected: string] | null {
  const program = tape.get(body, "program");
  let count = 0;
  let marker = false;

  /** Recurses as deep as the CBOR depth limit allows. */
  function walk(block: number, inMessage: boolean): ReturnType<typeof programFault> {
    for (let i = block + 1; i < tape.next(block); i = tape.next(i)) {
      const opcode = tape.uint(i + 1);
      count++;
      if (count > MOST_INSTRUCTIONS) return [i, `at most ${MOST_INSTRUCTIONS} instructions`];
      if (!inMessage && OF_A_MESSAGE.includes(opcode)) return [i, "only in for_each_message"];
      if (inMessage && opcode === FOR_EACH_MESSAGE) return [i, "no for_each_message in another"];
      if (opcode === EMIT_LITERAL && tape.uint(i + 2) >= blobCount) {
        return [i + 2, `a blob index below ${blobCount}`];
      }
      if (opcode === EMIT_GENERATION_MARKER) marker = true;
      const operands = OPCODES.get(opcode) ?? [];
      if (operands.at(-1) === "block") {
        const inner = walk(
          operands.length === 1 ? i + 2 : i + 3,
          inMessage || opcode === FOR_EACH_MESSAGE,
        );
        if (inner !== null) return inner;
      }
    }
    return null;
  }

  const wrong = walk(program, false);
  if (wrong !== null) return wrong;
  const stated = tape.get(body, "generation_marker");
  return tape.isNull(stated) === marker
    ? [stated, marker ? "a marker, which the program emits" : "null without its instruction"]
    : null;
}
