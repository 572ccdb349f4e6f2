/** Stage 25: profiles that are not registered, architectures, KV caches and retrieval indexes. */
import { llama } from "../../writer/build/model.ts";
import type { Item } from "../../writer/cbor.ts";
import { assemble } from "../../writer/write.ts";
import { corrupt, type Recipe } from "../case.ts";
import { edited, replaced, withEntry, without } from "../items.ts";
import { base, LLAMA, llamaTensors, model } from "../library.ts";
import { ARCHITECTURE } from "./architecture_fault.ts";
import { cache, index } from "./architecture_stores.ts";
import { tensors } from "./architecture_tensors.ts";
import { outside, unregistered, valids } from "./capability.ts";

const LEAST = [
  "dim",
  "head_dim",
  "heads",
  "hidden_dim",
  "kv_heads",
  "layers",
  "max_seq",
  "vocab",
] as const;

const P = ["body", "architecture", "parameters"] as const;

const parameters: Recipe = {
  name: "corrupt/architecture/parameters",
  reason: "parameters of llama/1 that break its rules",
  spec: "classes.md 2",
  cites: [
    "classes-2 `llama/1`: parameters",
    "classes-2 heads is a multiple of kv_heads",
    "classes-2 A missing, extra",
    "classes-2 (A reader's work",
  ],
  cases() {
    const put = (local: string, key: string, value: Item, why = `${key} is ${String(value)}`) =>
      corrupt(
        base(),
        `${parameters.name}/${local}`,
        why,
        replaced(base(), [...P, key], value),
        ARCHITECTURE,
      );
    return [
      ...Object.keys(LLAMA).map((key) =>
        corrupt(
          base(),
          `${parameters.name}/without-${key}`,
          `${key} is missing`,
          edited(base(), P, (map) => without(map, key)),
          ARCHITECTURE,
        )
      ),
      ...["a", "extra", "n_layers_of_another_kind"].map((key) =>
        corrupt(
          base(),
          `${parameters.name}/unknown-${key}`,
          `a parameter ${key}: the map is closed`,
          edited(base(), P, (map) => withEntry(map, key, 1)),
          ARCHITECTURE,
        )
      ),
      ...LEAST.flatMap((key) => [
        put(`${key}-0`, key, 0),
        put(`${key}-minus-1`, key, -1),
        put(`${key}-text`, key, "2", `${key} is a text`),
        put(`${key}-null`, key, null),
        put(`${key}-plus-2`, key, LLAMA[key] + 2, `${key} is two more than the tensors have`),
        put(`${key}-2-64`, key, 2n ** 64n - 1n, `${key} is 2^64 - 1`),
      ]).filter(({ id }) => !/max_seq-(plus-2|2-64)$/.test(id)),
      put("layers-65536", "layers", 65536, "more layers than a file can have tensors"),
      put("layers-2-53", "layers", 2 ** 53 - 1, "2^53 - 1 layers"),
      ...([
        ["heads-3-kv-2", { heads: 3, kv_heads: 2 }],
        ["heads-1-kv-2", { heads: 1, kv_heads: 2 }],
        ["head-dim-odd", { head_dim: 3 }],
      ] as const).map(([local, more]) => {
        const p = { ...LLAMA, ...more };
        return corrupt(
          base(),
          `${parameters.name}/${local}`,
          `${JSON.stringify(more)}, the tensors fitting`,
          assemble(llama(p, llamaTensors(p))).bytes,
          ARCHITECTURE,
        );
      }),
      put("norm-eps-0", "norm_eps", [0, 1], "an epsilon of zero"),
      put("norm-eps-negative", "norm_eps", [-1, 100000], "a negative epsilon"),
      put("norm-eps-int", "norm_eps", 1, "an epsilon that is no rational"),
      put("norm-eps-gcd", "norm_eps", [2, 4], "an epsilon that is not in lowest terms"),
      put("norm-eps-denominator-0", "norm_eps", [1, 0], "an epsilon over zero"),
      put("rope-theta-0", "rope_theta", [0, 1], "a base of zero"),
      put("rope-theta-negative", "rope_theta", [-10000, 1], "a negative base"),
      put("rope-theta-length", "rope_theta", [10000, 1, 1], "a base of three numbers"),
      put("rope-style-2", "rope_style", 2),
      put("rope-style-bool", "rope_style", true, "a style that is true"),
      put("tied-output-false", "tied_output", false, "an output of its own, which is not there"),
      put("tied-output-1", "tied_output", 1, "tied_output that is a number"),
    ];
  },
};

const ids: Recipe = {
  name: "corrupt/architecture/id",
  reason: "architectures that are not registered, and a pack with parameters",
  spec: "classes.md 2",
  cites: ["classes-2 `tensor-pack/1`", "classes-2 A missing, extra"],
  cases: () => [
    ...["llama", "llama/2", "llama/10", "lama/1", "gpt2/1", "tensor-pack", "tensor-pack/2"].map((
      id,
    ) =>
      corrupt(
        base(),
        `${ids.name}/${id.replace("/", "-")}`,
        `the architecture ${id}`,
        replaced(base(), ["body", "architecture", "id"], id),
        ARCHITECTURE,
      )
    ),
    corrupt(
      base(),
      `${ids.name}/pack-with-parameters`,
      "tensor-pack/1 has no parameters",
      replaced(base(), ["body", "architecture", "id"], "tensor-pack/1"),
      ARCHITECTURE,
    ),
    corrupt(
      model(),
      `${ids.name}/pack-with-one`,
      "tensor-pack/1 with one parameter",
      replaced(model(), P, { dim: 1 }),
      ARCHITECTURE,
    ),
    corrupt(
      model(),
      `${ids.name}/llama-without-parameters`,
      "llama/1 with an empty map",
      replaced(model(), ["body", "architecture", "id"], "llama/1"),
      ARCHITECTURE,
    ),
  ],
};

export const architecture: readonly Recipe[] = [
  valids,
  unregistered,
  outside,
  ids,
  parameters,
  tensors,
  cache,
  index,
];
