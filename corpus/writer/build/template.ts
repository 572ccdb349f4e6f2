/** Chat templates (class 5, classes.md section 5) with their literals written in place. */
import type { Instruction, TemplateBody } from "../bodies.ts";
import { utf8 } from "../bytes.ts";
import type { Description, Reference } from "../description.ts";
import { dependency } from "./composition.ts";
import { fromHex } from "../identity.ts";

/** A step of a program as a person writes it; a text is a literal. */
export type Step =
  | string
  | { readonly token: number }
  | { readonly if_role: string; readonly then: readonly Step[] }
  | { readonly if_present: string; readonly then: readonly Step[] }
  | { readonly for_each_message: readonly Step[] }
  | { readonly do: "role" | "content" | "generation_marker" | "stop" };

const OPCODE = { role: 2, content: 3, generation_marker: 8, stop: 9 } as const;

/**
 * Describes a template. Each different literal is one blob; blobs are named by rank of first
 * use, so that a blob's index in the program is that rank.
 */
export function template(
  tokenizer: Reference,
  program: readonly Step[],
  body: Partial<Omit<TemplateBody, "program" | "tokenizer_id" | "instruction_set">> = {},
): Description & { readonly body: TemplateBody } {
  const literals = new Map<string, number>();
  const literal = (text: string): number => {
    if (!literals.has(text)) literals.set(text, literals.size);
    return literals.get(text)!;
  };
  const block = (steps: readonly Step[]): Instruction[] =>
    steps.map((step): Instruction => {
      if (typeof step === "string") return [1, literal(step)];
      if ("token" in step) return [4, step.token];
      if ("if_role" in step) return [5, step.if_role, block(step.then)];
      if ("if_present" in step) return [6, step.if_present, block(step.then)];
      if ("for_each_message" in step) return [7, block(step.for_each_message)];
      return [OPCODE[step.do]];
    });
  const instructions = block(program);
  const tokenizer_id = fromHex(tokenizer.artifact_id);
  return {
    artifact_class: 5,
    body: {
      fields: [],
      generation_marker: null,
      instruction_set: 1,
      program: instructions,
      roles: [],
      stop_tokens: [],
      tokenizer_id,
      ...body,
    },
    dependencies: [dependency("tokenizer", tokenizer)],
    blobs: [...literals].map(([text, rank]) => ({
      kind: 16,
      name: `literal-${String(rank).padStart(4, "0")}`,
      media_type: "text/plain",
      payload: utf8(text),
    })),
  };
}
