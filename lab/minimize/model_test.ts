import { assert } from "@std/assert";
import { TENSOR } from "../../corpus/writer/fields.ts";
import { type Artifact, layOut, parse } from "../../mutators/artifact.ts";
import { getU32, putU32 } from "../../mutators/bytes.ts";
import { at, parseTree } from "../../mutators/cbor_tree.ts";
import { seal } from "../../mutators/seal.ts";
import { seedArtifacts } from "../../mutators/seeds.ts";
import { cursor } from "../../readers/cursor/reader.ts";
import { memorySource } from "../../readers/source.ts";
import { minimize } from "./minimize.ts";

const slotOf = ({ record }: Artifact["tensors"][number]) =>
  `${getU32(record, TENSOR.semantic_role_string_id[0])} ${getU32(record, TENSOR.layer[0])}`;

/** Whether a model that readers refuse for its tensors has as many as it should, one slot twice. */
function hasSlotTwice(file: Uint8Array): boolean {
  const { verdict } = cursor.read({ source: memorySource(file), pieces: false });
  if (verdict.verdict !== "reject" || verdict.code !== "UnsupportedArchitecture") return false;
  const { tensors, manifest } = parse(file);
  const parameters = at(parseTree(manifest).root, "body", "architecture", "parameters");
  const layers = parameters && at(parameters, "layers"), tied = at(parameters!, "tied_output");
  const count = 9 * Number(layers?.value) + (tied?.value === 21 ? 2 : 3);
  return tensors.length === count && new Set(tensors.map(slotOf)).size === count - 1;
}

Deno.test("a model whose slot is filled twice has one layer in the end, and small tensors", async () => {
  const [good] = seedArtifacts(1, 3, 8192).filter((file) => parse(file).tensors.length > 20);
  const model = parse(good);
  const [first, second] = model.tensors; // one role in both layers
  assert(slotOf(first) !== slotOf(second));
  putU32(first.record, TENSOR.layer[0], getU32(second.record, TENSOR.layer[0]));
  seal(model);
  const start = layOut(model);
  assert(hasSlotTwice(start));
  const { input } = await minimize(start, {
    key: "twice",
    tries: 6000,
    judge: (one) =>
      Promise.resolve([{ class: "crash", key: hasSlotTwice(one) ? "twice" : "not", detail: "" }]),
  });
  assert(parse(input).tensors.length <= 12);
  assert(input.length < 0.7 * start.length, `${start.length} -> ${input.length}`);
});
