/** Stage 26: hashes and padded lanes. */
import { tensorPack } from "../../writer/build/model.ts";
import { utf8 } from "../../writer/bytes.ts";
import { getField } from "../../writer/fields.ts";
import { setCode, zeroCode } from "../../writer/padding.ts";
import { encodeStrings } from "../../writer/plan.ts";
import { REGISTERED } from "../../writer/profiles.ts";
import { blocks } from "../bytes.ts";
import { corrupt, lazy, type Recipe, type Rejection, valid, type ValidCase } from "../case.ts";
import { replaced } from "../items.ts";
import { full, model } from "../library.ts";
import { close, flipped, open, rebuilt, remade, stringsOf, withFields } from "../parts.ts";
import { richProvenance, richTokenizer } from "../rich.ts";
import { dense, quantized } from "../valid/tensors.ts";
import { index, sets, texts } from "./blob_content.ts";
import { three } from "./tensor_records.ts";

const HASH: Rejection = [26, "PayloadHashMismatch", "payload"];

export const hashes: Recipe = {
  name: "corrupt/payload/hash",
  reason: "one bit of a payload, of its hash, or of anything that the hash binds",
  spec: "slm2.md 8, stage 26, and 9",
  cites: ["slm2-9 `tensor_payload = ", "slm2-9 `blob_payload = ", "slm2-8.26 per object in order"],
  cases() {
    const bits = (parent: ValidCase, i: number, table: "tensor" | "blob") => {
      const file = parent.artifact.bytes;
      const at = Number(getField(file, "header.payload_offset")) +
        Number(getField(file, `${table}[${i}].payload_relative_offset`));
      const length = Number(getField(file, `${table}[${i}].payload_length`));
      const hash = table === "tensor" ? "payload_hash" : "content_hash";
      const name = `${parent.id.split("/").at(-1)}-${table}-${i}`;
      const record = getField(file, `${table}[${i}].${hash}`) as Uint8Array;
      return [
        corrupt(
          parent,
          `${hashes.name}/${name}-first-bit`,
          "the first bit of the payload",
          flipped(file, at, 0x80),
          HASH,
        ),
        corrupt(
          parent,
          `${hashes.name}/${name}-last-bit`,
          "the last bit of the payload",
          flipped(file, at + length - 1, 1),
          HASH,
        ),
        ...[0, 31].map((byte) =>
          corrupt(
            parent,
            `${hashes.name}/${name}-hash-${byte}`,
            `byte ${byte} of the hash`,
            withFields(file, { [`${table}[${i}].${hash}`]: record.with(byte, record[byte] ^ 1) }),
            HASH,
          )
        ),
      ];
    };
    const strings = (local: string, why: string, parent: ValidCase, from: string, to: string) =>
      corrupt(
        parent,
        `${hashes.name}/${local}`,
        why,
        rebuilt(parent.artifact.bytes, (parts) =>
          void (parts.strings = encodeStrings(
            stringsOf(parts.strings).map((text) => utf8(text === from ? to : text)),
          ))),
        HASH,
      );
    const { payload_hash: foreign } = {
      payload_hash: open(three().artifact.bytes).tensor[1].slice(160),
    };
    return [
      ...[0, 1, 2].flatMap((i) => bits(three(), i, "tensor")),
      ...bits(full(), 0, "blob"),
      ...[0, 5].flatMap((i) => bits(richTokenizer(), i, "blob")),
      strings("role", "another role under the same hash", three(), "c", "d"),
      strings("name", "another name under the same hash", three(), "z", "zz"),
      strings(
        "blob-name",
        "another blob name under the same hash",
        richProvenance(),
        "notice-2",
        "notice-3",
      ),
      strings(
        "media-type",
        "another media type under the same hash",
        richProvenance(),
        "text/plain",
        "text/plainer",
      ),
      corrupt(
        three(),
        `${hashes.name}/other-tensors`,
        "the hash of the neighbour",
        withFields(three().artifact.bytes, { "tensor[0].payload_hash": foreign }),
        HASH,
      ),
      corrupt(
        model(),
        `${hashes.name}/class`,
        "a model that became a base, its manifest with it: the hash holds the class",
        asBase(),
        HASH,
      ),
      corrupt(
        three(),
        `${hashes.name}/whole-payload-zero`,
        "every byte zeroed, the length kept, as a bad disk does",
        zeroed(three().artifact.bytes),
        HASH,
      ),
    ];
  },
};

