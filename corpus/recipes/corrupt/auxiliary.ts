/** Stage 23: auxiliary records and the runs of their owners. */
import { concat } from "../../writer/bytes.ts";
import { tensorPack } from "../../writer/build/model.ts";
import { AUXILIARY, type FieldValue, record, RECORDS } from "../../writer/fields.ts";
import type { Code } from "../../../readers/contract.ts";
import { blocks, floats } from "../bytes.ts";
import { type Case, corrupt, lazy, type Recipe, valid } from "../case.ts";
import { remade, withFields } from "../parts.ts";
import { assemble } from "../../writer/write.ts";
import { dense, scaleOf } from "../valid/tensors.ts";

const ROWS = "q8-row.exact";

/**
 * Tensors in order: 0 a plain f32 [2]; 1 scale of x; 2 scale of y; 3 plain f32 [2]; 4 x and 5 y,
 * quantized by rows; records 0: x by its scale, 1: y by its own.
 */
export const two = lazy(() =>
  valid("valid/auxiliary/two", "two owners with a scale each, and plain tensors beside them", {
    ...tensorPack([
      dense("f32", [2], { role: "a", name: "plain", payload: floats(2) }),
      scaleOf("x", [2, 3]),
      scaleOf("y", [2, 4]),
      dense("f32", [2], { role: "v", name: "other", payload: floats(2) }),
      dense(ROWS, [2, 3], { role: "w", name: "x", payload: blocks(ROWS, [2, 3]) }),
      dense(ROWS, [2, 4], { role: "w", name: "y", payload: blocks(ROWS, [2, 4]) }),
    ]),
    auxiliaries: [{ owner: "x", target: "x.scale" }, { owner: "y", target: "y.scale" }],
  })
);

const valids: Recipe = {
  name: "valid/auxiliary",
  reason: "relations that corrupt ones are made from",
  spec: "slm2.md 7.5",
  cites: ["slm2-7.5 For kind 1 under contract 5", "slm2-7.5 the runs follow one another"],
  cases: () => [two()],
};

type Fields = { readonly [path: string]: FieldValue };

function one(recipe: Recipe, local: string, fields: Fields, code: Code, why: string): Case {
  const contract = /-(axis-none|group-\d+|stride-\d+)$/.test(local);
  const cites = code === "AuxFieldInvalid"
    ? [contract ? CONTRACT : FIELD]
    : code === "AuxTarget"
    ? [DENSE]
    : [];
  return corrupt(
    two(),
    `${recipe.name}/${local}`,
    why,
    withFields(two().artifact.bytes, fields),
    [23, code, "auxiliary"],
    { cites },
  );
}

const FIELD = "slm2-8.23 kind, flags, axis", CONTRACT = "slm2-8.23 for kind 1 under contract 5";
const DENSE = "slm2-8.23 target not dense", SHAPE = "slm2-8.23 the target's shape";

const field: Recipe = {
  name: "corrupt/auxiliary/field",
  reason: "each field of a record, in the first and the last",
  spec: "slm2.md 7.5 and 8, stage 23",
  cites: ["slm2-7.5 `u32 owner`", "slm2-7.5 Both indexes address", "slm2-7.5 Kinds: 1 scale"],
  cases: () =>
    [0, 1].flatMap((i) => {
      const at = (local: string, name: string, value: FieldValue, code: Code, why: string) =>
        one(field, `${i}-${local}`, { [`auxiliary[${i}].${name}`]: value }, code, why);
      return [
        ...[6, 7, 0x80000000, 0xffffffff].flatMap((n) => [
          at(`owner-${n}`, "owner", n, "AuxIndex", `owner ${n} of 6 tensors`),
          at(`target-${n}`, "target", n, "AuxIndex", `target ${n} of 6 tensors`),
        ]),
        ...[0, 6, 256, 0xffff].map((n) =>
          at(`kind-${n}`, "kind", n, "AuxFieldInvalid", `kind ${n}`)
        ),
        ...[1, 0x8000].map((n) => at(`flags-${n}`, "flags", n, "AuxFieldInvalid", `flags ${n}`)),
        ...[-2, -0x80000000, 1, 0x7fffffff].map((n) =>
          at(
            `axis-${n < 0 ? `minus-${-n}` : n}`,
            "axis",
            n,
            "AuxFieldInvalid",
            `axis ${n} of a target of rank 1`,
          )
        ),
        ...[0, 7].map((byte) =>
          at(
            `reserved-byte-${byte}`,
            "reserved",
            new Uint8Array(8).with(byte, 1),
            "AuxFieldInvalid",
            `byte ${byte} of reserved`,
          )
        ),
        at(
          "axis-none",
          "axis",
          -1,
          "AuxFieldInvalid",
          "axis -1 is an axis of records, but not of contract 5",
        ),
        ...[0, 2, 0xffffffff].map((n) =>
          at(`group-${n}`, "group_size", n, "AuxFieldInvalid", `group_size ${n} under contract 5`)
        ),
        ...[1, 0xffffffff].map((n) =>
          at(
            `stride-${n}`,
            "block_stride",
            n,
            "AuxFieldInvalid",
            `block_stride ${n} under contract 5`,
          )
        ),
      ];
    }),
};

