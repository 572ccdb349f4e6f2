import { assert, assertEquals } from "@std/assert";
import { tokenizer } from "../../corpus/writer/build/tokenizer.ts";
import { write } from "../../corpus/writer/write.ts";
import { TENSOR } from "../../corpus/writer/fields.ts";
import { QUANTIZED } from "../../corpus/writer/profiles.ts";
import { type Artifact, layOut, parse } from "../../mutators/artifact.ts";
import { getU16 } from "../../mutators/bytes.ts";
import { seal } from "../../mutators/seal.ts";
import { seedArtifacts } from "../../mutators/seeds.ts";
import { cursor } from "../../readers/cursor/reader.ts";
import { memorySource } from "../../readers/source.ts";
import { minimize } from "./minimize.ts";

/** What is wrong with a file, in the reader's words. */
function wrong(file: Uint8Array): string {
  const { verdict } = cursor.read({ source: memorySource(file), pieces: false });
  return verdict.verdict === "reject" ? `${verdict.code}: ${verdict.expected}` : "nothing";
}

/**
 * A good artifact with a part of it broken behind good hashes, as small as the same is wrong with it.
 * @param mend puts the damage right again: nothing else may be wrong
 */
async function shrunk(
  good: Uint8Array,
  damage: (artifact: Artifact) => void,
  mend?: (artifact: Artifact) => void,
): Promise<Uint8Array> {
  const changed = (file: Uint8Array, change: (artifact: Artifact) => void) => {
    const artifact = parse(file);
    change(artifact);
    seal(artifact);
    return layOut(artifact);
  };
  const start = changed(good, damage), key = wrong(start);
  assert(key !== "nothing");
  const { input } = await minimize(start, {
    key,
    tries: 6000,
    judge(one) {
      const alone = () => !mend || wrong(changed(one, mend)) === "nothing";
      const shown = wrong(one) === key && alone() ? key : "something else";
      return Promise.resolve([{ class: "crash", key: shown, detail: "" }]);
    },
  });
  assertEquals(wrong(input), key);
  return input;
}

Deno.test("blobs that belong to something else stay behind, with what asks for them", async () => {
  const words = ["a", "b", "ab", "c"];
  const bytes = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte));
  const vocabulary = [...words, ...bytes];
  const written = write(tokenizer({
    vocabulary,
    scores: vocabulary.map((_, id) => -id),
    byte_fallback: bytes.map((_, byte) => words.length + byte),
  }, { kind: "score-bpe/1", byte_fallback: true, unknown: { id: null, policy: "bytes" } }));
  assert("bytes" in written);
  const first = ({ blobs: [, scores] }: Artifact) => scores?.object.subarray(4, 8);
  const input = await shrunk(
    written.bytes,
    (artifact) => first(artifact).set([0, 0, 0x80, 0x7f]),
    (artifact) => first(artifact)?.fill(0),
  );
  assert(input.length < 1100, `${written.bytes.length} -> ${input.length}`);
});

Deno.test("a fault of one tensor needs no model", async () => {
  const models = seedArtifacts(1, 3, 8192).map((file) => ({ file, ...parse(file) }))
    .filter(({ tensors, quants }) => tensors.length > 12 && quants.length > 1);
  assert(models.length > 0);
  for (const { file, tensors } of models) {
    const quantized = tensors.findLastIndex(({ record }) =>
      getU16(record, TENSOR.element_type[0]) === QUANTIZED
    );
    const input = await shrunk(file, ({ tensors }) => tensors[quantized].object.fill(0xff));
    assert(input.length < 1000, `${file.length} -> ${input.length}`);
  }
});
