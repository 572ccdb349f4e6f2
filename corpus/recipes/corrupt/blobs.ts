/** Stage 22: blob records. */
import type { BLOB, FieldValue } from "../../writer/fields.ts";
import type { Code } from "../../../readers/contract.ts";
import { type Case, corrupt, type Recipe, type ValidCase } from "../case.ts";
import { full, SMALLEST } from "../library.ts";
import { open, rebuilt, stringsOf, withFields } from "../parts.ts";
import { richPieces, richProvenance, richTemplate, richTokenizer } from "../rich.ts";
import { ALL_ONES } from "./header.ts";
import { NO_ALIGNMENTS } from "./tensors.ts";

type Fields = { readonly [name in keyof typeof BLOB]?: FieldValue };

const MAX = Number.MAX_SAFE_INTEGER;

function one(
  recipe: Recipe,
  parent: ValidCase,
  index: number,
  local: string,
  fields: Fields,
  code: Code,
  why: string,
): Case {
  const paths = Object.entries(fields).map(([name, value]) => [`blob[${index}].${name}`, value!]);
  return corrupt(
    parent,
    `${recipe.name}/${local}`,
    why,
    withFields(parent.artifact.bytes, Object.fromEntries(paths)),
    [22, code, "blobs"],
  );
}

const record: Recipe = {
  name: "corrupt/blobs/record",
  reason:
    "fields of a blob record that have one legal value or a bound, in the first record and the last",
  spec: "slm2.md 7.4 and 8, stage 22",
  cites: [
    "slm2-7.4 record_version = 1",
    "slm2-7.4 | flags = 0",
    "slm2-7.4 codec = 0",
    "slm2-7.4 reserved_0 = 0",
    "slm2-7.4 canonical_name_string_id",
    "slm2-7.4 media_type_string_id",
    "slm2-7.4 payload_relative_offset",
    "slm2-7.4 payload_length (>= 1)",
    "slm2-7.4 logical_length",
  ],
  cases() {
    const parent = richTokenizer();
    const { strings, payloads } = open(parent.artifact.bytes);
    const count = stringsOf(strings).length;
    const last = payloads.length - 1;
    return [0, last].flatMap((i) => {
      const { length } = payloads[i];
      const at = (local: string, fields: Fields, code: Code, why: string) =>
        one(record, parent, i, `${i}-${local}`, fields, code, why);
      return [
        ...[0, 2, 0x0100, 0xffff].map((n) =>
          at(`version-${n}`, { record_version: n }, "BadRecordVersion", `record_version ${n}`)
        ),
        ...[1, 0x80000000].map((n) => at(`flags-${n}`, { flags: n }, "NonZeroFlags", `flags ${n}`)),
        ...[1, 0x8000].map((n) =>
          at(`reserved-0-${n}`, { reserved_0: n }, "NonZeroReserved", `reserved_0 ${n}`)
        ),
        ...[0, 7].map((byte) =>
          at(
            `reserved-1-byte-${byte}`,
            { reserved_1: new Uint8Array(8).with(byte, 1) },
            "NonZeroReserved",
            `byte ${byte} of reserved_1`,
          )
        ),
        ...[1, 0x80000000].map((n) =>
          at(
            `auxiliary-first-${n}`,
            { auxiliary_first: n },
            "NonZeroReserved",
            `auxiliary_first ${n}`,
          )
        ),
        ...[1, 0x80000000].map((n) =>
          at(
            `auxiliary-count-${n}`,
            { auxiliary_count: n },
            "NonZeroReserved",
            `auxiliary_count ${n}`,
          )
        ),
        ...[count, 0x80000000, 0xffffffff].flatMap((n) => [
          at(
            `name-${n}`,
            { canonical_name_string_id: n },
            "BadStringId",
            `name is string ${n} of ${count}`,
          ),
          at(
            `media-${n}`,
            { media_type_string_id: n },
            "BadStringId",
            `media type is string ${n} of ${count}`,
          ),
        ]),
        ...[1, 2, 0xffff].map((n) =>
          at(`codec-${n}`, { codec: n }, "UnsupportedCodec", `codec ${n}`)
        ),
        at("length-0", { payload_length: 0, logical_length: 0 }, "BlobLength", "an empty blob"),
        ...([["64-mib-plus-1", (64 << 20) + 1], ["max", MAX], ["2-53", 2n ** 53n], [
          "all-ones",
          ALL_ONES,
        ]] as const).map(([name, n]) =>
          at(
            `length-${name}`,
            { payload_length: n, logical_length: n },
            "BlobLength",
            `${n} bytes, over what a blob of that kind may have`,
          )
        ),
        ...([["zero", 0], ["minus-one", length - 1], ["plus-one", length + 1], [
          "plus-2-32",
          length + 2 ** 32,
        ], ["all-ones", ALL_ONES]] as const).map(([name, n]) =>
          at(
            `logical-${name}`,
            { logical_length: n },
            "LogicalLengthMismatch",
            `logical_length ${n} for ${length}`,
          )
        ),
        ...NO_ALIGNMENTS.map((n) =>
          at(`alignment-${n}`, { alignment: n }, "BadAlignment", `alignment ${n}`)
        ),
        at(
          "hash-zero",
          { content_hash: new Uint8Array(32) },
          "ZeroHash",
          "a content_hash of zeros",
        ),
      ];
    });
  },
};