const relation: Recipe = {
  name: "corrupt/auxiliary/relation",
  reason: "owners and targets: no tensor is its own, no target owns, every run is its owner's",
  spec: "slm2.md 7.5 and 8, stage 23",
  cites: [
    "slm2-7.5 Strictly increasing by (owner",
    "slm2-7.5 The records of owner",
    "slm2-7.5 the runs follow",
    "slm2-7.5 a tensor without any",
    "slm2-7.5 A target is a dense tensor",
    "slm2-7.3 auxiliary_first",
  ],
  cases: () => [
    one(
      relation,
      "self",
      { "auxiliary[0].target": 4 },
      "AuxSelfReference",
      "a tensor is its own scale",
    ),
    one(
      relation,
      "cycle",
      { "auxiliary[0].target": 5, "auxiliary[1].target": 4 },
      "AuxTarget",
      "two tensors are each other's scale",
    ),
    one(
      relation,
      "target-quantized",
      { "auxiliary[0].target": 5 },
      "AuxTarget",
      "the target is quantized",
    ),
    one(
      relation,
      "target-owner",
      { "auxiliary[0].owner": 1, "auxiliary[0].target": 0, "auxiliary[1].target": 1 },
      "AuxTarget",
      "the second record's target is the owner of the first, dense as it is",
    ),
    one(
      relation,
      "target-later-owner",
      { "auxiliary[0].target": 3, "auxiliary[1].owner": 3 },
      "AuxTarget",
      "the first record's target owns the second",
    ),
    one(
      relation,
      "duplicate",
      { "auxiliary[1].owner": 4, "auxiliary[1].target": 1 },
      "DescriptorDuplicate",
      "one record twice",
    ),
    one(
      relation,
      "order-owner",
      { "auxiliary[0].owner": 5, "auxiliary[1].owner": 4 },
      "DescriptorOrder",
      "owner 5 before owner 4",
    ),
    one(
      relation,
      "order-kind",
      { "auxiliary[0].kind": 2, "auxiliary[1].owner": 4, "auxiliary[1].kind": 1 },
      "DescriptorOrder",
      "kind 2 before kind 1 of one owner",
    ),
    one(
      relation,
      "order-target",
      { "auxiliary[0].target": 2, "auxiliary[1].owner": 4, "auxiliary[1].target": 1 },
      "DescriptorOrder",
      "target 2 before target 1 of one owner",
    ),
    one(
      relation,
      "order-axis",
      {
        "auxiliary[0].axis": 0,
        "auxiliary[1].owner": 4,
        "auxiliary[1].target": 1,
        "auxiliary[1].axis": -1,
      },
      "DescriptorOrder",
      "axis 0 before axis -1: as unsigned numbers they would rise",
    ),
    one(
      relation,
      "run-first",
      { "tensor[5].auxiliary_first": 0 },
      "AuxRun",
      "the second owner's run begins at the first's",
    ),
    one(
      relation,
      "run-first-past",
      { "tensor[5].auxiliary_first": 2 },
      "AuxRun",
      "the second owner's run begins after the table",
    ),
    one(
      relation,
      "run-count-2",
      { "tensor[4].auxiliary_count": 2 },
      "AuxRun",
      "the first owner's run reaches into the second's",
    ),
    one(
      relation,
      "run-count-0",
      { "tensor[4].auxiliary_count": 0 },
      "AuxRun",
      "the first owner says it owns none",
    ),
    one(
      relation,
      "run-count-max",
      { "tensor[5].auxiliary_count": 0xffffffff },
      "AuxRun",
      "first plus count wraps to 0",
    ),
    one(
      relation,
      "run-swapped",
      { "tensor[4].auxiliary_first": 1, "tensor[5].auxiliary_first": 0 },
      "AuxRun",
      "the owners say each other's run",
    ),
    one(
      relation,
      "dense-first",
      { "tensor[0].auxiliary_first": 1 },
      "AuxRun",
      "a tensor that owns none says where",
    ),
    one(
      relation,
      "dense-count",
      { "tensor[0].auxiliary_count": 1 },
      "AuxRun",
      "a tensor that owns none says one",
    ),
    one(
      relation,
      "dense-both",
      { "tensor[3].auxiliary_first": 1, "tensor[3].auxiliary_count": 1 },
      "AuxRun",
      "a tensor says a run of another",
    ),
    one(
      relation,
      "mask-other-kind",
      { "auxiliary[0].kind": 3 },
      "AuxMask",
      "a codebook where the profile asks for a scale",
    ),
    ...[2, 3, 4, 5].map((kind) =>
      one(
        relation,
        `mask-last-kind-${kind}`,
        { "auxiliary[1].kind": kind },
        "AuxMask",
        `kind ${kind} where the profile asks for a scale`,
      )
    ),
  ],
};

