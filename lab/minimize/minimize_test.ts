import { assert, assertEquals } from "@std/assert";
import { tokenizer } from "../../corpus/writer/build/tokenizer.ts";
import { HEADER } from "../../corpus/writer/fields.ts";
import { clearPadding } from "../../corpus/writer/padding.ts";
import { storageOf, storedBytes } from "../../corpus/writer/storage.ts";
import { write } from "../../corpus/writer/write.ts";
import { layOut, parse } from "../../mutators/artifact.ts";
import { putU64 } from "../../mutators/bytes.ts";
import { at } from "../../mutators/cbor_tree.ts";
import { layOutRequest, parseRequest, sortOf } from "../../mutators/request.ts";
import { withTree } from "../../mutators/requests/asker.ts";
import { relink } from "../../mutators/requests/relink.ts";
import { seal } from "../../mutators/seal.ts";
import { seedArtifacts } from "../../mutators/seeds.ts";
import { memorySource } from "../../readers/source.ts";
import type { Flaw } from "../campaign/subject.ts";
import { cursor } from "../../readers/cursor/reader.ts";
import { fileOfProbe, probeOf } from "../campaign/growth.ts";
import { seedRequests } from "../campaign/requests.ts";
import { askOfInput } from "../testee/input.ts";
import { askReader } from "../testee/open.ts";
import { minimize } from "./minimize.ts";

Deno.test("a finding gets smaller by parts, and what else shows is told of", async () => {
  const written = write({
    artifact_class: 2,
    body: { architecture: { id: "tensor-pack/1", parameters: {} }, dependents: true },
    tensors: ["a", "b", "c"].map((name) => ({
      role: "weights",
      name,
      type: "f32",
      shape: [8, 8],
      payload: new Uint8Array(256).fill(7),
    })),
  });
  assert("bytes" in written);
  const flaw = (key: string): Flaw => ({ class: "crash", key, detail: "" });
  const slips: string[] = [];
  const { input } = await minimize(written.bytes, {
    key: "sevens",
    tries: 5000,
    judge: (bytes) =>
      Promise.resolve([
        ...bytes[0] === 0x53 && bytes.includes(7) ? [flaw("sevens")] : [],
        ...bytes.length < 300 ? [flaw("short")] : [],
      ]),
    slip: (one) => void slips.push(one.key),
  });
  assert(input[0] === 0x53 && input.includes(7) && input.length <= 8, `${input.length} bytes`);
  assertEquals(new Set(slips), new Set(["short"]));
});

Deno.test("a request gets smaller by what it asks, and by each artifact that others name", async () => {
  const files = seedRequests(8192);
  // a composition whose adapter is not of its base: nothing else of either is needed
  const start = files.find((file) => codeOf(file) === "BaseMismatch")!;
  const { input } = await minimize(start, {
    key: "BaseMismatch",
    tries: 2500,
    judge: (one) => Promise.resolve([{ class: "crash", key: codeOf(one), detail: "" }]),
  });
  assertEquals(codeOf(input), "BaseMismatch");
  assert(input.length < 0.8 * start.length, `${start.length} -> ${input.length}`);
});

Deno.test("a fault of one artifact needs no request", async () => {
  const [start] = seedRequests(8192);
  const magic = (bytes: Uint8Array) => bytes[0] === 0x53 ? "magic" : "none";
  const { input } = await minimize(start, {
    key: "magic",
    tries: 3000,
    judge: (one) => Promise.resolve([{ class: "crash", key: magic(one), detail: "" }]),
  });
  assertEquals(input, Uint8Array.of(0x53));
});

function codeOf(input: Uint8Array): string {
  const ask = askOfInput(input);
  const answer = ask && askReader(cursor, ask);
  return answer?.verdict === "reject" ? answer.code : "none";
}

/** A tokenizer of 261 tokens with a fault behind its hashes: a flag of an added token that must be 0. */
function tokenizerWithFlag(): Uint8Array {
  const vocabulary = ["a", "b", "ab", "c", "d"];
  const bytes = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte));
  const written = write(tokenizer({
    vocabulary: [...vocabulary, ...bytes],
    byte_fallback: bytes.map((_, byte) => vocabulary.length + byte),
    added_tokens: [{ id: 1, flags: 1 }, { id: 3, flags: 4 }],
  }, { kind: "table/1", unknown: { id: null, policy: "bytes" } }));
  assert("bytes" in written);
  const artifact = parse(written.bytes);
  artifact.blobs.at(-1)!.object[8] = 32;
  seal(artifact);
  return layOut(artifact);
}

