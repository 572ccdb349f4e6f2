/** The order set of stages 24 to 27. */
import { tensorPack } from "../../writer/build/model.ts";
import { encode } from "../../writer/cbor.ts";
import { REGISTERED } from "../../writer/profiles.ts";
import { assemble } from "../../writer/write.ts";
import { blocks } from "../bytes.ts";
import {
  asked,
  type Case,
  corrupt,
  type Recipe,
  rejected,
  type Rejection,
  type ValidCase,
} from "../case.ts";
import { objects } from "../corrupt/payload.ts";
import { changed, manifestItem } from "../items.ts";
import { lowRank, model } from "../library.ts";
import { flipped, withFields, withManifest } from "../parts.ts";
import { dense, quantized } from "../valid/tensors.ts";
import { to } from "./items.ts";
import { TWO } from "./two_faults.ts";
import { three } from "../corrupt/tensor_records.ts";

export const payload: Recipe = {
  name: "order/payload",
  reason: "placement before content; object by object; the closure before any payload",
  spec: "slm2.md 8, stages 24 to 27",
  cites: ["slm2-8.26 per object in order"],
  cases() {
    const one = (
      parent: ValidCase,
      local: string,
      why: string,
      bytes: Uint8Array,
      says: Rejection,
    ) => corrupt(parent, `${payload.name}/${local}`, why, bytes, says, TWO);
    const file = objects().artifact.bytes;
    const offsets = [0, 1, 2].map((i) => payloadAt(file, i));
    const spoilt = (bytes: Uint8Array, ...places: number[]) =>
      places.reduce((copy, place) => flipped(copy, place, 1), bytes);
    const q8 = quantized("q8-0.b32.pad", [64]);
    const profile = {
      name: "lab-q8",
      fields: { ...REGISTERED.get("q8-0.b32.pad")!.fields, rounding_mode: 2 },
    };
    const unregistered = tensorPack([
      dense("u8", [64], { type: "lab-q8", payload: blocks("q8-0.b32.pad", [64]) }),
    ]);
    const asClass = (id: string) => ({
      body: { architecture: { id, parameters: {} }, dependents: false },
    });
    return [
      one(
        three(),
        "place-before-trailing",
        "an object out of its place, then bytes after the last",
        withFields(three().artifact.bytes, {
          "tensor[0].payload_relative_offset": 64,
          "tensor[2].payload_relative_offset": 0,
        }),
        [24, "PayloadOutOfPlace", "payload"],
      ),
      one(
        objects(),
        "padding-before-hash",
        "a byte of no object, then a wrong payload",
        spoilt(file, offsets[1] - 1, offsets[0]),
        [24, "NonZeroPadding", "payload"],
      ),
      one(
        objects(),
        "hash-0-before-hash-2",
        "two wrong payloads",
        spoilt(file, offsets[0], offsets[2]),
        [26, "PayloadHashMismatch", "payload"],
      ),
      one(
        objects(),
        "hash-before-lane",
        "a payload that is wrong in a padded lane too",
        spoilt(file, offsets[0] + 67),
        [26, "PayloadHashMismatch", "payload"],
      ),
      one(
        lowRank(),
        "operation-before-payload",
        "an operand that this file does not have, then a wrong payload",
        flippedLast(
          withManifest(
            lowRank().artifact.bytes,
            encode(
              changed(
                manifestItem(lowRank()),
                ["body", "operations", 0, "tensors", "a", "name"],
                to("other"),
              ),
            ),
          ),
        ),
        [25, "UnsupportedOperation", "manifest"],
      ),
      one(
        model(),
        "profile-before-architecture",
        "an unregistered profile, then an unregistered architecture",
        assemble({ ...unregistered, ...asClass("x/1"), profiles: [profile] }).bytes,
        [25, "UnsupportedQuantProfile", "quant"],
      ),
      one(
        model(),
        "architecture-before-payload",
        "an unregistered architecture, then a wrong payload",
        flippedLast(assemble({ ...q8, ...asClass("x/1") }).bytes),
        [25, "UnsupportedArchitecture", "manifest"],
      ),
      {
        ...asked(
          lowRank(),
          `${payload.name}/operation-before-closure`,
          "nothing to resolve with: the file's own operations hold, so the closure is asked",
          { resolve: [] },
          rejected([25, "DependencyMissing", "manifest"]),
        ),
        tags: [],
      },
      closureFirst(),
      expectLast(),
    ];
  },
};

const payloadAt = (file: Uint8Array, i: number) => {
  const view = new DataView(file.buffer, file.byteOffset);
  const table = view.getUint32(96, true);
  return view.getUint32(144, true) + view.getUint32(table + 192 * i + 112, true);
};

const flippedLast = (file: Uint8Array) => flipped(file, file.length - 1, 1);

function closureFirst(): Case {
  const bytes = flippedLast(lowRank().artifact.bytes);
  return corrupt(
    lowRank(),
    "order/payload/closure-before-payload",
    "a base that is not there, then a wrong payload",
    bytes,
    [25, "DependencyMissing", "manifest"],
    { ...TWO, ask: { resolve: [] } },
  );
}

function expectLast(): Case {
  const bytes = flippedLast(model().artifact.bytes);
  return corrupt(
    model(),
    "order/payload/payload-before-expectation",
    "a wrong payload, then another whole_file than expected",
    bytes,
    [26, "PayloadHashMismatch", "payload"],
    { ...TWO, ask: { expect: { whole_file: "0".repeat(64) } } },
  );
}
