/** Bodies of tokenizers (classes.md 4): a row a sentence. */
import { tokenizer } from "../../corpus/writer/build/tokenizer.ts";
import type { Item } from "../../corpus/writer/cbor.ts";
import type { Description } from "../../corpus/writer/description.ts";
import { edited, type Edits, type Row, sentences } from "./sentences.ts";

/** An item for the name of a test. */
const shown = (item: Item) =>
  JSON.stringify(item, (_, value) => typeof value === "bigint" ? `${value}` : value);

const on =
  (description: Description) => (sentence: string, edits: Edits, expected: string): Row => [
    sentence,
    () => edited(description, edits),
    expected.includes("[") || expected === "accept" ? expected : `18 ${expected} [manifest]`,
  ];

const extension = (id: string, version: number | bigint, critical = false, payload: Item = {}) => ({
  critical,
  id,
  payload,
  version,
});

const k = on(tokenizer({ vocabulary: ["a", "b", "ab"] }, { kind: "table/1" }));

const op = (op: Item, expected: string, field = "normalizer") =>
  k(`${field} ${shown(op)}`, { [`body.${field}`]: [op] }, expected);

sentences("classes.md 4, the body", [
  op("nfc", "WrongType"),
  op([], "BadValue"),
  op([1], "BadValue"),
  op([["nfc"]], "BadValue"),
  op(["NFC"], "BadIdentifier"),
  op(["NFC", null], "BadIdentifier"),
  op(["nfd"], "BadValue"),
  op(["nfc", "x"], "BadValue"),
  op(["nfc"], "BadValue", "pretokenizer"),
  op(["none"], "BadValue"),
  op(["none"], "accept", "pretokenizer"),
  op(["prepend"], "BadValue"),
  op(["prepend", 1], "BadValue"),
  op(["prepend", ""], "accept"),
  op(["replace", "a"], "BadValue"),
  op(["replace", "", ""], "accept"),
  op(["digits-split", 0], "BadValue", "pretokenizer"),
  op(["digits-split", -1], "BadValue", "pretokenizer"),
  op(["digits-split", 2n ** 64n - 1n as unknown as number], "accept", "pretokenizer"),
  k("two ops: the first", { "body.normalizer": [["nfd"], 1] }, "BadValue"),
  k("decoders by their encodings", {
    "body.decoder": ["byte-level", "byte-fallback", "wordpiece-cleanup", "strip-space-marker"],
  }, "accept"),
  k("not by their letters", { "body.decoder": ["byte-fallback", "byte-level"] }, "UnsortedSet"),
  k("an unknown decoder before their order", {
    "body.decoder": ["byte-fallback", "byte-level", "x"],
  }, "BadValue"),
  k("stop bytes: shorter first", {
    "body.stop_bytes": [new Uint8Array(0), new Uint8Array([255]), new Uint8Array(2)],
  }, "accept"),
  k(
    "stop bytes the other way",
    { "body.stop_bytes": [new Uint8Array(2), new Uint8Array([255])] },
    "UnsortedSet",
  ),
  k("stop tokens below vocab_size", { "body.stop_tokens": [0, 2] }, "accept"),
  k("one that is not", { "body.stop_tokens": [3] }, "BadValue"),
  k("order before range", { "body.stop_tokens": [3, 1] }, "UnsortedSet"),
  k("a role's key before its value", { "body.roles": { "A": -1 } }, "BadIdentifier"),
  k("entry by entry", { "body.roles": { "a": -1, "B": 1 } }, "BadIdentifier"),
  k("entry by entry, in encoded order", { "body.roles": { "a": -1, "bB": 1 } }, "WrongType"),
  k("a role's id", { "body.roles": { "a": 3 } }, "BadValue"),
  k("bos.id", { "body.bos": { auto: false, id: 3 } }, "BadValue"),
  k("auto without an id", { "body.eos": { auto: true, id: null } }, "BadValue"),
  k("auto with one", { "body.eos": { auto: true, id: 2 } }, "accept"),
  k("policy token without id", { "body.unknown.policy": "token" }, "BadValue"),
  k("policy bytes without byte_fallback", { "body.unknown.policy": "bytes" }, "BadValue"),
  k("relations after the whole schema", {
    "body.unknown.policy": "bytes",
    "extensions": [extension("A", 0)],
  }, "BadIdentifier"),
  k("relations after extensions' order", {
    "body.unknown.policy": "bytes",
    "extensions": [extension("b", 0), extension("a", 0)],
  }, "UnsortedSet"),
  k("an expansion of 0 is free", { "body.max_expansion": 0, "body.space_marker": "" }, "accept"),
  k("a marker that is no text", { "body.space_marker": new Uint8Array(1) }, "WrongType"),
]);