const free: Recipe = {
  name: "corrupt/blobs/length",
  reason: "kinds whose content is streamed have no limit of 64 MiB, but that of every length",
  spec: "slm2.md 4, 7.4 and 8, stage 22",
  cites: ["slm2-4 (Two rows differ", "slm2-4 tokenizer, template and piece-set blobs"],
  cases: () => [
    ...([["2-53", 2n ** 53n], ["all-ones", ALL_ONES]] as const).map(([name, n]) =>
      one(
        free,
        richProvenance(),
        0,
        name,
        { payload_length: n, logical_length: n },
        "BlobLength",
        `${n} bytes`,
      )
    ),
    ...([["64-mib-plus-1", (64 << 20) + 1], ["max", MAX]] as const).map(([name, n]) =>
      corrupt(
        richProvenance(),
        `${free.name}/notice-${name}`,
        `a notice of ${n} bytes: allowed by the record, and past the payload`,
        withFields(richProvenance().artifact.bytes, {
          "blob[0].payload_length": n,
          "blob[0].logical_length": n,
        }),
        [24, "PayloadOutOfBounds", "payload"],
      )
    ),
    corrupt(
      richTokenizer(),
      `${free.name}/vocabulary-64-mib`,
      "a vocabulary of just 64 MiB: allowed by the record, and past the payload",
      withFields(richTokenizer().artifact.bytes, {
        "blob[0].payload_length": 64 << 20,
        "blob[0].logical_length": 64 << 20,
      }),
      [24, "PayloadOutOfBounds", "payload"],
    ),
  ],
};

/** Kinds by the class that may hold them (classes.md 4 and 10). */
const KINDS: readonly (readonly [kind: number, artifact_class: number])[] = [
  [1, 4],
  [2, 4],
  [3, 4],
  [4, 4],
  [5, 4],
  [6, 4],
  [16, 5],
  [32, 9],
  [48, 11],
  [64, 8],
  [80, 12],
];

