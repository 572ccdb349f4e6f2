/** Stage 25: profiles that are consistent and not registered. */
import { tensorPack } from "../../writer/build/model.ts";
import { type ProfileFields, REGISTERED } from "../../writer/profiles.ts";
import { assemble } from "../../writer/write.ts";
import { digestOf, ramp } from "../bytes.ts";
import { corrupt, lazy, type Recipe, valid } from "../case.ts";
import { dense, quantized } from "../valid/tensors.ts";

const single = lazy(() =>
  valid("valid/capability/q8", "a model of one registered profile", quantized("q8-0.b32.pad", [64]))
);

export const valids: Recipe = {
  name: "valid/capability",
  reason: "capabilities that every reader has: what the negative cases are made from",
  spec: "slm2.md 7.2",
  cites: ["slm2-7.2 Registered profiles"],
  cases: () => [single()],
};

/** A profile whose fields are consistent, and which is registered under no such name. */
const PROFILES:
  readonly (readonly [local: string, why: string, name: string, fields: Partial<ProfileFields>])[] =
    [
      ["renamed", "a registered record under another name", "lab-q8", {}],
      ["name-taken", "a registered name over another record", "q8-0.b32.pad", { rounding_mode: 2 }],
      ["rounding-3", "another rounding mode", "lab-q8", { rounding_mode: 3 }],
      ["signedness-0", "unsigned codes of eight bits", "lab-q8", { code_signedness: 0 }],
      ["signedness-2", "biased codes of eight bits", "lab-q8", { code_signedness: 2 }],
      ["storage-u8", "codes stored as u8", "lab-q8", { storage_type: 6 }],
      ["contract-2", "another kernel contract", "lab-q8", { kernel_contract: 2 }],
      ["contract-5", "contract 5 with a scale in the block", "lab-q8", { kernel_contract: 5 }],
      ["scale-f32", "an f32 scale in the block", "lab-q8", { scale_type: 1, block_bytes: 36 }],
      ["block-64", "a block of 64", "lab-q8", {
        block_elements: 64,
        code_count_per_block: 64,
        block_bytes: 66,
      }],
      ["block-1", "a block of one", "lab-q8", {
        block_elements: 1,
        code_count_per_block: 1,
        block_bytes: 3,
      }],
      ["block-3", "a block of three, which an eight-bit code may have", "lab-q8", {
        block_elements: 3,
        code_count_per_block: 3,
        block_bytes: 5,
      }],
      ["block-4096", "the greatest block", "lab-q8", {
        block_elements: 4096,
        code_count_per_block: 4096,
        block_bytes: 4098,
      }],
      ["zero-point-f16", "a zero point in the block", "lab-q8", {
        zero_point_type: 2,
        zero_point_count_per_block: 1,
        zero_point_placement: 1,
        block_bytes: 36,
      }],
      ["zero-point-f32", "an f32 zero point in the block", "lab-q8", {
        zero_point_type: 1,
        zero_point_count_per_block: 1,
        zero_point_placement: 1,
        block_bytes: 38,
      }],
      ["no-scale", "no scale at all", "lab-q8", {
        scale_type: 0,
        scale_count_per_block: 0,
        scale_placement: 0,
        block_bytes: 32,
      }],
      ["calibrated", "a calibration recipe", "lab-q8", {
        calibration_mode: 1,
        calibration_identity: digestOf(1),
      }],
      ["pairs", "four-bit codes in pairs", "lab-q4", {
        code_bits: 4,
        packing_order: 3,
        block_bytes: 18,
        code_signedness: 2,
      }],
      ["halves-2", "four-bit codes in split halves, a block of two", "lab-q4", {
        code_bits: 4,
        packing_order: 2,
        block_elements: 2,
        code_count_per_block: 2,
        block_bytes: 3,
      }],
    ];

