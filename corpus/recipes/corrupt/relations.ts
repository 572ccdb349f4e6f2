/** Stage 18, last: the relations of each class's own section. */
import { encode, type Item } from "../../writer/cbor.ts";
import { assemble } from "../../writer/write.ts";
import { digestOf } from "../bytes.ts";
import { corrupt, type Recipe } from "../case.ts";
import { at, manifestItem } from "../items.ts";
import { bound, model, pieces } from "../library.ts";
import { withManifest } from "../parts.ts";
import { richAdapter, richBase, richComposition } from "../rich.ts";
import { quantAdapter } from "../valid/adapters.ts";
import { mostAdapters, thatMany } from "../valid/bindings.ts";
import { BAD, one, several } from "./relation.ts";
import { withPlaces } from "./schema.ts";
import { templates } from "./template_relations.ts";
import { ops, tokenizers } from "./tokenizer_relations.ts";

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
