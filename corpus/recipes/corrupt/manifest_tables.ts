/** Stage 18 after the schema: tables against the class matrix (slm2.md section 3). */
import { utf8 } from "../../writer/bytes.ts";
import type { Description } from "../../writer/description.ts";
import { REGISTERED } from "../../writer/profiles.ts";
import { assemble } from "../../writer/write.ts";
import { type Case, corrupt, type Recipe, type Rejection } from "../case.ts";
import { SMALLEST } from "../library.ts";
import { dense } from "../valid/tensors.ts";

/** Section 3's columns: 1 required, 0 optional, -1 no; tensors, quant, blobs, auxiliary. */
// deno-fmt-ignore
const MATRIX: readonly (readonly number[])[] = [
  [1, 0, -1, 0], [1, 0, -1, 0], [1, 0, -1, 0], [-1, -1, 1, -1], [-1, -1, 0, -1], [-1, -1, -1, -1],
  [1, -1, -1, -1], [1, 0, 1, 0], [-1, -1, 1, -1], [-1, -1, -1, -1], [-1, -1, 0, -1], [-1, -1, 0, -1],
  [-1, -1, -1, -1],
];

/** Section 3's names. */
const CLASSES = [
  "standalone_model",
  "immutable_base",
  "adapter",
  "tokenizer",
  "chat_template",
  "composition",
  "kv_cache",
  "retrieval_index",
  "piece_set",
  "signature_envelope",
  "license_provenance",
  "evaluation_receipt",
  "catalog_announcement",
];

const TENSOR = dense("u8", [1], { role: "zz", name: "zz" });

const MORE: readonly (readonly [table: string, add: (d: Description) => Description])[] = [
  ["tensors", (d) => ({ ...d, tensors: [...d.tensors ?? [], TENSOR] })],
  ["quant", (d) => ({ ...d, profiles: [REGISTERED.get("q8-0.b32.pad")!] })],
  [
    "blobs",
    (d) => ({
      ...d,
      blobs: [{ kind: 48, name: "zz", media_type: "text/plain", payload: utf8("x") }],
    }),
  ],
  ["auxiliary", (d) => ({ ...d, auxiliaries: [{ owner: "zz", target: "zz" }] })],
];

export const tables: Recipe = {
  name: "corrupt/manifest/table",
  reason: "every table that a class may not have, and every one that it must",
  spec: "slm2.md 3, classes.md 1",
  cites: ["classes-1 tables present against"],
  cases: () =>
    SMALLEST.flatMap((make, i): Case[] => {
      const parent = make();
      const row = MATRIX[i], name = `${tables.name}/class-${i + 1}`;
      const TABLE: Rejection = [18, "TableNotPermitted", "manifest"];
      const cites = { cites: [`slm2-3 | ${CLASSES[i]} |`] };
      return [
        ...MORE.filter((_, column) => row[column] < 0).map(([table, add]) =>
          corrupt(
            parent,
            `${name}-with-${table}`,
            `class ${i + 1} may not have ${table}`,
            assemble(add(parent.description)).bytes,
            TABLE,
            cites,
          )
        ),
        ...(row[0] > 0
          ? [
            corrupt(
              parent,
              `${name}-without-tensors`,
              `class ${i + 1} needs tensors`,
              assemble({ ...parent.description, tensors: [], auxiliaries: [] }).bytes,
              TABLE,
              cites,
            ),
          ]
          : []),
        ...(row[2] > 0
          ? [
            corrupt(
              parent,
              `${name}-without-blobs`,
              `class ${i + 1} needs a blob`,
              assemble({ ...parent.description, blobs: [] }).bytes,
              TABLE,
              cites,
            ),
          ]
          : []),
      ];
    }),
};
