import { assert, assertEquals } from "@std/assert";
import { dataTest } from "../../lab/data.ts";
import { memorySource } from "../../readers/source.ts";
import type { Source } from "../../readers/contract.ts";
import type { LlamaParameters } from "../writer/bodies.ts";
import { lookup } from "../writer/cbor.ts";
import type { Description } from "../writer/description.ts";
import { isWriteError } from "../writer/fault.ts";
import { write } from "../writer/write.ts";
import { isImportError } from "./import.ts";
import { endOf, importLlama2c, placeTensors, readLlama2c } from "./llama2c.ts";
import { checkpoint, floatsOf, TINY, type TinyShape } from "./llama2c_testing.ts";

const HEADER_BYTES = 28;

function imported(bytes: Uint8Array): Description {
  const result = importLlama2c(memorySource(bytes), "model.bin");
  if (isImportError(result)) throw new Error(JSON.stringify(result));
  return result;
}

/** The elements of a tensor. */
function values(description: Description, name: string): number[] {
  const tensor = description.tensors!.find((one) => one.name === name)!;
  const source = tensor.payload as Source;
  const bytes = new Uint8Array(source.size());
  assertEquals(source.read(0, bytes), bytes.length);
  const view = new DataView(bytes.buffer);
  return Array.from({ length: bytes.length / 4 }, (_, i) => view.getFloat32(4 * i, true));
}

Deno.test("every tensor is read from where run.c has it", () => {
  const base = imported(checkpoint());
  assertEquals(base.artifact_class, 2);
  assertEquals(lookup(base.body, "architecture"), {
    id: "llama/1",
    parameters: {
      dim: 8,
      head_dim: 2,
      heads: 4,
      hidden_dim: 6,
      kv_heads: 2,
      layers: 2,
      max_seq: 5,
      norm_eps: [1, 100000],
      rope_style: 0,
      rope_theta: [10000, 1],
      tied_output: true,
      vocab: 262,
    },
  });
  // run.c's memory_map_weights, in floats
  const order: [name: string, count: number][] = [
    ["token-embedding", 262 * 8],
    ["attention-norm.0", 8],
    ["attention-norm.1", 8],
    ["attention-q.0", 64],
    ["attention-q.1", 64],
    ["attention-k.0", 32],
    ["attention-k.1", 32],
    ["attention-v.0", 32],
    ["attention-v.1", 32],
    ["attention-output.0", 64],
    ["attention-output.1", 64],
    ["ffn-norm.0", 8],
    ["ffn-norm.1", 8],
    ["ffn-gate.0", 48],
    ["ffn-gate.1", 48],
    ["ffn-down.0", 48],
    ["ffn-down.1", 48],
    ["ffn-up.0", 48],
    ["ffn-up.1", 48],
    ["final-norm", 8],
  ];
  let at = 0;
  for (const [name, count] of order) {
    assertEquals(values(base, name), Array.from({ length: count }, (_, i) => (at + i) / 8), name);
    at += count;
  }
  assertEquals(base.tensors!.length, order.length);
  assert(!isWriteError(write(base)));
});

Deno.test("a negative vocabulary has a classifier of its own, behind the rotary tables", () => {
  const shape: TinyShape = { ...TINY, vocab: -32 };
  const base = imported(checkpoint(shape));
  assertEquals(lookup(base.body, "architecture", "parameters", "vocab"), 32);
  assertEquals(lookup(base.body, "architecture", "parameters", "tied_output"), false);
  const first = floatsOf(shape) - 32 * 8;
  assertEquals(values(base, "output"), Array.from({ length: 256 }, (_, i) => (first + i) / 8));
  assertEquals(values(base, "final-norm")[0], (first - 5 * 2 - 8) / 8);
});

