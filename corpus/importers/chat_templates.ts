/**
 * Chat templates of known shapes as descriptions (classes.md section 5), written by hand from
 * what those models were trained on: no template language is read or run.
 *
 * Headers of roles are literals, so that their text is tokenised as one. Each template declares
 * the field `open`: a last message that has it is left unfinished, for the model to go on from. So
 * the prompt of a reply ends with an assistant message that is open and empty, and one that is open
 * and begun is continued. Contents are taken as they are; who wants them trimmed trims them.
 */
import { type Step, template } from "../writer/build/template.ts";
import type { Description, Reference } from "../writer/description.ts";

/** The field of an unfinished message. */
export const OPEN = "open";

const STOP_WHERE_OPEN: Step = { if_present: OPEN, then: [{ do: "stop" }] };

const ROLES = ["system", "user", "assistant"];

/** For each role that is met, its literal. */
const header = (text: (role: string) => string): Step[] =>
  ROLES.map((role) => ({ if_role: role, then: [text(role)] }));

/**
 * ChatML: `<|im_start|>user`, newline, content, `<|im_end|>`, newline.
 * @param tokens the ids of `<|im_start|>` and `<|im_end|>`
 */
export function chatMl(
  tokenizer: Reference,
  tokens: { readonly start: number; readonly end: number },
): Description {
  return template(tokenizer, [{
    for_each_message: [
      { token: tokens.start },
      ...header((role) => `${role}\n`),
      { do: "content" },
      STOP_WHERE_OPEN,
      { token: tokens.end },
      "\n",
    ],
  }], { roles: ROLES, fields: [OPEN], stop_tokens: [tokens.end] });
}

/**
 * Zephyr: `<|user|>`, newline, content, end token, newline; the headers are plain text.
 * @param tokens the id of `</s>`
 */
export function zephyr(tokenizer: Reference, tokens: { readonly eos: number }): Description {
  return template(tokenizer, [{
    for_each_message: [
      ...header((role) => `<|${role}|>\n`),
      { do: "content" },
      STOP_WHERE_OPEN,
      { token: tokens.eos },
      "\n",
    ],
  }], { roles: ROLES, fields: [OPEN], stop_tokens: [tokens.eos] });
}

/** The role of a user message that shares its `[INST]` with the system message before it. */
export const AFTER_SYSTEM = "user-after-system";

/**
 * Llama 2: begin token, ` [INST] user [/INST]`, ` assistant `, end token. The system message
 * stands inside the first `[INST]`, so the user message after it has the role `AFTER_SYSTEM`. The
 * space at the start is the one that the model's own tokenizer puts before each turn.
 * @param tokens the ids of `<s>` and `</s>`
 */
export function llama2(
  tokenizer: Reference,
  tokens: { readonly bos: number; readonly eos: number },
): Description {
  return template(tokenizer, [{
    for_each_message: [
      {
        if_role: "system",
        then: [
          { token: tokens.bos },
          " [INST] <<SYS>>\n",
          { do: "content" },
          "\n<</SYS>>\n\n",
        ],
      },
      {
        if_role: "user",
        then: [{ token: tokens.bos }, " [INST] ", { do: "content" }, " [/INST]"],
      },
      { if_role: AFTER_SYSTEM, then: [{ do: "content" }, " [/INST]"] },
      {
        if_role: "assistant",
        then: [" ", { do: "content" }, STOP_WHERE_OPEN, " ", { token: tokens.eos }],
      },
    ],
  }], {
    roles: [...ROLES, AFTER_SYSTEM],
    fields: [OPEN],
    stop_tokens: [tokens.eos],
  });
}
