/** Rendering of a chat template (classes.md section 5): messages to segments. */
import type { Segment } from "../tokenizer/encode.ts";
import { utf8Of } from "../tokenizer/utf8.ts";
import type { Block, Template } from "./template.ts";

/** What a host has to say; every value is text. */
export interface Message {
  readonly role: string;
  readonly content: string;
  /** optional fields that the template declares */
  readonly fields?: ReadonlyMap<string, string>;
}

export interface RenderOptions {
  /** whether a generation is to follow, so that the generation marker is emitted */
  readonly generate?: boolean;
}

/**
 * Why messages have no rendering; `message` counts from 0. A template without the role or the
 * field that a message has would lose it silently, so that is an error too.
 */
export interface RenderError {
  readonly error: "UndeclaredRole" | "UndeclaredField" | "LoneSurrogate" | "OutputTooLarge";
  readonly message: number;
}

/** Section 5. A token counts as its u32. */
const MOST_OUTPUT = 4 * 1024 * 1024;
const TOKEN_BYTES = 4;

/**
 * Runs the program over the messages. The segments go to `Tokenizer.encodeSegments`, which joins
 * neighbours of one sort; role and content are content, so nothing in them is an added token.
 */
export function render(
  template: Template,
  messages: readonly Message[],
  { generate = false }: RenderOptions = {},
): Segment[] | RenderError {
  const prepared: Prepared[] = [];
  for (const [index, message] of messages.entries()) {
    const result = prepare(template, message);
    if (typeof result === "string") return { error: result, message: index };
    prepared.push(result);
  }
  const run = new Run(template, prepared, generate);
  run.block(template.program, null);
  return run.overflowAt === null
    ? run.segments
    : { error: "OutputTooLarge", message: run.overflowAt };
}

/** A message that was held against the template. */
interface Prepared {
  readonly role: string;
  readonly roleText: Uint8Array;
  readonly content: Uint8Array;
  readonly has: ReadonlySet<string>;
}

function prepare(
  { roles, fields }: Template,
  message: Message,
): Prepared | RenderError["error"] {
  if (!roles.has(message.role)) return "UndeclaredRole";
  const names = [...message.fields?.keys() ?? []];
  if (names.some((name) => !fields.has(name))) return "UndeclaredField";
  const roleText = utf8Of(message.role), content = utf8Of(message.content);
  if (!(roleText instanceof Uint8Array) || !(content instanceof Uint8Array)) return "LoneSurrogate";
  return { role: message.role, roleText, content, has: new Set(["role", "content", ...names]) };
}

class Run {
  readonly segments: Segment[] = [];
  /** the message at which the output passed its bound */
  overflowAt: number | null = null;
  readonly #template: Template;
  readonly #messages: readonly Prepared[];
  readonly #generate: boolean;
  #size = 0;
  #index = 0;

  constructor(template: Template, messages: readonly Prepared[], generate: boolean) {
    this.#template = template;
    this.#messages = messages;
    this.#generate = generate;
  }

  /** False once the render has ended. The message is null outside the loop. */
  block(block: Block, message: Prepared | null): boolean {
    return block.every((instruction) => {
      switch (instruction.op) {
        case "literal":
          return this.#text("literal", instruction.text);
        case "role":
          return message === null || this.#text("content", message.roleText);
        case "content":
          return message === null || this.#text("content", message.content);
        case "token":
          return this.#token(instruction.id);
        case "if_role":
          return message?.role !== instruction.name || this.block(instruction.block, message);
        case "if_present":
          return !message?.has.has(instruction.name) || this.block(instruction.block, message);
        case "for_each_message":
          return this.#messages.every((one, index) => {
            this.#index = index;
            return this.block(instruction.block, one);
          });
        case "generation_marker": {
          const marker = this.#template.generationMarker;
          return !this.#generate || marker === null || this.#token(marker);
        }
        case "stop":
          return false;
      }
    });
  }

  #text(sort: "literal" | "content", text: Uint8Array): boolean {
    // an empty text still stands between its neighbours, once
    if (text.length === 0 && this.segments.at(-1)?.sort === sort) return true;
    return this.#emit({ sort, text }, text.length);
  }

  #token(id: number): boolean {
    return this.#emit({ sort: "token", id }, TOKEN_BYTES);
  }

  #emit(segment: Segment, size: number): boolean {
    this.#size += size;
    if (this.#size > MOST_OUTPUT) {
      this.overflowAt = this.#index;
      return false;
    }
    this.segments.push(segment);
    return true;
  }
}
