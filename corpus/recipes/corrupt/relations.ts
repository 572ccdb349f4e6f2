/** Stage 18, last: the relations of each class's own section. */
import { encode, type Item } from "../../writer/cbor.ts";
import type { Code } from "../../../readers/contract.ts";
import { assemble } from "../../writer/write.ts";
import { digestOf } from "../bytes.ts";
import { type Case, corrupt, type Recipe, type Rejection, type ValidCase } from "../case.ts";
import { at, manifestItem, type Path, replaced } from "../items.ts";
import { bound, chat, model, pieces } from "../library.ts";
import { withManifest } from "../parts.ts";
import { richAdapter, richBase, richComposition, richTemplate, richTokenizer } from "../rich.ts";
import { quantAdapter } from "../valid/adapters.ts";
import { mostAdapters, thatMany } from "../valid/bindings.ts";
import { withPlaces } from "./schema.ts";

const BAD: Rejection = [18, "BadValue", "manifest"];

/** One place of a parent's body with another value. */
function one(
  recipe: Recipe,
  parent: ValidCase,
  local: string,
  path: Path,
  value: Item,
  why: string,
  cite: string,
  code: Code = "BadValue",
): Case {
  return corrupt(
    parent,
    `${recipe.name}/${local}`,
    why,
    replaced(parent, ["body", ...path], value),
    [18, code, "manifest"],
    { cites: [cite] },
  );
}

const several = (parent: ValidCase, places: readonly (readonly [Path, Item])[]) =>
  withManifest(
    parent.artifact.bytes,
    encode(
      withPlaces(manifestItem(parent), places.map(([path, value]) => [["body", ...path], value])),
    ),
  );

const models: Recipe = {
  name: "corrupt/relation/model",
  reason: "dependents is true exactly in class 2",
  spec: "classes.md 2",
  cites: [],
  cases: () => [
    one(
      models,
      model(),
      "class-1",
      ["dependents"],
      true,
      "a standalone model with dependents",
      "classes-2 Relations: dependents",
    ),
    one(
      models,
      richBase(),
      "class-2",
      ["dependents"],
      false,
      "a base without",
      "classes-2 Relations: dependents",
    ),
  ],
};

/** The sentence of section 3 that relates each member of an operation. */
const RELATED: { readonly [member: string]: string } = {
  order: "classes-3 Relations, for each operation",
  rank: "classes-3 `rank` 0 unless",
  axis: "classes-3 `axis` -1 unless",
  profile: "classes-3 `profile` nonzero exactly",
  element_type: "classes-3 `profile` nonzero exactly",
  kernel_contract: "classes-3 `kernel_contract` 0 exactly",
};

const operations: Recipe = {
  name: "corrupt/relation/adapter",
  reason: "order, rank, axis, profile and kernel contract of each operation",
  spec: "classes.md 3",
  cites: [],
  cases() {
    const at = (
      local: string,
      index: number,
      key: string,
      value: Item,
      why: string,
      parent = richAdapter(),
    ) =>
      one(
        operations,
        parent,
        local,
        ["operations", index, key],
        value,
        why,
        RELATED[key],
      );
    return [
      at("order-equal", 1, "order", 0, "an order that stands twice"),
      at("order-falls", 2, "order", 0, "an order that falls back"),
      at("order-max-first", 0, "order", 2n ** 64n - 1n, "the first order is the greatest"),
      at("rank-0-of-lora", 0, "rank", 0, "lora/1 of rank 0"),
      at("rank-of-delta", 1, "rank", 1, "additive-delta/1 with a rank"),
      at("rank-of-vector", 2, "rank", 2n ** 64n - 1n, "multiplicative-vector/1 with a rank"),
      at("axis-of-lora", 0, "axis", 0, "lora/1 with an axis"),
      at("axis-of-lora-minus-2", 0, "axis", -2, "lora/1 with axis -2"),
      at("axis-of-delta", 1, "axis", 1, "additive-delta/1 with an axis"),
      at("axis-minus-1-of-vector", 2, "axis", -1, "multiplicative-vector/1 without an axis"),
      at(
        "axis-minus-2-of-vector",
        2,
        "axis",
        -(2n ** 63n),
        "multiplicative-vector/1 with axis -2^63",
      ),
      at("profile-of-dense", 0, "profile", digestOf(1), "a profile with element type f32"),
      at(
        "profile-one-byte",
        0,
        "profile",
        new Uint8Array(32).with(31, 1),
        "a profile of which one byte is not zero",
      ),
      at("type-256-without-profile", 0, "element_type", 256, "element type 256 and no profile"),
      at("contract-of-dense", 0, "kernel_contract", 1, "a kernel contract without a profile"),
      at(
        "profile-zero",
        0,
        "profile",
        new Uint8Array(32),
        "a quantized target without a profile",
        quantAdapter(),
      ),
      at(
        "type-of-quantized",
        0,
        "element_type",
        1,
        "a profile with element type f32",
        quantAdapter(),
      ),
      at(
        "contract-0",
        0,
        "kernel_contract",
        0,
        "a profile without a kernel contract",
        quantAdapter(),
      ),
    ];
  },
};

