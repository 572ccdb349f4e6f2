/** Stage 24: where payload objects stand, and what nothing refers to. */
import { concat } from "../../writer/bytes.ts";
import { tensorPack } from "../../writer/build/model.ts";
import {
  BLOB,
  type FieldTable,
  type FieldValue,
  getField,
  patch,
  QUANT,
  setField,
  TENSOR,
} from "../../writer/fields.ts";
import { encodeStrings } from "../../writer/plan.ts";
import { REGISTERED } from "../../writer/profiles.ts";
import { assemble } from "../../writer/write.ts";
import { utf8 } from "../../writer/bytes.ts";
import {
  type Case,
  corrupt,
  lazy,
  type Recipe,
  type Rejection,
  valid,
  type ValidCase,
} from "../case.ts";
import { full } from "../library.ts";
import { fieldOf, flipped, open, remade, resized, stringsOf, withFields } from "../parts.ts";
import { richProvenance, richRetrieval } from "../rich.ts";
import { dense, quantized } from "../valid/tensors.ts";
import { ALL_ONES } from "./header.ts";

/** Objects with padding before each: the first stands away from the payload's beginning. */
const spaced = lazy(() =>
  valid(
    "valid/layout/spaced",
    "four objects, with padding before every one",
    tensorPack([
      dense("u8", [3], { role: "a", name: "a", alignment: 2048 }),
      dense("u8", [5], { role: "b", name: "b" }),
      dense("u8", [64], { role: "c", name: "c", alignment: 256 }),
      dense("u8", [1], { role: "d", name: "d", alignment: 128 }),
    ]),
  )
);

const single = lazy(() =>
  valid("valid/layout/one-profile", "a model of one profile", quantized("q8-0.b32.pad", [33]))
);

const valids: Recipe = {
  name: "valid/layout",
  reason: "objects with padding between them",
  spec: "slm2.md 7.6",
  cites: ["slm2-7.6 *"],
  cases: () => [spaced(), single()],
};

const place: Recipe = {
  name: "corrupt/layout/place",
  reason: "each object one step off its place: overlap, gap, alias, another order",
  spec: "slm2.md 7.6 and 8, stage 24",
  cites: [
    "slm2-7.6 With `e` the end",
    "slm2-7.6 `payload_relative_offset` is",
    "slm2-7.6 Objects stand in descriptor order",
    "slm2-7.3 payload_relative_offset",
  ],
  cases() {
    const one = (
      parent: ValidCase,
      local: string,
      fields: { readonly [path: string]: FieldValue },
      why: string,
    ) =>
      corrupt(parent, `${place.name}/${local}`, why, withFields(parent.artifact.bytes, fields), [
        24,
        "PayloadOutOfPlace",
        "payload",
      ]);
    const around = (parent: ValidCase, name: string, path: string) => {
      const at = Number(getField(parent.artifact.bytes, path));
      return ([
        ["minus-64", at - 64],
        ["minus-1", at - 1],
        ["plus-1", at + 1],
        ["plus-64", at + 64],
        ["plus-2-32", at + 2 ** 32],
        ["zero", 0],
        ["max", Number.MAX_SAFE_INTEGER],
        ["2-53", 2n ** 53n],
        ["all-ones", ALL_ONES],
      ] as const).filter(([, n]) => n !== at && BigInt(n) >= 0n).map(([local, n]) =>
        one(parent, `${name}-${local}`, { [path]: n }, `${path} is ${n}, its place ${at}`)
      );
    };
    const file = spaced().artifact.bytes;
    const offset = (i: number) => getField(file, `tensor[${i}].payload_relative_offset`);
    return [
      ...around(spaced(), "tensor-0", "tensor[0].payload_relative_offset"),
      ...around(spaced(), "tensor-3", "tensor[3].payload_relative_offset"),
      ...around(full(), "blob-0", "blob[0].payload_relative_offset"),
      ...around(richProvenance(), "blob-1", "blob[1].payload_relative_offset"),
      one(
        spaced(),
        "alias",
        { "tensor[1].payload_relative_offset": offset(0) },
        "two objects in one place",
      ),
      one(spaced(), "swapped", {
        "tensor[0].payload_relative_offset": offset(1),
        "tensor[1].payload_relative_offset": offset(0),
      }, "two objects in each other's place"),
      one(
        spaced(),
        "alignment-greater",
        { "tensor[0].payload_alignment": 4096 },
        "an alignment that the place does not have",
      ),
      one(
        spaced(),
        "alignment-less",
        { "tensor[0].payload_alignment": 64 },
        "an alignment under which the object would stand earlier",
      ),
    ];
  },
};