export const unregistered: Recipe = {
  name: "corrupt/capability/profile",
  reason: "a profile may be consistent and yet unknown: that is not a fault of its fields",
  spec: "slm2.md 7.2 and 8, stage 25",
  cites: [
    "slm2-7.2 Registered profiles",
    "slm2-7.2 Each of the first five rows",
    "slm2-7.2 1 recipe hash",
    "slm2-decisions *Section 7.2, kernel contract 5",
  ],
  cases: () =>
    PROFILES.map(([local, why, name, fields]) => {
      const profile = { name, fields: { ...REGISTERED.get("q8-0.b32.pad")!.fields, ...fields } };
      const { block_elements, block_bytes } = profile.fields;
      const payload = ramp(Math.ceil(64 / block_elements) * block_bytes);
      const file = assemble({
        ...tensorPack([dense("u8", [64], { type: name, payload })]),
        profiles: [profile],
      });
      return corrupt(single(), `${unregistered.name}/${local}`, why, file.bytes, [
        25,
        "UnsupportedQuantProfile",
        "quant",
      ]);
    }),
};

/** Profiles that keep things outside their blocks: the mask, its fields, and the kinds of record. */
const OUTSIDE:
  readonly (readonly [local: string, fields: Partial<ProfileFields>, kinds: readonly number[]])[] =
    [
      ["zero-point", { zero_point_type: 1, zero_point_placement: 2, auxiliary_mask: 2 }, [2]],
      ["codebook", { auxiliary_mask: 4 }, [3]],
      ["importance", { auxiliary_mask: 8 }, [4]],
      ["sparse-index", { auxiliary_mask: 16 }, [5]],
      ["codebook-and-importance", { auxiliary_mask: 12 }, [3, 4]],
      [
        "all",
        {
          scale_type: 1,
          scale_count_per_block: 0,
          scale_placement: 2,
          zero_point_type: 2,
          zero_point_placement: 2,
          auxiliary_mask: 31,
          block_bytes: 32,
        },
        [1, 2, 3, 4, 5],
      ],
    ];

export const outside: Recipe = {
  name: "corrupt/capability/auxiliary",
  reason: "each bit of a profile's mask asks for one record of its kind, whatever the profile is",
  spec: "slm2.md 7.2, 7.5 and 8, stages 23 and 25",
  cites: [
    "slm2-7.2 `auxiliary_mask`: bit",
    "slm2-7.2 `auxiliary_mask` < 32",
    "slm2-7.5 Kinds: 1 scale",
  ],
  cases: () =>
    OUTSIDE.flatMap(([local, fields, kinds]) => {
      const profile = {
        name: "lab-q8",
        fields: { ...REGISTERED.get("q8-0.b32.pad")!.fields, ...fields },
      };
      const file = (records: readonly number[]) =>
        assemble({
          ...tensorPack([
            dense("u8", [64], {
              role: "w",
              name: "x",
              type: "lab-q8",
              payload: ramp(2 * profile.fields.block_bytes),
            }),
            dense("f32", [1], { role: "a", name: "t" }),
          ]),
          profiles: [profile],
          auxiliaries: records.map((kind) => ({ owner: "x", target: "t", kind })),
        }).bytes;
      const others = [1, 2, 3, 4, 5].filter((kind) => !kinds.includes(kind));
      return [
        corrupt(
          single(),
          `${outside.name}/${local}`,
          "every record that the mask asks for: only the profile is unknown",
          file(kinds),
          [25, "UnsupportedQuantProfile", "quant"],
        ),
        corrupt(
          single(),
          `${outside.name}/${local}-last-missing`,
          "the last record that the mask asks for is missing",
          file(kinds.slice(0, -1)),
          [23, "AuxMask", "auxiliary"],
        ),
        ...others.slice(-1).map((kind) =>
          corrupt(
            single(),
            `${outside.name}/${local}-one-more`,
            `a record of kind ${kind} that the mask does not ask for`,
            file([...kinds, kind]),
            [23, "AuxMask", "auxiliary"],
          )
        ),
      ];
    }),
};