Deno.test("what a fault needs stays whole: a tokenizer of one token, and the same again", async () => {
  const start = tokenizerWithFlag();
  const shrunk = () =>
    minimize(start, {
      key: "26 BlobContent",
      judge(one) {
        const { verdict } = cursor.read({ source: memorySource(one), pieces: false });
        const key = verdict.verdict === "reject" ? `${verdict.stage} ${verdict.code}` : "accept";
        return Promise.resolve([{ class: "crash", key, detail: "" }]);
      },
    });
  const { input, cut } = await shrunk();
  assert(!cut && input.length < 900 && start.length > 3000, `${start.length} -> ${input.length}`);
  assertEquals((await shrunk()).input, input);
});

Deno.test("a fault in a place that a layout mends is put back after it", async () => {
  const [host] = seedArtifacts(1, 3, 8192).toSorted((a, b) => b.length - a.length);
  const start = Uint8Array.of(...host, 0, 0); // two bytes behind the last section
  putU64(start, HEADER.file_size[0], start.length);
  const codeAt = (one: Uint8Array) => {
    const { verdict } = cursor.read({ source: memorySource(one), pieces: false });
    return verdict.verdict === "reject" ? verdict.code : "accept";
  };
  assertEquals(codeAt(start), "TrailingBytes");
  const { input } = await minimize(start, {
    key: "TrailingBytes",
    judge: (one) => Promise.resolve([{ class: "crash", key: codeAt(one), detail: "" }]),
  });
  assert(input.length < 300, `${start.length} -> ${input.length}`);
});

Deno.test("the file of a probe of growing work gets as small as its growth still shows", async () => {
  const key = "growing cursor";
  const sizes: number[] = [];
  const { input, tries } = await minimize(fileOfProbe("features 1000"), {
    key,
    probe: "features 1000",
    judge(question) {
      const { size } = probeOf(question)!;
      sizes.push(size!);
      return Promise.resolve(size! < 600 ? [] : [{ class: "hang", key, detail: "" }]);
    },
  });
  assertEquals([sizes, tries], [[850, 722, 613, 521], 4]);
  assertEquals(input, fileOfProbe("features 613"));
});

Deno.test("a tensor goes with its profile, and what is wrong may stand at either end of another", async () => {
  const shape = [3, 65];
  const written = write({
    artifact_class: 2,
    body: { architecture: { id: "tensor-pack/1", parameters: {} }, dependents: true },
    tensors: ["nf4.b64.row", "q4-0.b32.row", "q8-0.b32.pad"].map((type, i) => {
      const { profile } = storageOf(type);
      const payload = new Uint8Array(Number(storedBytes(shape, storageOf(type))));
      clearPadding(payload, shape, profile!.fields);
      return { role: "w", name: `t${i}`, type, shape, payload };
    }),
  });
  assert("bytes" in written);
  const broken = parse(written.bytes);
  const { object } = broken.tensors[0];
  object[object.length - 1] = 0;
  seal(broken);
  const start = layOut(broken);
  assertEquals(codeOf(start), "PaddedLane");
  const { input } = await minimize(start, {
    key: "PaddedLane",
    tries: 3000,
    judge: (one) => Promise.resolve([{ class: "crash", key: codeOf(one), detail: "" }]),
  });
  assertEquals(codeOf(input), "PaddedLane");
  assertEquals([parse(input).tensors.length, parse(input).quants.length], [1, 1]);
  assert(input.length < 1000, `${start.length} -> ${input.length}`);
});

Deno.test("a composition loses what it names beside the fault", async () => {
  // the second of two adapters, behind a chat template, is not for this tokenizer
  const [start] = seedRequests(8192).filter((file) => sortOf(file) === "read 6,2,4,5,3,3");
  const request = parseRequest(start)!;
  const before = { line: request.line, artifacts: [...request.artifacts] };
  request.artifacts[5] = withTree(request.artifacts[5], (root) => {
    const tokenizer = at(root, "body", "tokenizer_id")!;
    tokenizer.bytes = tokenizer.bytes.toReversed();
  });
  const broken = layOutRequest(relink(request, before));
  assertEquals(codeOf(broken), "TokenizerMismatch");
  const { input } = await minimize(broken, {
    key: "TokenizerMismatch",
    tries: 400,
    judge: (one) => Promise.resolve([{ class: "crash", key: codeOf(one), detail: "" }]),
  });
  assertEquals(codeOf(input), "TokenizerMismatch");
  assert(parseRequest(input)!.artifacts.length < 5, `${sortOf(input)}`);
});
