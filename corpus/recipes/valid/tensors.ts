/** Tensors: element types, ranks, quantization profiles and tail rules, keys, alignment. */
import { tensorPack } from "../../writer/build/model.ts";
import type { TensorDescription } from "../../writer/description.ts";
import { ELEMENT_TYPES, REGISTERED } from "../../writer/profiles.ts";
import { storageOf, storedBytes } from "../../writer/storage.ts";
import { blocks, floats, ramp } from "../bytes.ts";
import { type Recipe, valid } from "../case.ts";

const pack = (id: string, reason: string, tensors: readonly TensorDescription[]) =>
  valid(id, reason, tensorPack(tensors));

/** A dense tensor whose payload is as long as it must be. */
export const dense = (
  type: string,
  shape: readonly number[],
  more: Partial<TensorDescription> = {},
): TensorDescription => ({
  role: "w",
  name: "x",
  type,
  shape,
  payload: ramp(Number(storedBytes(shape, storageOf(type))), shape.length + 1),
  ...more,
});

/** The scale tensor of q8-row, where the profile asks for one. */
export const scaleOf = (name: string, shape: readonly number[]): TensorDescription => {
  const rows = shape.slice(0, -1).reduce((product, n) => product * n, 1);
  return {
    role: "scale",
    name: `${name}.scale`,
    shape: [rows],
    type: "f32",
    payload: floats(rows),
  };
};

/** A quantized tensor alone in a model, with its scales where they stand outside. */
export function quantized(profile: string, shape: readonly number[], seed = 1) {
  const tensor = dense(profile, shape, { payload: blocks(profile, shape, seed) });
  return profile.startsWith("q8-row")
    ? {
      ...tensorPack([tensor, scaleOf("x", shape)]),
      auxiliaries: [{ owner: "x", target: "x.scale" }],
    }
    : tensorPack([tensor]);
}

const elements: Recipe = {
  name: "valid/element",
  reason: "every dense element type, alone, in an odd number, and in a matrix",
  spec: "slm2.md 7.1",
  cites: ["slm2-7.1 *", "slm2-7.3 `stored_bytes` is"],
  cases: () =>
    Object.keys(ELEMENT_TYPES).flatMap((type) =>
      ([["scalar", []], ["vector-3", [3]], ["matrix-3x5", [3, 5]]] as const).map(([name, shape]) =>
        pack(`valid/element/${type}-${name}`, `${type}, ${name}`, [dense(type, shape)])
      )
    ),
};

const RANKS: readonly (readonly number[])[] = [
  [5],
  [2, 3],
  [2, 3, 4],
  [1, 2, 1, 3],
  [2, 1, 2, 1, 2],
  [1, 1, 1, 1, 1, 3],
  [2, 2, 1, 1, 1, 1, 2],
  [1, 2, 1, 2, 1, 2, 1, 2],
];

const ranks: Recipe = {
  name: "valid/rank",
  reason: "ranks one to eight, dense and quantized, with dimensions of one at either end",
  spec: "slm2.md 7.3",
  cites: ["slm2-7.3 Rank 0 is a scalar", "slm2-7.3 Used dimensions", "slm2-4 rank |"],
  cases: () => [
    ...RANKS.flatMap((shape) => [
      pack(`valid/rank/rank-${shape.length}`, `shape ${shape.join(" x ")}`, [dense("f32", shape)]),
      pack(`valid/rank/ones-${shape.length}`, "every dimension is one", [
        dense("i8", shape.map(() => 1)),
      ]),
      valid(
        `valid/rank/row-${shape.length}`,
        `rows of ${shape.join(" x ")}, each a run of its own`,
        quantized("q8-0.b32.row", shape),
      ),
      valid(
        `valid/rank/pad-${shape.length}`,
        `${shape.join(" x ")} in one run`,
        quantized("q8-0.b32.pad", shape),
      ),
    ]),
  ],
};

/** Shapes by what they do at the end of a run, for a block of `n`. */
const TAILS = (n: number) =>
  [
    ["one-block", [n]],
    ["two-blocks", [2, n]],
    ["three-rows-of-two", [3, 2 * n]],
    ["block-is-a-row-pair", [2, n / 2]],
  ] as const;
const ODD = (n: number) =>
  [
    ["scalar", []],
    ["one", [1]],
    ["one-short", [n - 1]],
    ["one-over", [n + 1]],
    ["rows-one-over", [3, n + 1]],
    ["odd-rows", [2, 3, 5]],
  ] as const;

