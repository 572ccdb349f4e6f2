/** Rendering, and the ids that its segments become. */
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import type { TemplateBody } from "../../../corpus/writer/bodies.ts";
import { type Step, template } from "../../../corpus/writer/build/template.ts";
import type { Segment } from "../tokenizer/encode.ts";
import { candidateOf, make } from "../tokenizer/testing.ts";
import { type Message, render } from "./render.ts";
import { loadTemplate, type Template } from "./template.ts";

const REFERENCE = { class: 4, artifact_id: "11".repeat(32), whole_file: "22".repeat(32) };
const END = 128, START = 129;

/** ASCII, `[end]` and `<s>` special, and a token that only content could spell. */
const TOKENIZER = make({
  vocabulary: [
    ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
    "[end]",
    "<s>",
  ],
  added_tokens: [{ id: END, flags: 1 }, { id: START, flags: 1 }],
}, { kind: "table/1", added_prefix_space: true, unknown: { id: 63, policy: "token" } });

function load(program: readonly Step[], body: Partial<TemplateBody> = {}): Template {
  const { candidate, blobs } = candidateOf(
    template(REFERENCE, program, { roles: ["user", "assistant"], ...body }),
  );
  const loaded = loadTemplate(candidate, (index) => blobs[index]);
  assert(!("error" in loaded));
  return loaded;
}

const user = (content: string): Message => ({ role: "user", content });

function segments(t: Template, messages: readonly Message[], generate = false): Segment[] {
  const result = render(t, messages, { generate });
  assert(Array.isArray(result), JSON.stringify(result));
  return result;
}

/** Segments as text: content in braces, tokens in angles. */
function shown(...args: Parameters<typeof segments>): string {
  const utf8 = new TextDecoder();
  return segments(...args).map((segment) => {
    if (segment.sort === "token") return `<${segment.id}>`;
    const text = utf8.decode(segment.text as Uint8Array);
    return segment.sort === "content" ? `{${text}}` : text;
  }).join("");
}

function ids(...args: Parameters<typeof segments>): number[] {
  const result = TOKENIZER.encodeSegments(segments(...args));
  assert(result instanceof Uint32Array);
  return [...result];
}

const codes = (text: string) => [...text].map((char) => char.charCodeAt(0));

Deno.test("each instruction", () => {
  const t = load([
    { token: 7 },
    "head",
    {
      for_each_message: [
        "[",
        { do: "role" },
        { if_role: "user", then: ["?"] },
        { if_present: "name", then: ["!", { if_role: "assistant", then: ["+"] }] },
        "]",
        { do: "content" },
      ],
    },
    { do: "generation_marker" },
    "tail",
  ], { fields: ["name"], generation_marker: 9 });
  const messages: Message[] = [
    user("hi"),
    { role: "assistant", content: "", fields: new Map([["name", ""]]) },
  ];
  assertEquals(shown(t, messages), "<7>head[{user}?]{hi}[{assistant}!+]{}tail");
  assertEquals(shown(t, [], true), "<7>head<9>tail");
});

Deno.test("stop ends the render, in the loop and in blocks too", () => {
  const t = load([
    {
      for_each_message: [{ do: "content" }, { if_role: "assistant", then: [{ do: "stop" }, "x"] }],
    },
    "end",
  ]);
  assertEquals(shown(t, [user("a"), user("b")]), "{a}{b}end");
  assertEquals(shown(t, [user("a"), { role: "assistant", content: "b" }, user("c")]), "{a}{b}");
});

Deno.test("roles and fields that are not declared are errors, whatever their names", () => {
  const t = load([{ for_each_message: [{ do: "content" }] }], { fields: ["name"] });
  for (const role of ["constructor", "__proto__", "toString", "", "USER", "system"]) {
    const messages = [user("a"), { role, content: "b" }];
    assertEquals(render(t, messages), { error: "UndeclaredRole", message: 1 });
  }
  for (const field of ["constructor", "__proto__", "Name", ""]) {
    const message = { ...user("a"), fields: new Map([[field, "x"]]) };
    assertEquals(render(t, [message]), { error: "UndeclaredField", message: 0 });
  }
  assertEquals(render(t, [user("\ud800")]), { error: "LoneSurrogate", message: 0 });
});

