/**
 * The identity matrix: for each kind of change to an artifact, which identities must differ
 * afterwards and which must not (slm2.md section 9). Every row is two valid cases; whoever reads
 * both can be held against it, by `identityFaults`, without a second reader.
 */
import { adapter } from "../writer/build/adapter.ts";
import { composition } from "../writer/build/composition.ts";
import { tensorPack } from "../writer/build/model.ts";
import type { Description, TensorDescription } from "../writer/description.ts";
import { utf8 } from "../writer/bytes.ts";
import { blocks, digestOf, floats } from "./bytes.ts";
import { lazy, type Recipe, valid, type ValidCase } from "./case.ts";
import { type Column, COLUMNS } from "./identity_columns.ts";
import { base, lora, lowRank, model, ref, second, tok } from "./library.ts";
import { richAnnouncement, richProvenance } from "./rich.ts";
import { GROUPED, llamaOf } from "./valid/models.ts";
import { dense, scaleOf } from "./valid/tensors.ts";
import { two } from "./corrupt/auxiliary.ts";

/** One kind of change: what differs afterwards; everything else must not. */
export interface Row {
  readonly name: string;
  readonly why: string;
  readonly differ: readonly Column[];
  readonly before: () => Description;
  readonly after: () => Description;
}

const MANIFEST: readonly Column[] = ["whole_file", "manifest", "semantic_manifest", "artifact_id"];
const TENSOR: readonly Column[] = ["whole_file", "tensor_layout", "artifact_id", "tensors"];
const BLOB: readonly Column[] = ["whole_file", "artifact_id", "blobs"];

const pack = (...tensors: TensorDescription[]) => tensorPack(tensors);
const f32 = (more: Partial<TensorDescription> = {}) =>
  dense("f32", [2, 3], { role: "ab", name: "c", payload: floats(6), ...more });
const quantized = (type: string) =>
  pack(dense(type, [2, 32], { payload: blocks("q8-0.b32.pad", [2, 32]) }));
const notices = (
  change: (blob: NonNullable<Description["blobs"]>[number]) => object,
): Description => {
  const { blobs = [], ...rest } = richProvenance().description;
  return { ...rest, blobs: blobs.map((blob, i) => i === 0 ? { ...blob, ...change(blob) } : blob) };
};
const bind = (more: object = {}, tokenizer = ref(tok())) =>
  composition({
    base: ref(base()),
    tokenizer,
    adapters: [ref(lowRank()), ref(second())],
    kv: { max_positions: 4 },
    ...more,
  });
const note = { id: "lab/note", version: 1, critical: false, payload: { a: 1 } };

