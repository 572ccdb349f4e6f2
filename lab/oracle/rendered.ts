/** Oracle: an accepted template renders any messages into a bounded list of segments, or says why not. */
import type { Message } from "../../readers/runtime/template/render.ts";
import type { Template } from "../../readers/runtime/template/template.ts";
import { clause } from "./clauses.ts";
import type { Oracle } from "./oracle.ts";
import { onAccepted, type RuntimeParts } from "./runtime.ts";
import { throwPlace } from "./total.ts";

const TEMPLATE = 5;
/** classes.md section 5. */
const MOST_OUTPUT = 4 << 20;
const LARGE = "x".repeat(1 << 20);

type Conversations = (template: Template) => Message[][];

/** None, and one message of every declared role with every declared field. */
const small: Conversations = ({ roles, fields }) => [
  [],
  [...roles].map((role) => ({
    role,
    content: "a\u{1f680}[end]",
    fields: new Map([...fields].map((name) => [name, ""])),
  })),
];

/** More text than fits. */
const large: Conversations = ({ roles: [role], fields }) => {
  const message = { role, content: LARGE, fields: new Map([...fields].map((name) => [name, ""])) };
  return role === undefined ? [] : [new Array(5).fill(message)];
};

type Parts = Pick<RuntimeParts, "loadTemplate" | "render">;

export const rendered = (parts: Parts): Oracle => over(small, parts);

/** The same of what is too much for a template: mebibytes each time. */
export const renderedLarge = (parts: Parts): Oracle => over(large, parts);

const over = (conversations: Conversations, { loadTemplate, render }: Parts): Oracle =>
  onAccepted("rendered", [TEMPLATE], throwPlace, ({ candidate, blobs }) => {
    const template = loadTemplate(candidate, blobs);
    if ("error" in template) return null;
    for (const messages of conversations(template)) {
      const output = render(template, messages, { generate: true });
      if ("error" in output) continue;
      let size = 0;
      for (const segment of output) size += segment.sort === "token" ? 4 : segment.text.length;
      if (size > MOST_OUTPUT) {
        return {
          what: "size",
          class: "memory",
          detail: `${size} bytes of ${messages.length} messages`,
          clause: clause("classes-5-20"),
        };
      }
      const generated = template.generationMarker;
      if (generated === null) continue;
      const plain = render(template, messages);
      const markers = (list: typeof plain) =>
        "error" in list ? 0 : list.filter((one) => one.sort === "token").length;
      if (markers(output) < markers(plain)) {
        return {
          what: "marker",
          class: "disagreement",
          detail: "fewer tokens with a generation",
          clause: clause("classes-5-25"),
        };
      }
    }
    return null;
  });