const bounds: Recipe = {
  name: "corrupt/layout/bounds",
  reason: "the last object ends where the payload ends",
  spec: "slm2.md 7.6 and 8, stage 24",
  cites: ["slm2-7.6 `payload_length` in the header"],
  cases() {
    const file = spaced().artifact.bytes;
    const grown = (bytes: readonly number[], parent: ValidCase, local: string, why: string) => {
      const long = resized(concat(parent.artifact.bytes, new Uint8Array(bytes)));
      setField(
        long,
        "header.payload_length",
        Number(getField(parent.artifact.bytes, "header.payload_length")) + bytes.length,
      );
      return corrupt(parent, `${bounds.name}/${local}`, why, long, [
        24,
        "PayloadTrailing",
        "payload",
      ]);
    };
    const tensor = (i: number, n: number) => ({
      [`tensor[${i}].shape_0`]: n,
      [`tensor[${i}].logical_element_count`]: n,
      [`tensor[${i}].stored_bytes`]: n,
      [`tensor[${i}].payload_length`]: n,
    });
    return [
      corrupt(
        spaced(),
        `${bounds.name}/last-grown`,
        "the last tensor has one element more, the payload not",
        withFields(file, tensor(3, 2)),
        [24, "PayloadOutOfBounds", "payload"],
      ),
      corrupt(
        spaced(),
        `${bounds.name}/last-grown-max`,
        "the last tensor has 2^32 - 1 elements",
        withFields(file, tensor(3, 0xffffffff)),
        [24, "PayloadOutOfBounds", "payload"],
      ),
      corrupt(
        spaced(),
        `${bounds.name}/first-grown`,
        "the first tensor reaches over the others and past the payload",
        withFields(file, tensor(0, 0xffffffff)),
        [24, "PayloadOutOfBounds", "payload"],
      ),
      corrupt(
        spaced(),
        `${bounds.name}/middle-grown`,
        "the third tensor reaches into the fourth, whose place moves",
        withFields(file, tensor(2, 129)),
        [24, "PayloadOutOfPlace", "payload"],
      ),
      corrupt(
        spaced(),
        `${bounds.name}/middle-shrunk`,
        "the third tensor gave up its last bytes, which now belong to no object",
        withFields(file, tensor(2, 1)),
        [24, "NonZeroPadding", "payload"],
      ),
      corrupt(
        full(),
        `${bounds.name}/blob-grown`,
        "the last blob has one byte more, the payload not",
        withFields(full().artifact.bytes, {
          "blob[0].payload_length":
            Number(getField(full().artifact.bytes, "blob[0].payload_length")) + 1,
          "blob[0].logical_length":
            Number(getField(full().artifact.bytes, "blob[0].logical_length")) + 1,
        }),
        [24, "PayloadOutOfBounds", "payload"],
      ),
      corrupt(
        full(),
        `${bounds.name}/blob-shrunk`,
        "the last blob has one byte less, the payload not",
        withFields(full().artifact.bytes, {
          "blob[0].payload_length":
            Number(getField(full().artifact.bytes, "blob[0].payload_length")) - 1,
          "blob[0].logical_length":
            Number(getField(full().artifact.bytes, "blob[0].logical_length")) - 1,
        }),
        [24, "PayloadTrailing", "payload"],
      ),
      grown([0], spaced(), "trailing-zero", "a zero after the last object"),
      grown([1], spaced(), "trailing-one", "a byte after the last object"),
      grown(new Array(64).fill(0), full(), "trailing-64", "64 zeros after the last object"),
    ];
  },
};

