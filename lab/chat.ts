/** Messages for a chat template, as a person writes them. */
import { AFTER_SYSTEM, OPEN } from "../corpus/importers/chat_templates.ts";
import type { Context, Message } from "../readers/runtime/mod.ts";
import { foreign } from "../reports/terminal.ts";
import { UsageError } from "./exit.ts";
import { openFile } from "./files.ts";

/** What a file of messages may take. */
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * Reads an array of `{"role": text, "content": text}`, where other members are fields.
 * @throws UsageError that names the message and the member
 */
export function readMessages(path: string): Message[] {
  const wrong = (what: string): never => {
    throw new UsageError(`${foreign(path)}: ${what}`);
  };
  const file = openFile(path);
  const bytes = new Uint8Array(Math.min(file.size(), MOST_BYTES + 1));
  file.read(0, bytes);
  file.close();
  if (bytes.length > MOST_BYTES) wrong(`at most ${MOST_BYTES} bytes are expected`);
  let given: unknown;
  try {
    given = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    wrong(`JSON in UTF-8 is expected: ${(error as Error).message}`);
  }
  if (!Array.isArray(given)) return wrong("an array of messages is expected");
  return given.map((one: unknown, i): Message => {
    if (typeof one !== "object" || one === null || Array.isArray(one)) {
      return wrong(`message ${i}: an object is expected`);
    }
    const { role, content, ...fields } = one as Record<string, unknown>;
    for (const [name, value] of Object.entries({ role, content, ...fields })) {
      if (typeof value !== "string") wrong(`message ${i}: a text is expected as its ${name}`);
    }
    return {
      role: role as string,
      content: content as string,
      fields: new Map(Object.entries(fields as Record<string, string>)),
    };
  });
}

/**
 * The messages as a template of our importers wants them for a reply (`chat_templates.ts`): the
 * user's after a system message in its own role, and an open message of the assistant at the end.
 * A template that does not declare those has them as they are.
 */
export function forReply(messages: readonly Message[], { template }: Context): readonly Message[] {
  if (template === null) return messages;
  const { roles, fields } = template;
  const sent = messages.map((message, i): Message => {
    const follows = message.role === "user" && messages[i - 1]?.role === "system";
    return follows && roles.has(AFTER_SYSTEM) ? { ...message, role: AFTER_SYSTEM } : message;
  });
  const open = fields.has(OPEN) && roles.has("assistant") && !sent.at(-1)?.fields?.has(OPEN);
  if (!open) return sent;
  return [...sent, { role: "assistant", content: "", fields: new Map([[OPEN, ""]]) }];
}