/** The tables of `two` with other records, each as [owner, target, kind], runs repaired. */
const withRecords = (list: readonly (readonly [owner: number, target: number, kind?: number])[]) =>
  remade(two().artifact.bytes, (parts) => {
    parts.auxiliary = list.map(([owner, target, kind = 1]) =>
      record(AUXILIARY, RECORDS.auxiliary.size, { owner, kind, target, group_size: 1 })
    );
    for (const [i, tensor] of parts.tensor.entries()) {
      const count = list.filter(([owner]) => owner === i).length;
      const first = count === 0 ? 0 : list.findIndex(([owner]) => owner === i);
      tensor.set(concat(new Uint8Array([first, 0, 0, 0]), new Uint8Array([count, 0, 0, 0])), 152);
    }
  });

const masks: Recipe = {
  name: "corrupt/auxiliary/mask",
  reason: "a tensor owns exactly what its profile asks for, one record of a kind",
  spec: "slm2.md 7.2, 7.5 and 8, stage 23",
  cites: [
    "slm2-7.2 `auxiliary_mask`: bit",
    "slm2-8 The stage of an absent table passes",
    "slm2-8 Section in brackets",
  ],
  cases: () =>
    ([
      ["missing-first", [[5, 2]], "the first owner has none"],
      ["missing-last", [[4, 1]], "the last owner has none"],
      ["missing-all", [], "no table at all, and two tensors that need one"],
      ["twice", [[4, 0], [4, 1], [5, 2]], "two scales of one owner"],
      ["more-kinds", [[4, 1], [4, 1, 2], [5, 2]], "a zero point that the profile does not ask for"],
      [
        "importance",
        [[4, 1], [5, 2], [5, 2, 4]],
        "an importance table that the profile does not ask for",
      ],
      ["dense-owner", [[0, 3], [4, 1], [5, 2]], "a dense tensor owns a scale"],
    ] as const).map(([local, list, why]) =>
      corrupt(two(), `${masks.name}/${local}`, why, withRecords(list), [23, "AuxMask", "auxiliary"])
    ),
};

const targets: Recipe = {
  name: "corrupt/auxiliary/target",
  reason: "contract 5's scale is f32 of shape [rows]",
  spec: "slm2.md 7.5 and 8, stage 23",
  cites: [SHAPE, "slm2-7.5 For kind 1 under contract 5"],
  cases() {
    const make = (local: string, why: string, type: string, shape: readonly number[]) => {
      const { tensors = [], ...rest } = two().description;
      const changed = tensors.map((tensor) =>
        tensor.name === "x.scale" ? dense(type, shape, { role: "scale", name: "x.scale" }) : tensor
      );
      return corrupt(
        two(),
        `${targets.name}/${local}`,
        why,
        assemble({ ...rest, tensors: changed }).bytes,
        [23, "AuxTarget", "auxiliary"],
      );
    };
    return [
      make("one-row", "one scale for two rows", "f32", [1]),
      make("three-rows", "three scales for two rows", "f32", [3]),
      make("columns", "a scale a column", "f32", [3, 1]),
      make("matrix", "[2, 1] for [2]", "f32", [2, 1]),
      make("row-vector", "[1, 2] for [2]", "f32", [1, 2]),
      make("f16", "f16 for f32", "f16", [2]),
      make("f64", "f64 for f32", "f64", [2]),
      make("i32", "i32 for f32", "i32", [2]),
      make("u32", "u32 for f32", "u32", [2]),
    ];
  },
};

export const auxiliary: readonly Recipe[] = [valids, field, relation, masks, targets];
