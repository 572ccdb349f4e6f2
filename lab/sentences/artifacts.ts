/** Artifacts that refer to each other, for the sentences on dependencies, pieces and signatures. */
import { adapter, type OperationParts } from "../../corpus/writer/build/adapter.ts";
import { tensorPack } from "../../corpus/writer/build/model.ts";
import { tokenizer } from "../../corpus/writer/build/tokenizer.ts";
import type { TensorDescription } from "../../corpus/writer/description.ts";
import type { ReadRequest } from "../../readers/contract.ts";
import { memorySource } from "../../readers/source.ts";
import { dense, edited, type Edits, file, identitiesOf } from "./sentences.ts";

export const known = (bytes: Uint8Array) => ({ bytes, ...identitiesOf(bytes) });

export type Known = ReturnType<typeof known>;

export const given = (...files: (Uint8Array | Known)[]): Omit<ReadRequest, "source"> => ({
  resolve: files.map((one) => ({
    source: memorySource(one instanceof Uint8Array ? one : one.bytes),
  })),
});

export const W: TensorDescription = dense("w", "w", [2, 3]);

export const Q: TensorDescription = {
  role: "q",
  name: "q",
  shape: [2, 3],
  type: "q8-row.exact",
  payload: new Uint8Array(6),
};

export const BASE_DESCRIPTION = {
  ...tensorPack([W, Q, dense("scale", "s", [2]), dense("z", "z", [])], 2),
  auxiliaries: [{ owner: "q", target: "s" }],
};

export const base = known(file(BASE_DESCRIPTION));

/** The same id, another whole_file (slm2.md, decision 2). */
export const twin = known(
  edited(BASE_DESCRIPTION, {
    "extensions": [{ critical: false, id: "x", version: 0, payload: {} }],
  }),
);

export const other = known(file(tensorPack([W], 2)));

export const words = known(file(tokenizer({ vocabulary: ["a"] }, { kind: "table/1" })));

export const words2 = known(file(tokenizer({ vocabulary: ["b"] }, { kind: "table/1" })));

export const LORA: OperationParts = {
  op: "lora/1",
  target: W,
  tensors: { a: dense("a", "a", [1, 3]), b: dense("b", "b", [2, 1]) },
};

export const make = (
  operation: OperationParts,
  edits: Edits = {},
  more: Parameters<typeof adapter>[2] = {},
  on = base,
) => edited(adapter(on, [operation], more), edits);

export const lora = make(LORA);

export const MISSING = "25 DependencyMissing [manifest]";

export const WHOLE = "25 DependencyWholeFile [manifest]";