Deno.test("a special token comes from emit_token and literals, never from content", () => {
  const t = load([{ for_each_message: [{ do: "content" }, "d]", { token: END }] }]);
  assertEquals(ids(t, [user("[end]")]), [...codes(" [end]d]"), END]);
  // a border that content and literal would spell together
  assertEquals(ids(t, [user("x[en")]), [...codes(" x[end]"), END]);
  const literal = load(["[e", "nd]", { for_each_message: [{ do: "role" }, { do: "content" }] }]);
  assertEquals(ids(literal, [user("[end]"), user("<s>")]), [END, ...codes("user[end]user<s>")]);
  // content that is empty keeps two literals apart
  const around = load([{ for_each_message: ["[e", { do: "content" }, "nd]"] }]);
  assertEquals(ids(around, [user("")]), codes(" [end]"));
});

Deno.test("whatever is said, only the program's tokens are special", () => {
  const t = load([{ for_each_message: ["<s>", { do: "content" }, "d]", { token: END }] }]);
  const piece = fc.constantFrom("[end]", "[en", "[", "end]", "<s>", "<", "s>", "a", "");
  const content = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(""));
  fc.assert(fc.property(fc.array(content, { minLength: 1, maxLength: 4 }), (contents) => {
    const special = ids(t, contents.map(user)).filter((id) => id >= END);
    assertEquals(special, contents.flatMap(() => [START, END]));
  }));
});

Deno.test("only the first segment begins the input", () => {
  const t = load([{ token: START }, "a", { for_each_message: [{ do: "content" }] }]);
  assertEquals(ids(t, [user("b")]), [START, ...codes("ab")]);
  const literalFirst = load(["a", { for_each_message: [{ do: "content" }] }]);
  assertEquals(ids(literalFirst, [user("b")]), codes(" ab"));
  const emptyFirst = load([{ for_each_message: [{ do: "content" }, "a"] }]);
  assertEquals(ids(emptyFirst, [user("")]), codes("a"));
});

Deno.test("neighbours of one sort are tokenised as one text", () => {
  const t = make({ vocabulary: ["a", "b", "ab"], scores: [0, 0, 0] }, { kind: "score-bpe/1" });
  const content = (text: string): Segment => ({ sort: "content", text });
  const literal = (text: string): Segment => ({ sort: "literal", text });
  const token: Segment = { sort: "token", id: 1 };
  const encode = (...list: Segment[]) => [...t.encodeSegments(list) as Uint32Array];
  assertEquals(encode(content("a"), content("b")), [2]);
  assertEquals(encode(content("a"), literal("b")), [0, 1]);
  assertEquals(encode(literal("a"), token, literal("b")), [0, 1, 1]);
  assertEquals(t.encodeSegments([literal("a"), content("b"), content("\udc00")]), {
    error: "LoneSurrogate",
    offset: 0,
    segment: 2,
  });
});

Deno.test("output is at most 4 MiB, a token counting as four bytes", () => {
  const t = load([{ for_each_message: [{ do: "content" }, { token: 1 }] }]);
  const size = 4 * 1024 * 1024;
  assertEquals(segments(t, [user("a".repeat(size - 4))]).length, 2);
  assertEquals(render(t, [user("a".repeat(size - 3))]), { error: "OutputTooLarge", message: 0 });
  assertEquals(render(t, [user("a"), user("é".repeat(size / 2))]), {
    error: "OutputTooLarge",
    message: 1,
  });
});

Deno.test("literals are bytes as they stand, U+FEFF too", () => {
  assertEquals(segments(load(["\ufeffA"]), []), [
    { sort: "literal", text: Uint8Array.of(0xef, 0xbb, 0xbf, 0x41) },
  ]);
});

Deno.test("an artifact of another class, or literals over 256 KiB, give no template", () => {
  const { candidate, blobs } = candidateOf(template(REFERENCE, ["a".repeat(256 * 1024)]));
  const of = (other: Partial<typeof candidate>) =>
    loadTemplate({ ...candidate, ...other }, (index) => blobs[index]);
  assert(!("error" in of({})));
  const wrong = of({ artifact_class: 4 });
  assert("error" in wrong && wrong.error === "NotATemplate");
  const longer = { ...candidate.blobs[0], length: 256 * 1024 + 1 };
  const large = of({ blobs: [longer] });
  assert("error" in large && large.error === "LiteralsTooLarge");
});

Deno.test("a token that no vocabulary has is a token all the same, and meets no id", () => {
  for (const id of [130, 2 ** 32 + 5, 2n ** 53n, 2n ** 64n - 1n]) {
    const t = load([{ token: id as number }], { stop_tokens: [id as number] });
    assertEquals(TOKENIZER.encodeSegments(segments(t, [])), {
      error: "NoSuchToken",
      segment: 0,
      offset: 0,
    });
    assertEquals(t.stopTokens.some((stop) => stop < 130), false);
  }
});