Deno.test("the rotary tables and what they hold are never read", () => {
  const shape: TinyShape = { ...TINY, vocab: -32 };
  const bytes = checkpoint(shape);
  const tables = bytes.length - 4 * (32 * 8 + 5 * 2);
  new DataView(bytes.buffer).setFloat32(tables, NaN, true);
  const read = new Uint8Array(bytes.length);
  const source: Source = {
    size: () => bytes.length,
    read(offset, into) {
      read.fill(1, offset, offset + into.length);
      return memorySource(bytes).read(offset, into);
    },
  };
  assert(!isImportError(importLlama2c(source, "model.bin")));
  const unread = [...read.keys()].filter((i) => read[i] === 0);
  assertEquals(unread, Array.from({ length: 40 }, (_, i) => tables + i));
});

/** A checkpoint of a shape with one header word or weight replaced. */
const edited = (edit: (view: DataView) => void, shape?: TinyShape): Uint8Array => {
  const bytes = checkpoint(shape).slice();
  edit(new DataView(bytes.buffer));
  return bytes;
};
const word = (index: number, value: number) =>
  edited((view) => view.setInt32(4 * index, value, true));
const size = checkpoint().length;

const BAD: [why: string, bytes: Uint8Array, fault: [code: string, what: string, offset: number]][] =
  [
    ["empty", new Uint8Array(0), ["Truncated", "header", 0]],
    ["27 bytes", new Uint8Array(27), ["Truncated", "header", 27]],
    ["header only", checkpoint().slice(0, 28), ["Truncated", "weights", 28]],
    ["4 bytes short", checkpoint().slice(0, -4), ["Truncated", "weights", size - 4]],
    ["1 byte short", checkpoint().slice(0, -1), ["Truncated", "weights", size - 1]],
    ["4 bytes long", new Uint8Array([...checkpoint(), 0, 0, 0, 0]), ["TrailingBytes", "end", size]],
    ["dim 0", word(0, 0), ["BadDimension", "dim", 0]],
    ["dim negative", word(0, -8), ["BadDimension", "dim", 0]],
    ["hidden negative", word(1, -1), ["BadDimension", "hidden_dim", 4]],
    ["layers 0", word(2, 0), ["BadDimension", "layers", 8]],
    ["layers absurd", word(2, 2 ** 31 - 1), ["Truncated", "weights", size]],
    ["heads 3 of dim 8", word(3, 3), ["BadDimension", "heads", 12]],
    ["odd head size", word(3, 8), ["BadDimension", "heads", 12]],
    ["heads not a multiple", word(4, 3), ["BadDimension", "kv_heads", 16]],
    ["kv_heads negative", word(4, -2), ["BadDimension", "kv_heads", 16]],
    ["vocabulary 0", word(5, 0), ["BadDimension", "vocab", 20]],
    ["vocabulary -2^31", word(5, -(2 ** 31)), ["Truncated", "weights", size]],
    ["sequence 0", word(6, 0), ["BadDimension", "max_seq", 24]],
    [
      "all words 2^30",
      edited((view) => {
        for (let i = 0; i < 7; i++) view.setInt32(4 * i, i === 3 ? 2 : i === 4 ? 1 : 2 ** 30, true);
      }),
      ["Truncated", "weights", size],
    ],
    ["version 1", word(0, 0x616b3432), ["UnsupportedVersion", "magic", 0]],
    ...[NaN, Infinity, -Infinity].map((x): typeof BAD[number] => [
      `${x} in the last layer's gate`,
      edited((view) => view.setFloat32(HEADER_BYTES + 4 * (2096 + 16 + 384 + 16 + 50), x, true)),
      ["NonFinite", "ffn-gate.1", HEADER_BYTES + 4 * (2096 + 16 + 384 + 16 + 50)],
    ]),
    ["NaN in a norm", edited((view) => view.setFloat32(HEADER_BYTES + 4 * 2096, NaN, true)), [
      "NonFinite",
      "attention-norm.0",
      HEADER_BYTES + 4 * 2096,
    ]],
  ];