/** The smallest model as class 2, its hashes those of class 1. */
function asBase(): Uint8Array {
  const parts = open(model().artifact.bytes);
  const other = open(replaced(model(), ["body", "dependents"], true));
  parts.artifact_class = 2;
  parts.manifest = other.manifest.slice();
  parts.manifest[parts.manifest.length - 1] = 2;
  return close(parts);
}

function zeroed(file: Uint8Array): Uint8Array {
  const copy = file.slice();
  copy.fill(0, Number(getField(file, "header.payload_offset")));
  return copy;
}

/** The lanes beyond the last element of each run, and a parent that has some. */
const LANES: readonly (readonly [profile: string, shape: readonly number[]])[] = [
  "q8-0.b32",
  "q4-0.b32",
  "q4-1.b32",
  "q5-0.b32",
  "nf4.b64",
].flatMap((family) => [
  [`${family}.pad`, [family === "nf4.b64" ? 67 : 35]] as const,
  [`${family}.row`, [2, family === "nf4.b64" ? 67 : 35]] as const,
]);

const lanes: Recipe = {
  name: "corrupt/payload/lane",
  reason: "the first and the last padded lane of a run with another code, every hash repaired",
  spec: "slm2.md 7.2 and 8, stage 26",
  cites: [
    "slm2-7.2 A padded lane's code",
    "slm2-7.2 `packing_order`: 1",
    "slm2-7.2 2 split halves",
    "slm2-7.2 3 pairs",
    "slm2-7.2 4 split halves",
    "slm2-7.2 `code_signedness`: 0",
  ],
  cases: () =>
    LANES.flatMap(([name, shape]) => {
      const { fields } = REGISTERED.get(name)!;
      const n = fields.block_elements, last = shape.at(-1)! % n;
      const parent = lane(name);
      const rows = shape.length === 2 ? 2 : 1;
      const blockOf = (payload: Uint8Array, row: number) =>
        payload.subarray(((row + 1) * 2 - 1) * fields.block_bytes);
      const good = zeroCode(fields), most = 2 ** fields.code_bits;
      return Array.from({ length: rows }, (_, row) =>
        ([[last, "first"], [n / 2, "half"], [n - 1, "last"]] as const).filter(([at], i) =>
          at >= last && (i === 0 || at !== last)
        ).flatMap(([at, which]) =>
          ([[(good + 1) % most, "plus-one"], [(good + most / 2) % most, "high-bit"]] as const).map((
            [code, how],
          ) =>
            corrupt(
              parent,
              `${lanes.name}/${name}-row-${row}-${which}-${how}`,
              `lane ${at} of the last block of row ${row} has code ${code}, not ${good}`,
              remade(
                parent.artifact.bytes,
                ({ payloads }) =>
                  setCode(blockOf(payloads[0], row), at, code, fields),
              ),
              [26, "PaddedLane", "payload"],
            )
          )
        )).flat();
    }),
};

const lane = (() => {
  const made = new Map(LANES.map(([name, shape]) => [
    name,
    lazy(() =>
      valid(
        `valid/lane/${name}`,
        `${name}, three elements in the last block`,
        quantized(name, shape),
      )
    ),
  ]));
  return (name: string) => made.get(name)!();
})();

const valids: Recipe = {
  name: "valid/lane",
  reason: "padded lanes as they must be",
  spec: "slm2.md 7.2",
  cites: ["slm2-7.2 A padded lane's code"],
  cases: () => [...LANES.map(([name]) => lane(name)), objects()],
};

export const objects = lazy(() =>
  valid(
    "valid/lane/three-objects",
    "three quantized tensors with padded lanes",
    tensorPack(
      ["a", "b", "c"].map((role) =>
        dense("q8-0.b32.pad", [35], { role, name: role, payload: blocks("q8-0.b32.pad", [35]) })
      ),
    ),
  )
);

const order: Recipe = {
  name: "corrupt/payload/object",
  reason: "objects are judged one after the other: the first that fails is the verdict",
  spec: "slm2.md 8, stage 26",
  cites: ["slm2-8.26 per object in order"],
  cases() {
    const parent = objects();
    const spoilt = (i: number) =>
      remade(parent.artifact.bytes, ({ payloads }) => void (payloads[i][67] = 1));
    return [0, 1, 2].map((i) =>
      corrupt(parent, `${order.name}/lane-of-${i}`, `a padded lane of object ${i}`, spoilt(i), [
        26,
        "PaddedLane",
        "payload",
      ])
    );
  },
};

export const payload: readonly Recipe[] = [valids, hashes, lanes, order, sets, texts, index];