const profiles: Recipe = {
  name: "valid/profile",
  reason: "every registered profile under each of its tail rules, whole blocks and odd tails",
  spec: "slm2.md 7.2 and 7.3",
  cites: [
    "slm2-7.2 Each of the first five rows",
    "slm2-7.2 `q8-0.b32`",
    "slm2-7.2 `q4-0.b32`",
    "slm2-7.2 `q4-1.b32`",
    "slm2-7.2 `q5-0.b32`",
    "slm2-7.2 `nf4.b64`",
    "slm2-7.2 `q8-row.exact`",
    "slm2-7.2 `tail_rule`: 1",
    "slm2-7.2 2 `exact`",
    "slm2-7.2 3 `row`",
    "slm2-7.2 A padded lane's code",
    "slm2-7.3 `ceil(elements",
    "slm2-7.3 `rows x ceil",
    "slm2-7.2 storage u8 unless said",
    "slm2-7.2 rounding mode 1 for q8",
    "slm2-7.2 saturation 1",
    "slm2-7.2 calibration 0",
    "slm2-7.2 2 nearest, ties to even",
    "slm2-7.2 3 nearest, ties towards",
    "slm2-7.2 2 `x = s",
    "slm2-7.2 3 `x = s",
    "slm2-7.2 4 `x = s",
    "slm2-7.2 5 `x = s[row]",
    "slm2-7.2 `profile_id = SLM_HASH",
  ],
  cases: () =>
    [...REGISTERED.values()].flatMap(({ name, fields }) => {
      const n = fields.block_elements;
      const shapes = name.startsWith("q8-row")
        ? [["scalar", []], ["vector", [5]], ["rows", [3, 5]], ["rank-3", [2, 3, 2]]] as const
        : [
          ...TAILS(n).filter(([, shape]) =>
            fields.tail_rule !== 2 || shape.reduce<number>((a, b) => a * b, 1) % n === 0
          ),
          ...(fields.tail_rule === 2 ? [] : ODD(n)),
        ];
      return shapes.map(([local, shape], i) =>
        valid(
          `valid/profile/${name}-${local}`,
          `${name} of shape [${shape.join(", ")}]`,
          quantized(name, shape, i + 1),
        )
      );
    }),
};

const mixed: Recipe = {
  name: "valid/mixed",
  reason:
    "dense and quantized tensors together; several profiles in the order of their ids; shared scales",
  spec: "slm2.md 7.2, 7.3 and 7.5",
  cites: [
    "slm2-7.5 one target may serve several owners",
    "slm2-7.3 For a dense tensor the seven fields",
    "slm2-7.2 Readers do not judge scales",
    "slm2-7.5 The records of owner",
  ],
  cases: () => [
    pack("valid/mixed/all-profiles", "every registered profile but q8-row in one file", [
      ...[...REGISTERED.keys()].filter((name) => !name.startsWith("q8-row")).map((name, i) =>
        dense(name, [2, 64], { role: `r${i}`, name, payload: blocks(name, [2, 64], i) })
      ),
      dense("f32", [3], { role: "z", name: "plain" }),
    ]),
    valid("valid/mixed/shared-scale", "one scale tensor serves two owners", {
      ...tensorPack([
        dense("q8-row.exact", [2, 3], { name: "x", payload: blocks("q8-row.exact", [2, 3]) }),
        dense("q8-row.exact", [2, 3], { name: "y", payload: blocks("q8-row.exact", [2, 3], 2) }),
        scaleOf("x", [2, 3]),
      ]),
      auxiliaries: [{ owner: "x", target: "x.scale" }, { owner: "y", target: "x.scale" }],
    }),
    valid("valid/mixed/two-scales", "two owners, two targets: two runs of one record", {
      ...tensorPack([
        dense("q8-row.exact", [2, 3], { name: "x", payload: blocks("q8-row.exact", [2, 3]) }),
        dense("f32", [2], { role: "v", name: "between" }),
        dense("q8-row.exact", [1, 2], { name: "y", payload: blocks("q8-row.exact", [1, 2]) }),
        scaleOf("x", [2, 3]),
        scaleOf("y", [1, 2]),
      ]),
      auxiliaries: [{ owner: "x", target: "x.scale" }, { owner: "y", target: "y.scale" }],
    }),
    pack("valid/mixed/one-profile-twice", "two tensors of one profile", [
      dense("q4-0.b32.pad", [32], { name: "x", payload: blocks("q4-0.b32.pad", [32]) }),
      dense("q4-0.b32.pad", [7], { name: "y", payload: blocks("q4-0.b32.pad", [7]) }),
    ]),
    pack(
      "valid/mixed/special-floats",
      "no reader judges dense values: NaN, infinities, subnormal and negative zero",
      [
        dense("f32", [6], {
          payload: Uint8Array.fromHex("0000c07f0000807f000080ff0100000000000080ffffffff"),
        }),
        dense("f16", [4], {
          role: "h",
          name: "half",
          payload: Uint8Array.fromHex("007e007c00fc0100"),
        }),
      ],
    ),
    valid(
      "valid/mixed/infinite-scale",
      "nor a block's scale: infinity is a smoke check's to find",
      tensorPack([
        dense("q8-0.b32.pad", [32], { payload: blocks("q8-0.b32.pad", [32]).with(1, 0x7c) }),
      ]),
    ),
    valid(
      "valid/mixed/nan-scale",
      "a scale that is not a number",
      tensorPack([
        dense("q8-0.b32.pad", [32], { payload: blocks("q8-0.b32.pad", [32]).with(1, 0x7e) }),
      ]),
    ),
  ],
};

