/** Auxiliary records and payload (slm2.md 7.5, 7.6 and 8, stages 23 to 26): a row a sentence. */
import { tensorPack } from "../../corpus/writer/build/model.ts";
import { getField, setField } from "../../corpus/writer/fields.ts";
import { dense, file, patched, type Row, sentences } from "./sentences.ts";

type Fields = Record<string, number | bigint | Uint8Array>;

const PACK = file(
  tensorPack([dense("a", "x", [2, 3]), dense("b", "y", [2, 3]), dense("c", "z", [])]),
);

const pack = (fields: Fields) => () => patched(PACK, fields);

const QUANT = file(
  tensorPack([{
    role: "w",
    name: "w",
    shape: [2, 64],
    type: "q8-0.b32.row",
    payload: new Uint8Array(136),
  }]),
);

const AUX_FILE = file({
  ...tensorPack([
    { role: "w", name: "w", shape: [3, 4], type: "q8-row.exact", payload: new Uint8Array(12) },
    { role: "v", name: "v", shape: [3, 4], type: "q8-row.exact", payload: new Uint8Array(12) },
    dense("s", "s", [3]),
    dense("t", "t", [4]),
    dense("u", "u", [3], "u32"),
    dense("x", "x", [3, 1]),
  ]),
  auxiliaries: [{ owner: "w", target: "s" }, { owner: "v", target: "s" }],
});

// tensors in order: s 0, t 1, u 2, v 3, w 4, x 5
const aux = (fields: Fields) => () => patched(AUX_FILE, fields);

const a = (
  sentence: string,
  fields: Fields,
  code: string,
): Row => [sentence, aux(fields), `23 ${code} [auxiliary]`];

sentences("slm2.md 8, stage 23", [
  ["one target of two owners", () => AUX_FILE, "accept"],
  a("index before kind", { "auxiliary[0].target": 6, "auxiliary[0].kind": 0 }, "AuxIndex"),
  a("owner out of range", { "auxiliary[1].owner": 6 }, "AuxIndex"),
  a("kind 6 before self", { "auxiliary[0].kind": 6, "auxiliary[0].target": 3 }, "AuxFieldInvalid"),
  a("an axis of the target", { "auxiliary[0].axis": 1 }, "AuxFieldInvalid"),
  a("axis -2", { "auxiliary[0].axis": -2 }, "AuxFieldInvalid"),
  a(
    "axis -1 passes the record, not the run",
    { "auxiliary[0].axis": -1, "auxiliary[1].axis": 1 },
    "AuxFieldInvalid",
  ),
  a("reserved before self", {
    "auxiliary[0].reserved": new Uint8Array([1]),
    "auxiliary[0].target": 3,
  }, "AuxFieldInvalid"),
  a("self before target", { "auxiliary[0].target": 3 }, "AuxSelfReference"),
  a("a target that owns, later in the table", { "auxiliary[0].target": 4 }, "AuxTarget"),
  a("target before order", { "auxiliary[1].target": 3, "auxiliary[1].owner": 2 }, "AuxTarget"),
  a("order of owners", { "auxiliary[0].owner": 4, "auxiliary[1].owner": 3 }, "DescriptorOrder"),
  a("a record twice", { "auxiliary[1].owner": 3 }, "DescriptorDuplicate"),
  a("a record of each tensor, then runs", {
    "tensor[0].auxiliary_first": 1,
    "auxiliary[1].kind": 6,
  }, "AuxFieldInvalid"),
  a("a tensor without any has both zero", { "tensor[0].auxiliary_first": 1 }, "AuxRun"),
  a("the run's first", { "tensor[4].auxiliary_first": 0 }, "AuxRun"),
  a("the run's count", { "tensor[3].auxiliary_count": 2 }, "AuxRun"),
  a("tensor by tensor: a mask before a later run", {
    "auxiliary[0].kind": 4,
    "tensor[4].auxiliary_first": 0,
  }, "AuxMask"),
  a("a dense owner", {
    "auxiliary[0].owner": 1,
    "auxiliary[0].target": 0,
    "tensor[1].auxiliary_count": 1,
  }, "AuxMask"),
  a(
    "group_size before the target",
    { "auxiliary[0].group_size": 0, "auxiliary[0].target": 1 },
    "AuxFieldInvalid",
  ),
  a("block_stride", { "auxiliary[0].block_stride": 1 }, "AuxFieldInvalid"),
  a("a target of another length", { "auxiliary[0].target": 1 }, "AuxTarget"),
  a("a target of another type", { "auxiliary[0].target": 2 }, "AuxTarget"),
  a("a target of rank 2", { "auxiliary[0].target": 5 }, "AuxTarget"),
  [
    "an absent table: run fields",
    () => patched(PACK, { "tensor[0].auxiliary_count": 1 }),
    "23 AuxRun [auxiliary]",
  ],
  [
    "an absent table: a mask",
    () =>
      file(
        tensorPack([{
          role: "w",
          name: "w",
          shape: [3, 4],
          type: "q8-row.exact",
          payload: new Uint8Array(12),
        }]),
      ),
    "23 AuxMask [auxiliary]",
  ],
  ["a scalar is one row", () =>
    file({
      ...tensorPack([{
        role: "w",
        name: "w",
        shape: [],
        type: "q8-row.exact",
        payload: new Uint8Array(1),
      }, dense("s", "s", [1])]),
      auxiliaries: [{ owner: "w", target: "s" }],
    }), "accept"],
  ["a scalar's scale is no scalar", () =>
    file({
      ...tensorPack([{
        role: "w",
        name: "w",
        shape: [],
        type: "q8-row.exact",
        payload: new Uint8Array(1),
      }, dense("s", "s", [])]),
      auxiliaries: [{ owner: "w", target: "s", axis: -1 }],
    }), "23 AuxFieldInvalid [auxiliary]"],
]);

