/** The subject with a fault in a reader: one cause is one bucket, whatever else follows from it. */
import { assertEquals } from "@std/assert";
import { write } from "../../corpus/writer/write.ts";
import { layOutRequest } from "../../mutators/request.ts";
import { cursor } from "../../readers/cursor/reader.ts";
import { table } from "../../readers/table/reader.ts";
import { faultNamed } from "../faults/bench.ts";
import type { SeededFault } from "../faults/fault.ts";
import { PatchedTree } from "../faults/patched.ts";
import { subjectOf } from "./readers.ts";

/** The keys of all that is wrong with an input, by the readers with a fault in one of them. */
async function keysOf(fault: SeededFault, inputs: readonly Uint8Array[]): Promise<string[]> {
  using tree = new PatchedTree(fault);
  const faulty = (await tree.reader())!;
  const subject = subjectOf([cursor, table].map((one) => one.name === faulty.name ? faulty : one));
  const keys = new Set<string>();
  for (const input of inputs) {
    subject.run(input, ({ key }) => keys.add(key));
    subject.run(input, ({ key }) => keys.add(key), "cheap");
    await subject.later?.(input, ({ key }) => void keys.add(key));
  }
  return [...keys];
}

const written = (body: Record<string, number>, shape: number[]) => {
  const result = write({
    artifact_class: 2,
    body: { architecture: { id: "tensor-pack/1", parameters: {} }, dependents: true },
    extensions: [{ id: "x", version: 0, critical: false, payload: body }],
    tensors: [{
      role: "weights",
      name: "a",
      type: "u8",
      shape,
      payload: new Uint8Array(shape.reduce((a, b) => a * b)),
    }],
  });
  if (!("bytes" in result)) throw new Error(result.code);
  return result;
};

Deno.test("a gap that is not read: one bucket for all sections, and nothing that follows from it", async () => {
  const { bytes } = written({ a: 1 }, [2]);
  assertEquals(
    await keysOf(faultNamed("gap-first-byte")!, gapsOf(bytes)),
    ["same-verdict 16 NonZeroPadding any table"],
  );
});

/** The file with the first byte of its gaps set: behind the header, the manifest and the strings. */
function gapsOf(bytes: Uint8Array): Uint8Array[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const u64 = (at: number) => Number(view.getBigUint64(at, true));
  const ends = [[48, 56], [64, 72]].map(([offset, length]) => u64(offset) + u64(length));
  return [224, ...ends].map((end) => bytes.with(end, 1));
}

Deno.test("an identity that differs: no second bucket for a request that expects one of them", async () => {
  const { bytes, identities: { artifact_id, whole_file } } = written({ a: 1 }, [2]);
  const expecting = layOutRequest({
    line: { op: "read", path: "0", expect: { artifact_id, whole_file } },
    artifacts: [bytes],
  });
  const halved: SeededFault = {
    id: "element-type-twice",
    file: "readers/cursor/identities.ts",
    search: "hash.append(bytes, at + 4, at + 6);",
    replacement: "hash.append(bytes, at + 4, at + 5).append(bytes, at + 4, at + 5);",
    breaks: "a hash over the wrong range: half of an element type, twice",
    clause: "slm2-9-18",
  };
  assertEquals(
    await keysOf(halved, [bytes, expecting]),
    ["same-identities tensor_layout cursor table"],
  );
});

Deno.test("integers that are decoded wrong: one bucket, whatever the writer says of them", async () => {
  const swapped: SeededFault = {
    id: "words-swapped",
    file: "readers/table/manifest.ts",
    search: "this.#view.getUint32(at + 1) * 2 ** 32 + this.#view.getUint32(at + 5)",
    replacement: "this.#view.getUint32(at + 5) * 2 ** 32 + this.#view.getUint32(at + 1)",
    breaks: "the words of a long integer change places",
    clause: "slm2-5-2",
  };
  const files = [2 ** 40 + 1, 2 ** 40 + 2 ** 31].map((n) => written({ a: n }, [2]).bytes);
  assertEquals(await keysOf(swapped, files), ["rewrites table manifest integer"]);
});
