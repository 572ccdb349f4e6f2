/** Tensors changed as a whole: shape, type and payload follow one another, and one does not. */
import { RECORDS, TENSOR } from "../corpus/writer/fields.ts";
import { DENSE, ELEMENT_TYPES, QUANTIZED } from "../corpus/writer/profiles.ts";
import { type Artifact, type Entry, layOut, parse, setObject } from "./artifact.ts";
import { getU16, getU32, getU64, putU16, putU32, putU64 } from "./bytes.ts";
import { dropStrings } from "./descriptors.ts";
import type { Mutator } from "./mutator.ts";
import type { Random } from "./random.ts";

const BYTES_OF = new Map<number, number>(
  Object.values(ELEMENT_TYPES).map(({ id, bytes }) => [id, bytes]),
);
/** The most bytes that a mutated tensor may have: artifacts stay small. */
const MOST = 4096;

export const shapeOf = (record: Uint8Array): number[] =>
  Array.from({ length: Math.min(record[2], 8) }, (_, i) => getU64(record, 32 + 8 * i));

/** The elements that a record's shape has, and the bytes that they take under its type and profile. */
export function storedOf(record: Uint8Array): { elements: number; stored: number } {
  const shape = shapeOf(record);
  const elements = shape.reduce((product, n) => product * n, 1);
  const type = getU16(record, TENSOR.element_type[0]);
  const block = getU32(record, TENSOR.block_elements[0]);
  const rows = getU16(record, TENSOR.tail_rule[0]) === 3 ? elements / (shape.at(-1) ?? 1) : 1;
  const blocks = rows * Math.ceil(elements / rows / Math.max(1, block));
  const stored = type === QUANTIZED
    ? blocks * getU32(record, TENSOR.block_bytes[0])
    : elements * (BYTES_OF.get(type) ?? 1);
  return { elements, stored };
}

/** Makes a record's counts and payload those of its shape, type and profile, where they are small. */
export function follow(entry: Entry, random: Random): void {
  const { record, object } = entry;
  const { elements, stored } = storedOf(record);
  if (!Number.isSafeInteger(elements) || !(stored <= MOST)) return;
  putU64(record, TENSOR.logical_element_count[0], elements);
  const next = new Uint8Array(stored);
  for (let i = 0; i < stored; i++) next[i] = object[i] ?? (random.u32() & 0x3f);
  setObject(entry, "tensor", next);
}

const onTensor = (
  name: string,
  reason: string,
  change: (entry: Entry, random: Random, artifact: Artifact) => void,
): Mutator => ({
  name,
  reason,
  mutate(input, random) {
    const artifact = parse(input);
    if (artifact.tensors.length === 0) return null;
    change(random.pick(artifact.tensors), random, artifact);
    return layOut(artifact);
  },
});

/** Products that wrap at 2^32, 2^53 or 2^64 (section 1). */
const HUGE: readonly (readonly number[])[] = [
  [65536, 65536, 65536, 65536],
  [2 ** 32 - 1, 2 ** 32 - 1],
  [2 ** 31, 4],
  [2 ** 32 - 1, 2 ** 21],
  [2 ** 31, 2 ** 22],
  [2 ** 31, 2 ** 22, 2],
  [6361, 69431, 20394401], // 2^53 - 1
  [3002399751580331, 3],
  [65536, 65536],
  [2 ** 30, 2 ** 30, 16],
  [2 ** 32, 1],
];

