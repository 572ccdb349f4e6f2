/** Stage 18, last: ids and ops of a tokenizer (classes.md section 4). */
import type { Code } from "../../../readers/contract.ts";
import type { Item } from "../../writer/cbor.ts";
import type { Recipe } from "../case.ts";
import { type Path } from "../items.ts";
import { richTokenizer } from "../rich.ts";
import { one } from "./relation.ts";

export const tokenizers: Recipe = {
  name: "corrupt/relation/tokenizer",
  reason: "ids of a tokenizer's body, and what asks for them",
  spec: "classes.md 4",
  cites: [],
  cases() {
    const parent = richTokenizer(), n = 261;
    const ids = "classes-4 Relations: bos.id",
      autos = "classes-4 bos.auto and eos.auto",
      policy = "classes-4 policy `token`";
    const over = (local: string, path: Path, wrap: (id: Item) => Item = (id) => id) =>
      [n, 2 ** 32, 2n ** 64n - 1n].map((id) =>
        one(
          tokenizers,
          parent,
          `${local}-${id}`,
          path,
          wrap(id),
          `${path.join(".")} is ${id} of ${n} entries`,
          ids,
        )
      );
    return [
      ...over("bos", ["bos", "id"]),
      ...over("eos", ["eos", "id"]),
      ...over("unknown", ["unknown", "id"]),
      ...over("role", ["roles", "eos"]),
      ...over("stop-token", ["stop_tokens"], (id) => [0, id]),
      one(
        tokenizers,
        parent,
        "bos-auto-without-id",
        ["bos"],
        { auto: true, id: null },
        "bos.auto without an id",
        autos,
      ),
      one(
        tokenizers,
        parent,
        "eos-auto-without-id",
        ["eos"],
        { auto: true, id: null },
        "eos.auto without an id",
        autos,
      ),
      one(
        tokenizers,
        parent,
        "policy-token-without-id",
        ["unknown"],
        { id: null, policy: "token" },
        "policy token without an id",
        policy,
      ),
      one(
        tokenizers,
        parent,
        "policy-bytes-without-fallback",
        ["byte_fallback"],
        false,
        "policy bytes, and byte_fallback false",
        policy,
      ),
    ];
  },
};

export const ops: Recipe = {
  name: "corrupt/relation/tokenizer-op",
  reason: "ops that are none, are of the other field, or have other operands",
  spec: "classes.md 4",
  cites: [
    "classes-4 At an op: not an array",
    "classes-4 empty, or its first item",
    "classes-4 that text not an identifier",
    "classes-4 not in the registry of this field",
    "classes-4 `digits-split` n",
  ],
  cases() {
    const fault = (field: string, local: string, op: Item, code: Code, why: string) =>
      one(ops, richTokenizer(), `${field}-${local}`, [field], [op], why, "classes-4 op = ", code);
    const both = (local: string, op: Item, code: Code, why: string) =>
      ["normalizer", "pretokenizer"].map((field) => fault(field, local, op, code, why));
    return [
      ...both("text", "nfc", "WrongType", "an op that is a text"),
      ...both("uint", 0, "WrongType", "an op that is a number"),
      ...both("map", {}, "WrongType", "an op that is a map"),
      ...both("null", null, "WrongType", "an op that is null"),
      ...both("empty", [], "BadValue", "an empty op"),
      ...both("first-uint", [1], "BadValue", "an op that begins with a number"),
      ...both("first-bytes", [new Uint8Array([1])], "BadValue", "an op that begins with bytes"),
      ...both("first-array", [["nfc"]], "BadValue", "an op that begins with an array"),
      ...both("upper", ["NFC"], "BadIdentifier", "a name that is no identifier"),
      ...both("empty-name", [""], "BadIdentifier", "an empty name"),
      ...both("unknown", ["nfd"], "BadValue", "an op that is not registered"),
      ...both("regex", ["split", "\\w+"], "BadValue", "a regular expression"),
      ...["gpt2-split", "whitespace-split", "punctuation-split", "none"].map((name) =>
        fault("normalizer", `foreign-${name}`, [name], "BadValue", `${name} is a pretokenizer`)
      ),
      ...[
        "nfc",
        "nfkc",
        "lowercase",
        "strip-accents",
        "clean-control",
        "cjk-space",
        "collapse-space",
      ].map((name) =>
        fault("pretokenizer", `foreign-${name}`, [name], "BadValue", `${name} is a normalizer`)
      ),
      ...[
        "nfc",
        "nfkc",
        "lowercase",
        "strip-accents",
        "clean-control",
        "cjk-space",
        "collapse-space",
      ].map((name) =>
        fault("normalizer", `${name}-operand`, [name, "x"], "BadValue", `${name} has no operand`)
      ),
      ...["gpt2-split", "whitespace-split", "punctuation-split", "none"].map((name) =>
        fault("pretokenizer", `${name}-operand`, [name, 1], "BadValue", `${name} has no operand`)
      ),
      fault("normalizer", "prepend-none", ["prepend"], "BadValue", "prepend without its text"),
      fault("normalizer", "prepend-uint", ["prepend", 1], "BadValue", "prepend of a number"),
      fault("normalizer", "prepend-two", ["prepend", "a", "b"], "BadValue", "prepend of two texts"),
      fault(
        "normalizer",
        "replace-one",
        ["replace", "a"],
        "BadValue",
        "replace without what comes in",
      ),
      fault(
        "normalizer",
        "replace-three",
        ["replace", "a", "b", "c"],
        "BadValue",
        "replace of three texts",
      ),
      fault("normalizer", "replace-uint", ["replace", "a", 1], "BadValue", "replace by a number"),
      fault(
        "normalizer",
        "replace-bytes",
        ["replace", new Uint8Array([97]), "b"],
        "BadValue",
        "replace of bytes",
      ),
      fault(
        "pretokenizer",
        "digits-none",
        ["digits-split"],
        "BadValue",
        "digits-split without its number",
      ),
      fault(
        "pretokenizer",
        "digits-text",
        ["digits-split", "3"],
        "BadValue",
        "digits-split of a text",
      ),
      fault(
        "pretokenizer",
        "digits-0",
        ["digits-split", 0],
        "BadValue",
        "digits-split into at most none",
      ),
      fault(
        "pretokenizer",
        "digits-negative",
        ["digits-split", -1],
        "BadValue",
        "digits-split of a negative number",
      ),
      fault(
        "pretokenizer",
        "digits-two",
        ["digits-split", 1, 2],
        "BadValue",
        "digits-split of two numbers",
      ),
      one(
        ops,
        richTokenizer(),
        "normalizer-last",
        ["normalizer"],
        [["nfc"], ["nfc"], ["nope"]],
        "the third op",
        "classes-4 op = ",
      ),
    ];
  },
};