for (const [why, bytes, [code, what, offset]] of BAD) {
  Deno.test(`refused: ${why}`, () => {
    const result = importLlama2c(memorySource(bytes), "model.bin");
    assert(isImportError(result));
    assertEquals([result.code, result.file, result.what, result.offset], [
      code,
      "model.bin",
      what,
      offset,
    ]);
  });
}

Deno.test("offsets are exact beyond 2^32", () => {
  const parameters: LlamaParameters = {
    dim: 5120,
    head_dim: 128,
    heads: 40,
    hidden_dim: 13824,
    kv_heads: 40,
    layers: 40,
    max_seq: 2048,
    norm_eps: [1, 100000],
    rope_style: 0,
    rope_theta: [10000, 1],
    tied_output: false,
    vocab: 32000,
  };
  const places = placeTensors(parameters);
  const at = (role: string, layer: number) =>
    places.find((one) => one.role === role && one.layer === layer)!.offset;
  // 40 x 5120 x 13824 floats lie between gates and downs: not -1560281088 bytes
  assertEquals(at("ffn-down", 0) - at("ffn-gate", 0), 11324620800);
  assertEquals(at("output", -1) - at("final-norm", -1), 4 * (5120 + 2048 * 128));
  assertEquals(endOf(parameters), BigInt(at("output", -1)) + 4n * 32000n * 5120n);
});

Deno.test("the view's own bytes count, not its buffer's", () => {
  const file = checkpoint();
  const around = new Uint8Array(file.length + 26).fill(0xaa);
  around.set(file, 13);
  const alone = write(imported(file)), inside = write(imported(around.subarray(13, -13)));
  assertEquals(inside, alone);
});

Deno.test("a stored matrix may be of another type, with scales; norms stay dense", () => {
  const asked: string[] = [];
  const result = importLlama2c(memorySource(checkpoint()), "model.bin", ({ name, shape }) => {
    asked.push(name);
    const [rows, columns] = shape;
    return {
      type: "q8-row.exact",
      payload: new Uint8Array(rows * columns),
      scales: new Uint8Array(4 * rows),
    };
  });
  assert(!isImportError(result));
  assertEquals(asked.filter((name) => name.includes("norm")), []);
  assertEquals(result.tensors!.length, 20 + asked.length);
  assert(!isWriteError(write(result)));
  const refused = importLlama2c(memorySource(checkpoint()), "model.bin", () => ({
    expected: "a scale that fits",
    offset: 8,
  }));
  assertEquals(refused, {
    code: "NotEncodable",
    file: "model.bin",
    what: "token-embedding",
    offset: HEADER_BYTES + 8,
    expected: "a scale that fits",
  });
});

Deno.test("fable: the bundled checkpoint's shape", () => {
  const bytes = Deno.readFileSync(new URL("../models/fable/fable.bin", import.meta.url));
  const result = readLlama2c(memorySource(bytes), "fable.bin");
  assert(!isImportError(result));
  assertEquals(result.parameters, {
    dim: 96,
    head_dim: 16,
    heads: 6,
    hidden_dim: 200,
    kv_heads: 3,
    layers: 4,
    max_seq: 256,
    norm_eps: [1, 100000],
    rope_style: 0,
    rope_theta: [10000, 1],
    tied_output: true,
    vocab: 512,
  });
  assertEquals(result.tensors.length, 2 + 4 * 9);
});

dataTest("stories260K: grouped heads, and the floats of the published tensors", (data) => {
  const base = imported(Deno.readFileSync(new URL("models/stories260K.bin", data)));
  assertEquals(lookup(base.body, "architecture", "parameters", "kv_heads"), 4);
  const counts = base.tensors!.map(({ payload }) => (payload as Source).size() / 4);
  // all of the file but its header and the rotary tables
  assertEquals(counts.reduce((a, b) => a + b), (1056540 - 28) / 4 - 2 * 512 * 4);
  assert(!isWriteError(write(base)));
});