export const tensors: readonly Mutator[] = [
  onTensor(
    "tensor-reshape",
    "another shape of good sizes: rows, tails, ranks, the architecture",
    (entry, random) => {
      const { record } = entry;
      const rank = record[TENSOR.rank[0]];
      if (random.oneIn(4)) {
        record[TENSOR.rank[0]] = random.pick([
          rank + 1,
          Math.max(0, rank - 1),
          0,
          8,
          9,
        ]);
      }
      for (let i = 0; i < 8; i++) {
        const at = 32 + 8 * i;
        if (i >= record[2]) putU64(record, at, 0);
        else if (getU64(record, at) === 0) putU64(record, at, 1);
      }
      const axis = random.below(Math.max(1, Math.min(8, record[2])));
      if (record[2] > 0) {
        putU64(
          record,
          32 + 8 * axis,
          random.pick([1, 2, 3, 4, 31, 32, 33, 63, 64, 65, getU64(record, 32 + 8 * axis) + 1]),
        );
      }
      follow(entry, random);
    },
  ),
  onTensor(
    "tensor-swap-axes",
    "a transposed shape has the same count and other rows",
    (entry, random) => {
      const { record } = entry;
      const rank = Math.min(record[2], 8);
      if (rank < 2) return;
      const a = 32 + 8 * random.below(rank), b = 32 + 8 * random.below(rank);
      const kept = record.slice(a, a + 8);
      record.copyWithin(a, b, b + 8);
      record.set(kept, b);
      follow(entry, random);
    },
  ),
  onTensor("tensor-retype", "another element type, sizes following", (entry, random) => {
    const { record } = entry;
    putU16(record, TENSOR.element_type[0], random.between(0, 13));
    putU16(record, TENSOR.quant_profile_index[0], DENSE);
    record.fill(0, TENSOR.block_elements[0], TENSOR.flags_2[0]);
    follow(entry, random);
  }),
  onTensor(
    "tensor-huge",
    "shapes whose product or size passes 2^32, 2^53 or 2^64",
    (entry, random) => {
      const { record } = entry;
      const shape = random.pick(HUGE);
      record.fill(0, 32, 96);
      record[2] = shape.length;
      for (const [i, n] of shape.entries()) putU64(record, 32 + 8 * i, n);
      const product = shape.reduce((all, n) => all * BigInt(n), 1n);
      const bytes = BigInt(BYTES_OF.get(getU16(record, 4)) ?? 1);
      const low = (n: bigint) => Number(random.oneIn(2) ? n % 2n ** 53n : n % 2n ** 32n);
      if (random.oneIn(4)) return;
      putU64(
        record,
        TENSOR.logical_element_count[0],
        product < 2n ** 53n ? Number(product) : low(product),
      );
      if (random.oneIn(4)) return;
      putU64(
        record,
        TENSOR.stored_bytes[0],
        product * bytes < 2n ** 53n ? Number(product * bytes) : low(product * bytes),
      );
      if (random.oneIn(2)) {
        record.copyWithin(
          TENSOR.payload_length[0],
          TENSOR.stored_bytes[0],
          TENSOR.stored_bytes[0] + 8,
        );
      }
    },
  ),
  onTensor(
    "tensor-key",
    "layers and subindexes that sort as signed numbers, -1 first",
    (entry, random) => {
      const at = random.pick([TENSOR.layer[0], TENSOR.subindex_0[0], TENSOR.subindex_1[0]]);
      putU32(entry.record, at, random.pick([-2, -1, 0, 1, 2, 255, 256, 2147483647, -2147483648]));
    },
  ),
  {
    name: "tensor-subindexes",
    reason: "two tensors of one role and layer: what comes after sorts them, one index or both",
    mutate(input, random) {
      const artifact = parse(input);
      if (artifact.tensors.length < 2) return null;
      const from = random.below(artifact.tensors.length - 1);
      const [a, b] = [artifact.tensors[from].record, artifact.tensors[from + 1].record];
      for (const [at] of [TENSOR.semantic_role_string_id, TENSOR.layer]) {
        putU32(b, at, getU32(a, at));
      }
      const pairs = [a, b].map(() => [random.between(-1, 2), random.between(-1, 2)]);
      if (!random.oneIn(4)) pairs.sort(([a0, a1], [b0, b1]) => a0 - b0 || a1 - b1);
      for (const [i, record] of [a, b].entries()) {
        putU32(record, TENSOR.subindex_0[0], pairs[i][0]);
        putU32(record, TENSOR.subindex_1[0], pairs[i][1]);
      }
      dropStrings(artifact);
      return layOut(artifact);
    },
  },
  onTensor(
    "tensor-alignment",
    "alignments: powers of two, their borders, and what they move",
    (entry, random) => {
      putU32(
        entry.record,
        TENSOR.payload_alignment[0],
        random.pick([
          64,
          128,
          256,
          512,
          1024,
          32,
          0,
          96,
          65,
          random.oneIn(4) ? 65536 : 2048,
          random.oneIn(8) ? 131072 : 63,
        ]),
      );
    },
  ),
  onTensor(
    "tensor-zero-hash",
    "a hash of zeros is no hash",
    ({ record }) => record.fill(0, 160, 192),
  ),
  {
    name: "name-duplicate",
    reason: "one name for two objects, beside each other or not, across tensors and blobs",
    mutate(input, random) {
      const artifact = parse(input);
      const objects = [
        ...artifact.tensors.map(({ record }) => ({
          record,
          at: TENSOR.canonical_name_string_id[0],
        })),
        ...artifact.blobs.map(({ record }) => ({
          record,
          at: RECORDS.blob.fields.canonical_name_string_id[0],
        })),
      ];
      if (objects.length < 2) return null;
      const a = random.pick(objects), b = random.pick(objects);
      if (a === b) return null;
      putU32(b.record, b.at, getU32(a.record, a.at));
      return layOut(artifact);
    },
  },
];