const AT = Number(getField(PACK, "header.payload_offset"));

sentences("slm2.md 8, stages 24 to 26", [
  [
    "a place before bounds",
    pack({ "tensor[2].payload_relative_offset": 2 ** 40 }),
    "24 PayloadOutOfPlace [payload]",
  ],
  [
    "place is absolute: 65,536 of the file",
    pack({ "tensor[0].payload_alignment": 65536 }),
    "24 PayloadOutOfPlace [payload]",
  ],
  [
    "object by object",
    pack({ "tensor[1].payload_relative_offset": 1, "tensor[0].payload_relative_offset": 1 }),
    "24 PayloadOutOfPlace [payload]",
  ],
  ["trailing before padding", () => {
    const bytes = new Uint8Array(PACK.length + 1);
    bytes.set(PACK);
    bytes[AT + 24] = 1;
    return patched(bytes, {
      "header.file_size": bytes.length,
      "header.payload_length": bytes.length - AT,
    });
  }, "24 PayloadTrailing [payload]"],
  ["padding before strings", () => {
    const bytes = file(tensorPack([{ ...dense("a", "x", []) }, dense("b", "y", [])]));
    bytes[Number(getField(bytes, "header.payload_offset")) + 4] = 1;
    return patched(bytes, { "tensor[0].semantic_role_string_id": 1 });
  }, "24 NonZeroPadding [payload]"],
  [
    "a string that nothing refers to",
    pack({ "tensor[0].semantic_role_string_id": 1, "tensor[1].layer": 3 }),
    "24 UnreferencedString [strings]",
  ],
  ["strings before profiles", () => {
    const bytes = patched(QUANT, {
      "tensor[0].element_type": 5,
      "tensor[0].quant_profile_index": 0xffff,
    });
    for (
      const name of [
        "block_elements",
        "block_bytes",
        "scale_type",
        "packing_order",
        "accumulator_type",
        "tail_rule",
      ]
    ) setField(bytes, `tensor[0].${name}`, 0);
    setField(bytes, "tensor[0].shape_0", 1);
    setField(bytes, "tensor[0].shape_1", 136);
    setField(bytes, "tensor[0].logical_element_count", 136);
    return bytes;
  }, "24 UnreferencedProfile [quant]"],
  ["a changed byte", () => {
    const bytes = PACK.slice();
    bytes[AT] ^= 1;
    return bytes;
  }, "26 PayloadHashMismatch [payload]"],
]);
