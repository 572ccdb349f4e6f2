/** Payload bytes: padded lanes, scales, sizes. */
import { TENSOR } from "../corpus/writer/fields.ts";
import { layOut, parse, setObject } from "./artifact.ts";
import { getU16, splice } from "./bytes.ts";
import { breakLane, profileFields } from "./lanes.ts";
import type { Mutator } from "./mutator.ts";
import { shapeOf } from "./tensors.ts";

export const payloads: readonly Mutator[] = [
  {
    name: "payload-lane",
    reason: "one padded lane of one run with another code: every run's tail must be read",
    mutate(input, random) {
      const artifact = parse(input);
      const { tensors, quants } = artifact;
      const profileOf = (record: Uint8Array) =>
        quants[getU16(record, TENSOR.quant_profile_index[0])];
      const quantized = tensors.filter(({ record }) => profileOf(record));
      if (quantized.length === 0) return null;
      const { record, object } = random.pick(quantized);
      const fields = profileFields(profileOf(record));
      if (!breakLane(object, shapeOf(record), fields, random)) return null;
      return layOut(artifact);
    },
  },
  {
    name: "payload-float",
    reason:
      "scales and elements that are infinite, not a number, or minus zero are no reader's affair",
    mutate(input, random) {
      const artifact = parse(input);
      const objects = artifact.tensors.filter(({ object }) => object.length >= 4);
      if (objects.length === 0) return null;
      const { object } = random.pick(objects);
      const bytes = random.pick([
        "007c",
        "00fc",
        "007e",
        "0080",
        "0000807f",
        "0000c07f",
        "00000080",
        "0100807f",
      ]);
      object.set(
        Uint8Array.fromHex(bytes),
        random.oneIn(2) ? 0 : 2 * random.below(Math.floor(object.length / 2) - 1),
      );
      return layOut(artifact);
    },
  },
  {
    name: "payload-byte",
    reason: "any byte of any object counts for its hash and for nothing else, or for its content",
    mutate(input, random) {
      const artifact = parse(input);
      const objects = [...artifact.tensors, ...artifact.blobs].filter(({ object }) =>
        object.length > 0
      );
      if (objects.length === 0) return null;
      const { object } = random.pick(objects);
      const at = random.pick([0, object.length - 1, random.below(object.length)]);
      object[at] ^= random.oneIn(2) ? 1 << random.below(8) : 1 + random.below(255);
      return layOut(artifact);
    },
  },
  {
    name: "payload-resize",
    reason: "an object a few bytes longer or shorter, its lengths following or not",
    mutate(input, random) {
      const artifact = parse(input);
      const { tensors, blobs } = artifact;
      const kind = blobs.length === 0 || tensors.length > 0 && random.oneIn(2) ? "tensor" : "blob";
      const list = kind === "tensor" ? tensors : blobs;
      if (list.length === 0) return null;
      const entry = random.pick(list);
      const at = random.below(entry.object.length + 1);
      const object = random.oneIn(2)
        ? splice(entry.object, at, 0, random.bytes(random.pick([1, 4, 12, 64])))
        : splice(entry.object, at, random.pick([1, 4, 12, entry.object.length]), new Uint8Array(0));
      if (random.oneIn(4)) entry.object = object;
      else setObject(entry, kind, object);
      return layOut(artifact);
    },
  },
  {
    name: "payload-unhashed",
    reason: "a hash one bit off, whatever its bytes",
    mutate(input, random) {
      const artifact = parse(input);
      const { tensors, blobs } = artifact;
      const records = [
        ...tensors.map(({ record }) => record.subarray(160, 192)),
        ...blobs.map(({ record }) => record.subarray(48, 80)),
      ];
      if (records.length === 0) return null;
      random.pick(records)[random.below(32)] ^= 1 << random.below(8);
      return layOut(artifact);
    },
  },
];