export const ROWS: readonly Row[] = [
  {
    name: "nothing",
    why: "the same description in another order is the same file",
    differ: [],
    before: () => pack(f32(), dense("u8", [3], { role: "z", name: "z" })),
    after: () => pack(dense("u8", [3], { role: "z", name: "z" }), f32()),
  },
  {
    name: "noncritical-extension",
    why: "a noncritical extension is outside every identity but those of the file and the manifest",
    differ: ["whole_file", "manifest"],
    before: () => model().description,
    after: () => ({ ...model().description, extensions: [note] }),
  },
  {
    name: "extension-payload",
    why: "nor does what it says matter",
    differ: ["whole_file", "manifest"],
    before: () => ({ ...model().description, extensions: [note] }),
    after: () => ({ ...model().description, extensions: [{ ...note, payload: { a: 2 } }] }),
  },
  {
    name: "display-text",
    why: "a display name is part of an announcement's identity",
    differ: MANIFEST,
    before: () => richAnnouncement().description,
    after: () => ({
      ...richAnnouncement().description,
      body: { ...richAnnouncement().description.body, display_name: "Another name" },
    }),
  },
  {
    name: "requirements",
    why: "requirements are semantic",
    differ: MANIFEST,
    before: () => model().description,
    after: () => ({ ...model().description, requirements: { memory_bytes: 1 } }),
  },
  {
    name: "padding",
    why: "alignment moves bytes, and no identity but the file's",
    differ: ["whole_file"],
    before: () => pack(f32()),
    after: () => pack(f32({ alignment: 4096 })),
  },
  {
    name: "payload-byte",
    why: "one byte of a payload",
    differ: ["whole_file", "artifact_id", "tensors"],
    before: () => pack(f32()),
    after: () => pack(f32({ payload: floats(6).with(0, 1) })),
  },
  {
    name: "shape",
    why: "the same bytes in another shape",
    differ: TENSOR,
    before: () => pack(f32()),
    after: () => pack(f32({ shape: [3, 2] })),
  },
  {
    name: "rank",
    why: "the same bytes under a dimension of one",
    differ: TENSOR,
    before: () => pack(f32()),
    after: () => pack(f32({ shape: [1, 2, 3] })),
  },
  {
    name: "element-type",
    why: "the same bytes as another type",
    differ: TENSOR,
    before: () => pack(f32()),
    after: () => pack(f32({ type: "u32" })),
  },
  {
    name: "profile",
    why: "the same blocks under another tail rule",
    differ: [...TENSOR, "profiles"],
    before: () => quantized("q8-0.b32.pad"),
    after: () => quantized("q8-0.b32.row"),
  },
  {
    name: "layer",
    why: "a layer is in the layout, not in the payload's hash",
    differ: ["whole_file", "tensor_layout", "artifact_id"],
    before: () => pack(f32({ layer: 1 })),
    after: () => pack(f32({ layer: 2 })),
  },
  {
    name: "subindex",
    why: "a subindex too",
    differ: ["whole_file", "tensor_layout", "artifact_id"],
    before: () => pack(f32({ subindex_0: 1 })),
    after: () => pack(f32({ subindex_1: 1 })),
  },
  {
    name: "role-name-shift",
    why: "a byte that moves from the role to the name",
    differ: TENSOR,
    before: () => pack(f32()),
    after: () => pack(f32({ role: "a", name: "bc" })),
  },
  {
    name: "name",
    why: "another name",
    differ: TENSOR,
    before: () => pack(f32()),
    after: () => pack(f32({ name: "d" })),
  },
  {
    name: "auxiliary-target",
    why: "another scale for the same tensor is in the layout alone",
    differ: ["whole_file", "tensor_layout", "artifact_id"],
    before: () => two().description,
    after: () => ({
      ...two().description,
      auxiliaries: [{ owner: "x", target: "y.scale" }, { owner: "y", target: "x.scale" }],
    }),
  },
  {
    name: "tensor-more",
    why: "a tensor more",
    differ: TENSOR,
    before: () => pack(f32()),
    after: () => pack(f32(), scaleOf("x", [2, 3])),
  },
  {
    name: "class",
    why: "a base is no standalone model: payload hashes hold the class",
    differ: [...MANIFEST, "tensors"],
    before: () => llamaOf(GROUPED, "f32", 1),
    after: () => llamaOf(GROUPED, "f32", 2),
  },
  {
    name: "architecture-parameter",
    why: "a parameter that no tensor shows",
    differ: [...MANIFEST, "tensor_layout"],
    before: () => llamaOf(GROUPED, "f32"),
    after: () => llamaOf({ ...GROUPED, max_seq: 17 }, "f32"),
  },
  {
    name: "blob-byte",
    why: "one byte of a blob",
    differ: BLOB,
    before: () => notices(() => ({})),
    after: () => notices(() => ({ payload: utf8("B notice.") })),
  },
  {
    name: "blob-name",
    why: "another name of a blob",
    differ: BLOB,
    before: () => notices(() => ({})),
    after: () => notices(() => ({ name: "note" })),
  },
  {
    name: "media-type",
    why: "another media type",
    differ: BLOB,
    before: () => notices(() => ({})),
    after: () => notices(() => ({ media_type: "text/markdown" })),
  },
  {
    name: "blob-padding",
    why: "alignment of a blob",
    differ: ["whole_file"],
    before: () => notices(() => ({})),
    after: () => notices(() => ({ alignment: 1024 })),
  },
  {
    name: "dependency-file",
    why: "an adapter that is bound to any file of its base, and to one",
    differ: MANIFEST,
    before: () => adapter(base().identities, [lora(0)]),
    after: () => {
      const one = adapter(base().identities, [lora(0)]);
      return {
        ...one,
        body: { ...one.body, base: { ...one.body.base, whole_file: null } },
        dependencies: one.dependencies!.map((entry) => ({ ...entry, whole_file: null })),
      };
    },
  },
  {
    name: "adapter-order",
    why: "adapters in another order are another composition",
    differ: MANIFEST,
    before: () => bind(),
    after: () => bind({ adapters: [ref(second()), ref(lowRank())] }),
  },
  {
    name: "composition-extension",
    why: "a composition's id leaves extensions out, as every id does",
    differ: ["whole_file", "manifest"],
    before: () => bind(),
    after: () => ({ ...bind(), extensions: [note] }),
  },
  {
    name: "composition-tokenizer-file",
    why: "a composition's id binds its tokenizer's id, not its file",
    differ: ["whole_file", "manifest", "semantic_manifest"],
    before: () => bind(),
    after: () => bind({}, { ...ref(tok()), whole_file: digestOf(50).toHex() }),
  },
  {
    name: "composition-base-file",
    why: "and its base's file",
    differ: MANIFEST,
    before: () => bind(),
    after: () => bind({ base: { ...ref(base()), whole_file: digestOf(51).toHex() } }),
  },
  {
    name: "generation",
    why: "sampling is part of a composition",
    differ: MANIFEST,
    before: () => bind(),
    after: () => bind({ generation: { top_k: 1 } }),
  },
  {
    name: "kv-policy",
    why: "its KV policy too",
    differ: MANIFEST,
    before: () => bind(),
    after: () => bind({ kv: { max_positions: 5 } }),
  },
  {
    name: "composition-requirements",
    why: "and its requirements",
    differ: MANIFEST,
    before: () => bind(),
    after: () => bind({ requirements: { memory_bytes: 1 } }),
  },
];

/** The two cases of each row. */
export const pairsOf = lazy(() =>
  ROWS.map((row): readonly [Row, ValidCase, ValidCase] => [
    row,
    valid(`identity/${row.name}/before`, `before: ${row.why}`, row.before()),
    valid(`identity/${row.name}/after`, `after: ${row.why}`, row.after()),
  ])
);

export const identity: Recipe = {
  name: "identity",
  reason: "pairs of files that differ in one thing, and what that changes of their identities",
  spec: "slm2.md 9",
  cites: ["slm2-9 *", "classes-6 `composition_id"],
  cases: () => pairsOf().flatMap(([, before, after]) => [before, after]),
};

/** The matrix as data, for readers in any language. */
export const matrix = () => ({
  format: "slm2-identity-matrix/1",
  columns: COLUMNS,
  rows: ROWS.map(({ name, why, differ }) => ({
    name,
    why,
    differ: COLUMNS.filter((column) => differ.includes(column)),
    before: `identity/${name}/before`,
    after: `identity/${name}/after`,
  })),
});
