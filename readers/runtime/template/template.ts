/**
 * Chat templates (classes.md section 5): an accepted artifact of class 5 as a program that
 * `render.ts` runs. There are no expressions: nine instructions, one loop over the messages.
 */
import type { Candidate, Hex, Value } from "../../contract.ts";

/** An instruction; a name in it is that of section 5. */
export type Instruction =
  | { readonly op: "literal"; readonly text: Uint8Array }
  | { readonly op: "role" | "content" | "generation_marker" | "stop" }
  | { readonly op: "token"; readonly id: number }
  | { readonly op: "if_role" | "if_present"; readonly name: string; readonly block: Block }
  | { readonly op: "for_each_message"; readonly block: Block };
export type Block = readonly Instruction[];

export interface Template {
  readonly tokenizerId: Hex;
  readonly roles: ReadonlySet<string>;
  readonly fields: ReadonlySet<string>;
  readonly stopTokens: readonly number[];
  /** the token that emit_generation_marker emits, null where the program has none */
  readonly generationMarker: number | null;
  readonly program: Block;
}

/** Why an artifact gives no template. */
export interface TemplateError {
  readonly error: "NotATemplate" | "UnknownInstructionSet" | "LiteralsTooLarge";
  readonly detail: string;
}

const CHAT_TEMPLATE = 5;
const INSTRUCTION_SET = 1;
/** Section 5: all literals of a template together. */
const MOST_LITERAL_BYTES = 256 * 1024;

type Fields = ReadonlyMap<string, Value>;

/**
 * Builds the template of an accepted candidate of class 5. `blobs` gives the payload of
 * `candidate.blobs[index]`, already held against its hash: UTF-8, as the reader saw.
 * @throws TypeError where the manifest is not an accepted template's
 */
export function loadTemplate(
  candidate: Candidate,
  blobs: (index: number) => Uint8Array,
): Template | TemplateError {
  if (candidate.artifact_class !== CHAT_TEMPLATE) {
    return { error: "NotATemplate", detail: `class ${candidate.artifact_class}` };
  }
  const body = map(candidate.manifest.get("body"));
  const set = uint(body.get("instruction_set"));
  if (set !== INSTRUCTION_SET) return { error: "UnknownInstructionSet", detail: `${set}` };
  const bytes = candidate.blobs.reduce((sum, blob) => sum + blob.length, 0);
  if (bytes > MOST_LITERAL_BYTES) return { error: "LiteralsTooLarge", detail: `${bytes} bytes` };
  const literals = candidate.blobs.map((_, index) => blobs(index));
  const marker = body.get("generation_marker");
  return {
    tokenizerId: hex(body.get("tokenizer_id")),
    roles: new Set(list(body.get("roles")).map(text)),
    fields: new Set(list(body.get("fields")).map(text)),
    stopTokens: list(body.get("stop_tokens")).map(uint),
    generationMarker: marker === null ? null : uint(marker),
    program: block(body.get("program"), literals),
  };
}

/** Nesting is bounded by the depth of an accepted manifest. */
function block(value: Value | undefined, literals: readonly Uint8Array[]): Block {
  return list(value).map((item) => instruction(list(item), literals));
}

/** Opcodes of section 5, with what their operands are. */
const OPCODES: {
  readonly [opcode: number]: (
    operands: readonly Value[],
    literals: readonly Uint8Array[],
  ) => Instruction;
} = {
  1: ([index], literals) => ({ op: "literal", text: literals[uint(index)] ?? misfit("a blob") }),
  2: () => ({ op: "role" }),
  3: () => ({ op: "content" }),
  4: ([id]) => ({ op: "token", id: uint(id) }),
  5: ([name, inner], literals) => ({
    op: "if_role",
    name: text(name),
    block: block(inner, literals),
  }),
  6: ([name, inner], literals) => ({
    op: "if_present",
    name: text(name),
    block: block(inner, literals),
  }),
  7: ([inner], literals) => ({ op: "for_each_message", block: block(inner, literals) }),
  8: () => ({ op: "generation_marker" }),
  9: () => ({ op: "stop" }),
};

function instruction(
  [opcode, ...operands]: readonly Value[],
  literals: readonly Uint8Array[],
): Instruction {
  const read = OPCODES[uint(opcode)] ?? misfit("a known opcode");
  return read(operands, literals);
}

/** Beyond 2^53 the nearest f64: no blob index and no token id is that large, so it meets none. */
function uint(value: Value | undefined): number {
  const given = typeof value === "bigint" ? Number(value) : value;
  return typeof given === "number" && given >= 0 ? given : misfit("uint");
}

function text(value: Value | undefined): string {
  return typeof value === "string" ? value : misfit("text");
}

function list(value: Value | undefined): readonly Value[] {
  return Array.isArray(value) ? value : misfit("array");
}

function map(value: Value | undefined): Fields {
  return value instanceof Map ? value : misfit("map");
}

function hex(value: Value | undefined): Hex {
  return value instanceof Uint8Array ? value.toHex() : misfit("bytes");
}

function misfit(what: string): never {
  throw new TypeError(`not an accepted template manifest: ${what} expected`);
}