const padding: Recipe = {
  name: "corrupt/layout/padding",
  reason: "the first and the last byte of each stretch that belongs to no object",
  spec: "slm2.md 7.6 and 8, stage 24",
  cites: ["slm2-7.6 Payload bytes that belong to no object"],
  cases: () =>
    [spaced(), richRetrieval(), richProvenance()].flatMap((parent) => {
      const file = parent.artifact.bytes;
      const { tensor, blob } = open(file);
      const start = Number(getField(file, "header.payload_offset"));
      let end = start;
      return [
        ...tensor.map((one) => [one, TENSOR] as const),
        ...blob.map((one) => [one, BLOB] as const),
      ]
        .flatMap(([record, fields], i): Case[] => {
          const at = start + fieldOf(record, fields as typeof BLOB, "payload_relative_offset");
          const gap = [...new Set([end, at - 1])].filter((byte) => byte >= end && byte < at);
          end = at + fieldOf(record, fields as typeof BLOB, "payload_length");
          return gap.map((byte, j) =>
            corrupt(
              parent,
              `${padding.name}/${parent.id.split("/").at(-1)}-${i}-${j === 0 ? "first" : "last"}`,
              `byte ${byte}, before object ${i}, is not zero`,
              flipped(file, byte, j === 0 ? 1 : 0x80),
              [24, "NonZeroPadding", "payload"],
            )
          );
        });
    }),
};

/** A copy whose string table has other strings; every record keeps the strings that it names. */
export function restrung(file: Uint8Array, change: (strings: string[]) => string[]): Uint8Array {
  return remade(file, (parts) => {
    const before = stringsOf(parts.strings), after = change(before);
    const renamed = <T extends FieldTable>(record: Uint8Array, fields: T, name: keyof T) =>
      patch(record, fields, name, after.indexOf(before[fieldOf(record, fields, name)]));
    for (const record of parts.quant) renamed(record, QUANT, "canonical_name_string_id");
    for (const record of parts.tensor) {
      renamed(record, TENSOR, "semantic_role_string_id");
      renamed(record, TENSOR, "canonical_name_string_id");
    }
    for (const record of parts.blob) {
      renamed(record, BLOB, "canonical_name_string_id");
      renamed(record, BLOB, "media_type_string_id");
    }
    parts.strings = encodeStrings(after.map(utf8));
  });
}

const unreferenced: Recipe = {
  name: "corrupt/layout/unreferenced",
  reason: "no string and no profile stands for nothing",
  spec: "slm2.md 6 and 8, stage 24",
  cites: ["slm2-6 Every string in the table"],
  cases() {
    const parent = single();
    const string = (subject: ValidCase, local: string, why: string, text: string) =>
      corrupt(
        subject,
        `${unreferenced.name}/${local}`,
        why,
        restrung(subject.artifact.bytes, (strings) => [...strings, text].sort()),
        [24, "UnreferencedString", "strings"],
      );
    const profile = (local: string, why: string, names: readonly string[], rejection: Rejection) =>
      corrupt(
        parent,
        `${unreferenced.name}/${local}`,
        why,
        assemble({ ...parent.description, profiles: names.map((name) => REGISTERED.get(name)!) })
          .bytes,
        rejection,
      );
    return [
      string(spaced(), "string-first", "a string that sorts before all others", "0"),
      string(spaced(), "string-middle", "a string between others", "bb"),
      string(spaced(), "string-last", "a string that sorts after all others", "zz"),
      string(full(), "string-of-index", "a string among those of every table", "unused"),
      string(richProvenance(), "string-of-blobs", "a string among those of blobs", "unused"),
      ...[...REGISTERED.keys()].filter((name) => name !== "q8-0.b32.pad").map((name) =>
        profile(`profile-${name}`, `${name} is there, and no tensor has it`, [name], [
          24,
          "UnreferencedProfile",
          "quant",
        ])
      ),
      profile("profiles", "two of them", ["q4-0.b32.pad", "nf4.b64.row"], [
        24,
        "UnreferencedProfile",
        "quant",
      ]),
    ];
  },
};

export const layout: readonly Recipe[] = [valids, place, bounds, padding, unreferenced];