const kinds: Recipe = {
  name: "corrupt/blobs/kind",
  reason: "kinds that there are none of, and kinds of other classes",
  spec: "slm2.md 7.4, classes.md 10",
  cites: [
    "slm2-7.4 | blob_kind |",
    "slm2-7.4 Kinds and the classes",
    "classes-10 48 | notice.text",
    "classes-10 80 |",
  ],
  cases: () =>
    [richTokenizer(), richProvenance(), full(), SMALLEST[8]()].flatMap((parent) => {
      const own = parent.identities.class;
      const unknown = [0, 7, 15, 17, 31, 33, 47, 49, 63, 65, 79, 81, 96, 256, 0xffff];
      const foreign = KINDS.filter(([, artifact_class]) => artifact_class !== own).map(([kind]) =>
        kind
      );
      return [...unknown, ...foreign].map((kind) =>
        one(
          kinds,
          parent,
          0,
          `class-${own}-kind-${kind}`,
          { blob_kind: kind },
          "BlobKindNotPermitted",
          `kind ${kind} in class ${own}`,
        )
      );
    }),
};

const order: Recipe = {
  name: "corrupt/blobs/order",
  reason:
    "records strictly increase by kind and name, and no name stands twice, among tensors neither",
  spec: "slm2.md 7.4 and 8, stage 22",
  cites: ["slm2-7.4 Strictly increasing", "slm2-7.4 No name is used twice"],
  cases() {
    const notices = richProvenance(), tokenizer = richTokenizer(), index = full();
    const names = stringsOf(open(notices.artifact.bytes).strings);
    const indexed = stringsOf(open(index.artifact.bytes).strings);
    return [
      corrupt(
        notices,
        `${order.name}/name`,
        "two notices in the wrong order of their names",
        rebuilt(notices.artifact.bytes, ({ blob }) => void blob.reverse()),
        [22, "DescriptorOrder", "blobs"],
      ),
      corrupt(
        tokenizer,
        `${order.name}/kind`,
        "kind 2 before kind 1",
        rebuilt(
          tokenizer.artifact.bytes,
          ({ blob }) => void ([blob[0], blob[1]] = [blob[1], blob[0]]),
        ),
        [22, "DescriptorOrder", "blobs"],
      ),
      corrupt(
        tokenizer,
        `${order.name}/last-two`,
        "kind 6 before kind 5",
        rebuilt(
          tokenizer.artifact.bytes,
          ({ blob }) => void ([blob[4], blob[5]] = [blob[5], blob[4]]),
        ),
        [22, "DescriptorOrder", "blobs"],
      ),
      one(
        order,
        notices,
        1,
        "duplicate",
        { canonical_name_string_id: names.indexOf("notice") },
        "DescriptorDuplicate",
        "one kind and name twice",
      ),
      one(
        order,
        tokenizer,
        5,
        "name-of-another-kind",
        {
          canonical_name_string_id: stringsOf(open(tokenizer.artifact.bytes).strings).indexOf(
            "vocabulary",
          ),
        },
        "DuplicateName",
        "the last blob has the name of the first, under another kind",
      ),
      one(
        order,
        index,
        0,
        "name-of-tensor",
        { canonical_name_string_id: indexed.indexOf("vectors") },
        "DuplicateName",
        "the blob has the name of a tensor",
      ),
      one(
        order,
        index,
        0,
        "name-of-second-tensor",
        { canonical_name_string_id: indexed.indexOf("vectors.scale") },
        "DuplicateName",
        "the blob has the name of the other tensor",
      ),
    ];
  },
};

const most: Recipe = {
  name: "corrupt/blobs/most",
  reason: "every kind whose content is judged has at most 64 MiB",
  spec: "slm2.md 4 and 7.4, classes.md 7",
  cites: ["slm2-4 tokenizer, template and piece-set blobs", "classes-7 at most 64 MiB"],
  cases: () =>
    [
      ...richTokenizer().description.blobs!.map((_, i) => [richTokenizer(), i] as const),
      [richTemplate(), 0] as const,
      [richPieces(), 0] as const,
    ].map(([parent, i]) =>
      one(
        most,
        parent,
        i,
        `class-${parent.identities.class}-${i}`,
        { payload_length: (64 << 20) + 1, logical_length: (64 << 20) + 1 },
        "BlobLength",
        "one byte over 64 MiB",
      )
    ),
};

export const blobs: readonly Recipe[] = [record, free, most, kinds, order];
