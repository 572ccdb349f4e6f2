/** Bodies of templates (classes.md 5): a row a sentence. */

import type { Item } from "../../corpus/writer/cbor.ts";
import type { Description } from "../../corpus/writer/description.ts";
import { edited, type Edits, hash, type Row, sentences } from "./sentences.ts";

/** An item for the name of a test. */
const shown = (item: Item) =>
  JSON.stringify(item, (_, value) => typeof value === "bigint" ? `${value}` : value);

const on =
  (description: Description) => (sentence: string, edits: Edits, expected: string): Row => [
    sentence,
    () => edited(description, edits),
    expected.includes("[") || expected === "accept" ? expected : `18 ${expected} [manifest]`,
  ];

const TEMPLATE: Description = {
  artifact_class: 5,
  body: {
    fields: [],
    generation_marker: null,
    instruction_set: 1,
    program: [],
    roles: [],
    stop_tokens: [],
    tokenizer_id: hash(1),
  },
  dependencies: [{ role: "tokenizer", artifact_class: 4, id: hash(1), whole_file: null }],
  blobs: [{ kind: 16, name: "l", media_type: "text/plain", payload: new Uint8Array([0x61]) }],
};

const p = on(TEMPLATE);

const program = (program: Item, expected: string, more: Edits = {}) =>
  p(shown(program).slice(0, 70) + shown(more as Item), {
    "body.program": program,
    ...more,
  }, expected);

sentences("classes.md 5", [
  program({}, "WrongType"),
  program([1], "WrongType"),
  program([[]], "BadValue"),
  program([[0]], "BadValue"),
  program([[10]], "BadValue"),
  program([[-1]], "BadValue"),
  program([["a"]], "BadValue"),
  program([[1]], "BadValue"),
  program([[1, -1]], "BadValue"),
  program([[1, 0]], "accept"),
  program([[1, 1]], "BadValue"),
  program([[1, 2n ** 53n as unknown as number]], "BadValue"),
  program([[2]], "BadValue"),
  program([[9, 0]], "BadValue"),
  program([[4, 2n ** 64n - 1n as unknown as number]], "accept"),
  program([[5, "a", []]], "BadValue"),
  program([[7, [[5, "A", 1]]]], "BadValue"),
  program([[7, [[5, "A", [1]]]]], "BadIdentifier"),
  program([[7, [[5, "a", [1]]]]], "WrongType"),
  program([[7, [[6, "a", [[6, "b", [[3], [2], [1, 0], [4, 0], [9]]]]]]]], "accept"),
  program([[7, [[7, []]]]], "BadValue"),
  program([[7, []], [7, []]], "accept"),
  program([[7, [[8]]]], "accept", { "body.generation_marker": 0 }),
  program([[8]], "BadValue"),
  program([], "BadValue", { "body.generation_marker": 0 }),
  program(new Array(4096).fill([9]), "accept"),
  program(new Array(4097).fill([9]), "BadValue"),
  program([[7, new Array(4096).fill([2])]], "BadValue"),
  program([[2]], "BadIdentifier", { "requirements.features": ["A"] }),
  program([], "accept", { "body.fields": ["b", "aa"], "body.roles": ["user"] }),
  program([], "BadValue", { "body.instruction_set": 2 }),
]);