const keys: Recipe = {
  name: "valid/key",
  reason: "tensor keys at their ends, and in the order that the specification asks for",
  spec: "slm2.md 6 and 7.3",
  cites: [
    "slm2-7.3 `layer`, `subindex_0`",
    "slm2-7.3 Records are strictly",
    "slm2-6 Identifier:",
    "slm2-6 Compared as raw bytes",
  ],
  cases: () => {
    const most = 2 ** 31 - 1;
    return [
      pack(
        "valid/key/order",
        "role, layer, subindexes, name: each breaks the tie of the one before, -1 first",
        [
          dense("u8", [], { role: "a", name: "n1" }),
          dense("u8", [], { role: "a", name: "n0", layer: 0 }),
          dense("u8", [], { role: "a", name: "m", layer: 0, subindex_0: 0 }),
          dense("u8", [], { role: "a", name: "l", layer: 0, subindex_0: 0, subindex_1: 0 }),
          dense("u8", [], { role: "a", name: "k", layer: 0, subindex_0: 0, subindex_1: 1 }),
          dense("u8", [], { role: "a", name: "j", layer: 0, subindex_0: 0, subindex_1: 1 }),
          dense("u8", [], {
            role: "a",
            name: "i",
            layer: most,
            subindex_0: most,
            subindex_1: most,
          }),
          dense("u8", [], { role: "a-", name: "h" }),
          dense("u8", [], { role: "b", name: "g" }),
        ],
      ),
      pack("valid/key/longest", "a role and a name of 255 bytes", [
        dense("u8", [], { role: "r".repeat(255), name: "n".repeat(255) }),
      ]),
      pack("valid/key/alphabet", "every byte that an identifier may have", [
        dense("u8", [], { role: "abcdefghijklmnopqrstuvwxyz0123456789._/-", name: "0" }),
      ]),
      pack("valid/key/components", "components that only look like dots", [
        dense("u8", [], { role: "a/...", name: "a/.b/..c/d./e.." }),
        dense("u8", [], { role: "a/-", name: "a/_" }),
      ]),
      pack("valid/key/same-text", "a role may be the name of its own tensor", [
        dense("u8", [], { role: "x", name: "x" }),
      ]),
      pack("valid/key/host-names", "names that a host language knows", [
        dense("u8", [], { role: "constructor", name: "__proto__".replaceAll("_", "0") }),
        dense("u8", [], { role: "tostring", name: "hasownproperty" }),
      ]),
      pack("valid/key/numeric", "names that look like indexes sort as bytes", [
        dense("u8", [], { role: "w", name: "10" }),
        dense("u8", [], { role: "w", name: "9" }),
        dense("u8", [], { role: "w", name: "0" }),
      ]),
      pack("valid/key/moved-byte", "role ab and name c; its neighbour has role a and name bc", [
        dense("u8", [], { role: "ab", name: "c" }),
      ]),
      pack(
        "valid/key/moved-byte-back",
        "role a and name bc: no identity is that of role ab and name c",
        [
          dense("u8", [], { role: "a", name: "bc" }),
        ],
      ),
    ];
  },
};

const alignment: Recipe = {
  name: "valid/alignment",
  reason: "every alignment alone, and several together with the padding between them",
  spec: "slm2.md 7.3 and 7.6",
  cites: ["slm2-7.3 Alignment is a power of two", "slm2-7.6 *"],
  cases: () => [
    ...[64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536].map((alignment) =>
      pack(`valid/alignment/${alignment}`, `one tensor aligned to ${alignment}`, [
        dense("u8", [3], { alignment }),
      ])
    ),
    pack("valid/alignment/rising", "each object is aligned from the end of the one before", [
      dense("u8", [1], { role: "a", name: "a" }),
      dense("u8", [1], { role: "b", name: "b", alignment: 128 }),
      dense("u8", [1], { role: "c", name: "c", alignment: 1024 }),
      dense("u8", [1], { role: "d", name: "d" }),
    ]),
    pack("valid/alignment/full", "objects that end where the next begins: no padding at all", [
      dense("u8", [64], { role: "a", name: "a" }),
      dense("u8", [128], { role: "b", name: "b" }),
      dense("u8", [64], { role: "c", name: "c" }),
    ]),
    pack(
      "valid/alignment/falling",
      "the first object may stand away from the payload's beginning",
      [
        dense("u8", [1], { role: "a", name: "a", alignment: 2048 }),
        dense("u8", [1], { role: "b", name: "b", alignment: 512 }),
        dense("u8", [1], { role: "c", name: "c" }),
      ],
    ),
  ],
};

export const tensors: readonly Recipe[] = [
  elements,
  ranks,
  profiles,
  mixed,
  keys,
  alignment,
];