const tokenizers: Recipe = {
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

const ops: Recipe = {
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

const templates: Recipe = {
  name: "corrupt/relation/template",
  reason: "instructions that fit no alternative, and what a program asks of its place",
  spec: "classes.md 5",
  cites: ["classes-5 instruction = ", "classes-5 At an instruction"],
  cases() {
    const parent = richTemplate();
    const top = (
      local: string,
      program: Item,
      why: string,
      code: Code = "BadValue",
      cite = "classes-5 fitting no alternative",
    ) => one(templates, parent, local, ["program"], program, why, cite, code);
    // a program with the marker that the parent's body declares
    const inLoop = (
      local: string,
      inner: readonly Item[],
      why: string,
      code: Code = "BadValue",
      cite = "classes-5 fitting no alternative",
    ) => top(local, [[7, inner], [8]], why, code, cite);
    const place = "classes-5 Relations: 2, 3, 5, 6";
    return [
      top(
        "text",
        ["x", [8]],
        "an instruction that is a text",
        "WrongType",
        "classes-5 At an instruction",
      ),
      top(
        "uint",
        [1, [8]],
        "an instruction that is a number",
        "WrongType",
        "classes-5 At an instruction",
      ),
      top(
        "map",
        [{}, [8]],
        "an instruction that is a map",
        "WrongType",
        "classes-5 At an instruction",
      ),
      top(
        "null",
        [null, [8]],
        "an instruction that is null",
        "WrongType",
        "classes-5 At an instruction",
      ),
      inLoop(
        "inner-text",
        ["x"],
        "an instruction inside a loop that is a text",
        "WrongType",
        "classes-5 At an instruction",
      ),
      top("empty", [[], [8]], "an empty instruction"),
      ...[0, 10, 255, 2n ** 64n - 1n].map((opcode) =>
        top(`opcode-${opcode}`, [[opcode], [8]], `opcode ${opcode}`)
      ),
      top("opcode-text", [["1", 0], [8]], "an opcode that is a text"),
      top("opcode-negative", [[-1], [8]], "an opcode of -1"),
      top("literal-none", [[1], [8]], "emit_literal without its index"),
      top("literal-two", [[1, 0, 0], [8]], "emit_literal of two indexes"),
      top("literal-text", [[1, "0"], [8]], "emit_literal of a text"),
      top("literal-negative", [[1, -1], [8]], "emit_literal of -1"),
      top("token-none", [[4], [8]], "emit_token without its id"),
      top("token-null", [[4, null], [8]], "emit_token of null"),
      inLoop("role-operand", [[2, 0]], "emit_role with an operand"),
      inLoop("content-operand", [[3, "x"]], "emit_content with an operand"),
      inLoop("if-none", [[5]], "if_role without a role"),
      inLoop("if-no-block", [[5, "user"]], "if_role without a block"),
      inLoop("if-more", [[5, "user", [], []]], "if_role with two blocks"),
      inLoop("if-role-uint", [[5, 1, []]], "if_role of a number"),
      inLoop("if-block-uint", [[5, "user", 0]], "if_role whose block is a number"),
      inLoop("if-block-map", [[6, "tools", {}]], "if_present whose block is a map"),
      inLoop(
        "if-inner",
        [[5, "user", [[3], 0]]],
        "a number inside a block",
        "WrongType",
        "classes-5 At an instruction",
      ),
      inLoop(
        "if-identifier",
        [[5, "User", []]],
        "a role that is no identifier",
        "BadIdentifier",
        "classes-5 then `BadIdentifier`",
      ),
      inLoop(
        "if-identifier-empty",
        [[6, "", []]],
        "a field that is empty",
        "BadIdentifier",
        "classes-5 then `BadIdentifier`",
      ),
      top("loop-none", [[7], [8]], "a loop without a block"),
      top("loop-uint", [[7, 0], [8]], "a loop over a number"),
      top("loop-two", [[7, [], []], [8]], "a loop with two blocks"),
      top("marker-operand", [[8, 0]], "the marker with an operand"),
      top("stop-operand", [[9, 0], [8]], "stop with an operand"),
      top("role-outside", [[2], [8]], "emit_role outside a loop", "BadValue", place),
      top("content-outside", [[3], [8]], "emit_content outside a loop", "BadValue", place),
      top("if-role-outside", [[5, "user", []], [8]], "if_role outside a loop", "BadValue", place),
      top(
        "if-present-outside",
        [[6, "tools", []], [8]],
        "if_present outside a loop",
        "BadValue",
        place,
      ),
      top(
        "content-after-loop",
        [[7, []], [3], [8]],
        "emit_content after a loop",
        "BadValue",
        place,
      ),
      inLoop(
        "loop-in-loop",
        [[7, []]],
        "a loop in a loop",
        "BadValue",
        "classes-5 7 does not nest",
      ),
      inLoop(
        "loop-in-condition",
        [[5, "user", [[7, []]]]],
        "a loop in a condition in a loop",
        "BadValue",
        "classes-5 7 does not nest",
      ),
      ...[3, 4, 2 ** 32, 2n ** 64n - 1n].map((index) =>
        top(
          `literal-${index}`,
          [[1, index], [8]],
          `literal ${index} of 3`,
          "BadValue",
          "classes-5 blob index < blob_count",
        )
      ),
      corrupt(
        chat(),
        `${templates.name}/literal-without-blobs`,
        "literal 0 of none",
        replaced(chat(), ["body", "program"], [[1, 0]]),
        BAD,
        { cites: ["classes-5 blob index < blob_count"] },
      ),
      top(
        "instructions-4097",
        Array.from({ length: 4097 }, () => [8]),
        "4,097 instructions",
        "BadValue",
        "classes-5 at most 4,096 instructions",
      ),
      inLoop(
        "instructions-4097-nested",
        Array.from({ length: 4095 }, () => [3]),
        "4,097 instructions, most of them in a loop",
        "BadValue",
        "classes-5 at most 4,096 instructions",
      ),
      top(
        "marker-unused",
        [],
        "a generation marker that no instruction emits",
        "BadValue",
        "classes-5 generation_marker is not null",
      ),
      one(
        templates,
        parent,
        "marker-null",
        ["generation_marker"],
        null,
        "an instruction emits a marker that there is not",
        "classes-5 generation_marker is not null",
      ),
      corrupt(
        chat(),
        `${templates.name}/marker-null-in-loop`,
        "the same, in a loop",
        replaced(chat(), ["body", "program"], [[7, [[8]]]]),
        BAD,
        { cites: ["classes-5 generation_marker is not null"] },
      ),
    ];
  },
};

const compositions: Recipe = {
  name: "corrupt/relation/composition",
  reason: "adapters, sampling and KV policy of a composition",
  spec: "classes.md 6",
  cites: [],
  cases() {
    const parent = richComposition();
    const number = "classes-6 Relations: adapters at most 32",
      cold = "classes-6 temperature >= 0",
      p = "classes-6 top_p in (0, 1]",
      type = "classes-6 kv.element_type f32";
    const twice = bound();
    return [
      corrupt(
        mostAdapters(),
        `${compositions.name}/adapters-33`,
        "33 adapters, each with its dependency",
        assemble(thatMany(33)).bytes,
        BAD,
        { cites: [number] },
      ),
      corrupt(
        twice,
        `${compositions.name}/adapter-twice`,
        "one adapter twice, each time with its dependency",
        withManifest(
          twice.artifact.bytes,
          encode(withPlaces(manifestItem(twice), [
            [["body", "adapters", 1], at(manifestItem(twice), ["body", "adapters", 0])],
            [["dependencies", 4], at(manifestItem(twice), ["dependencies", 3])],
          ])),
        ),
        BAD,
        { cites: [number] },
      ),
      ...([["minus-1", [-1, 1]], ["tiny", [-1, 2n ** 64n - 1n]]] as const).map(([local, value]) =>
        one(
          compositions,
          parent,
          `temperature-${local}`,
          ["generation", "temperature"],
          value,
          "a negative temperature",
          cold,
        )
      ),
      ...([["0", [0, 1]], ["negative", [-1, 2]], ["over-1", [3, 2]], ["over-1-barely", [
        2n ** 64n - 1n,
        2n ** 64n - 2n,
      ]], ["2", [2, 1]]] as const).map(([local, value]) =>
        one(
          compositions,
          parent,
          `top-p-${local}`,
          ["generation", "top_p"],
          value,
          `a top_p of ${value.join("/")}`,
          p,
        )
      ),
      ...[0, 4, 5, 6, 256, 2 ** 32 + 1].map((n) =>
        one(
          compositions,
          parent,
          `kv-element-type-${n}`,
          ["kv", "element_type"],
          n,
          `KV element type ${n}`,
          type,
        )
      ),
    ];
  },
};

const sets: Recipe = {
  name: "corrupt/relation/piece-set",
  reason: "subject_bytes in range, piece_count its exact number of pieces",
  spec: "classes.md 7",
  cites: [],
  cases() {
    const range = "classes-7 Relations: 1 <= subject_bytes",
      count = "classes-7 then piece_count = ceil";
    const both = (
      local: string,
      subject_bytes: Item,
      piece_count: Item,
      why: string,
      cite: string,
      rejection = BAD,
    ) =>
      corrupt(
        pieces(),
        `${sets.name}/${local}`,
        why,
        several(pieces(), [[["subject_bytes"], subject_bytes], [["piece_count"], piece_count]]),
        rejection,
        { cites: [cite] },
      );
    return [
      both("bytes-0", 0, 0, "no bytes and no pieces", range),
      both("bytes-0-piece-1", 0, 1, "no bytes in one piece", range),
      both("bytes-2-53", 2n ** 53n, 2 ** 31, "2^53 bytes", range),
      both("bytes-2-64", 2n ** 64n - 1n, 2n ** 42n, "2^64 - 1 bytes", range),
      ...[0, 2, 2 ** 32 + 1].map((n) =>
        one(sets, pieces(), `count-${n}`, ["piece_count"], n, `${n} pieces of a file of one`, count)
      ),
      both("4-mib-in-2", 4194304, 2, "just 4 MiB in two pieces", count),
      both("4-mib-plus-1-in-1", 4194305, 1, "a byte over 4 MiB in one piece", count),
      both("8-mib-plus-1-in-2", 8388609, 2, "a byte over 8 MiB in two pieces", count),
      both(
        "rounded",
        Number.MAX_SAFE_INTEGER,
        2 ** 31 + 1,
        "2^53 - 1 bytes in one piece too many",
        count,
      ),
      both(
        "rounded-down",
        Number.MAX_SAFE_INTEGER,
        2 ** 31 - 1,
        "2^53 - 1 bytes in one piece too few",
        count,
      ),
      both(
        "most",
        Number.MAX_SAFE_INTEGER,
        2 ** 31,
        "2^53 - 1 bytes in 2^31 pieces: right, and the blob has one hash",
        "classes-7 One blob exactly",
        [26, "BlobContent", "payload"],
      ),
      both(
        "two-pieces",
        4194305,
        2,
        "two pieces: right, and the blob has one hash",
        "classes-7 One blob exactly",
        [26, "BlobContent", "payload"],
      ),
    ];
  },
};

export const relations: readonly Recipe[] = [
  models,
  operations,
  tokenizers,
  ops,
  templates,
  compositions,
  sets,
];
