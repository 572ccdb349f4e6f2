import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { adapter, type OperationParts } from "../../corpus/writer/build/adapter.ts";
import { tensorPack } from "../../corpus/writer/build/model.ts";
import type { TensorDescription } from "../../corpus/writer/description.ts";
import { adapt, changesTo } from "./adapters.ts";
import { isReject } from "./outcome.ts";
import { logits } from "./logits.ts";
import {
  active,
  bytesOf,
  candidateOf,
  floats,
  tinyTensors,
  world,
  type WorldParts,
  written,
} from "./testing.ts";

const f32 = (name: string, shape: number[], values: number[]): TensorDescription => ({
  role: "operand",
  name,
  shape,
  type: "f32",
  payload: bytesOf(values),
});

const u64 = (name: string, values: bigint[]): TensorDescription => ({
  role: "operand",
  name,
  shape: [values.length],
  type: "u64",
  payload: new Uint8Array(BigUint64Array.from(values).buffer),
});

/** The target after adapters, each a list of operations; or the code of the rejection. */
function applied(target: TensorDescription, ...adapters: Omit<OperationParts, "target">[][]) {
  const pack = written(tensorPack([target], 2));
  const base = candidateOf(pack);
  const before = base.source;
  const candidates = adapters.map((operations) =>
    candidateOf(written(adapter(pack.identities, operations.map((one) => ({ ...one, target })))))
  );
  const result = adapt(base, 0, changesTo(base, candidates).get(0) ?? []);
  assert(base.source === before);
  return isReject(result) ? `${result.stage} ${result.code}` : [...result];
}

const W = (shape: number[], values: number[]) => f32("w", shape, values);

Deno.test("lora/1: W + scale x (b a)", () => {
  const a = f32("a", [1, 2], [1, 2]), b = f32("b", [2, 1], [3, 4]);
  const zero = W([2, 2], [0, 0, 0, 0]);
  const operation = { op: "lora/1", tensors: { a, b } } as const;
  assertEquals(applied(zero, [{ ...operation, scale: [1, 2] }]), [1.5, 3, 2, 4]);
  assertEquals(applied(zero, [{ ...operation, scale: [-2, 1] }]), [-6, -12, -8, -16]);
});

Deno.test("lora/1: rank 2, rectangular", () => {
  const a = f32("a", [2, 3], [1, 2, 3, 4, 5, 6]), b = f32("b", [2, 2], [1, 10, 100, 1000]);
  assertEquals(
    applied(W([2, 3], [1, 1, 1, 1, 1, 1]), [{ op: "lora/1", tensors: { a, b } }]),
    [42, 53, 64, 4101, 5201, 6301],
  );
});

Deno.test("operations apply in `order`, adapters in composition order", () => {
  const ones = W([2, 2], [1, 1, 1, 1]);
  const multiply = {
    op: "multiplicative-vector/1",
    axis: 1,
    tensors: { v: f32("v", [2], [2, 2]) },
  } as const;
  const add = {
    op: "additive-delta/1",
    tensors: { delta: f32("delta", [2, 2], [1, 1, 1, 1]) },
  } as const;
  assertEquals(applied(ones, [multiply, add]), [3, 3, 3, 3]);
  assertEquals(applied(ones, [add, multiply]), [4, 4, 4, 4]);
  assertEquals(applied(ones, [multiply], [add]), [3, 3, 3, 3]);
  assertEquals(applied(ones, [add], [multiply]), [4, 4, 4, 4]);
});

Deno.test("multiplicative-vector/1: along either axis", () => {
  const target = W([2, 3], [1, 1, 1, 1, 1, 1]);
  const v = (values: number[]) => ({ v: f32("v", [values.length], values) });
  assertEquals(
    applied(target, [{ op: "multiplicative-vector/1", axis: 0, tensors: v([2, 3]) }]),
    [2, 2, 2, 3, 3, 3],
  );
  assertEquals(
    applied(target, [{ op: "multiplicative-vector/1", axis: 1, tensors: v([2, 3, 4]) }]),
    [2, 3, 4, 2, 3, 4],
  );
});

Deno.test("sparse-delta/1: flat and row-major, strictly increasing and inside", () => {
  const target = W([2, 2], [1, 2, 3, 4]);
  const sparse = (index: bigint[]) =>
    applied(target, [{
      op: "sparse-delta/1",
      scale: [1, 2],
      tensors: {
        index: u64("index", index),
        value: f32("value", [index.length], index.map((_, i) => 10 * (i + 1))),
      },
    }]);
  assertEquals(sparse([0n, 3n]), [6, 2, 3, 14]);
  for (const index of [[3n, 0n], [1n, 1n], [4n], [0n, 2n ** 63n]]) {
    assertEquals(sparse(index), "31 ResourceConstruction");
  }
});

Deno.test("each step rounds to f32", () => {
  const third = Math.fround(1 / 3), tenth = Math.fround(0.1);
  const [result] = applied(W([1], [tenth]), [{
    op: "additive-delta/1",
    scale: [1, 3],
    tensors: { delta: f32("delta", [1], [tenth]) },
  }]);
  assertEquals(result, Math.fround(tenth + Math.fround(third * tenth)));
});

Deno.test("operands of f16 are computed with; of an integer type they are refused", () => {
  const delta = (type: string, payload: Uint8Array) =>
    applied(W([2], [1, 1]), [{
      op: "additive-delta/1",
      tensors: { delta: { role: "operand", name: "delta", shape: [2], type, payload } },
    }]);
  assertEquals(delta("f16", Uint8Array.of(0, 0x3c, 0, 0xc0)), [2, -1]);
  assertEquals(delta("i8", Uint8Array.of(1, 2)), "31 ResourceConstruction");
  assertEquals(delta("f64", new Uint8Array(16)), "31 ResourceConstruction");
});

Deno.test("a quantised target is dequantised, and the file stays as it was", () => {
  const payload = new Uint8Array(34);
  payload.set([0x00, 0x38, 2, 254]); // scale 0.5; codes 2, -2, 0 ...
  const target = { role: "w", name: "w", shape: [32], type: "q8-0.b32.exact", payload };
  const values = Array.from({ length: 32 }, (_, i) => i === 31 ? 5 : 0);
  const result = applied(target, [{
    op: "additive-delta/1",
    tensors: { delta: f32("delta", [32], values) },
  }]);
  assertEquals(result.slice(0, 3), [1, -1, 0]);
  assertEquals(result[31], 5);
  assertEquals(payload.subarray(0, 4), Uint8Array.of(0x00, 0x38, 2, 254));
});

/** Logits of the whole tiny model at the end of a few tokens. */
async function logitsOf(parts: WorldParts): Promise<Float32Array> {
  const it = world(parts);
  const before = it.base.bytes.slice();
  const given = await logits(await active(it), [16, 3, 1, 4], [3]);
  if (isReject(given)) throw new Error(given.code);
  assertEquals(it.base.bytes, before);
  return given[0].logits;
}

Deno.test("a model under adapters gives the logits of the merged weights, bit for bit", async () => {
  for (const role of ["token-embedding", "ffn-down"]) {
    const target = tinyTensors().find((tensor) => tensor.role === role)!;
    const [outs, ins] = target.shape;
    const a = f32("a", [1, ins], Array.from({ length: ins }, (_, i) => i % 3 - 1));
    const b = f32("b", [outs, 1], Array.from({ length: outs }, (_, i) => i % 5 - 2));
    const merged = Array.from(floats(target.payload as Uint8Array), (w, i) => {
      const delta = Math.fround(0.5 * (Math.floor(i / ins) % 5 - 2) * (i % ins % 3 - 1));
      return Math.fround(w + delta);
    });
    const tensors = tinyTensors().map((tensor) =>
      tensor.role === role && tensor.layer === target.layer
        ? { ...tensor, payload: bytesOf(merged) }
        : tensor
    );
    const operation = { op: "lora/1", target, tensors: { a, b }, scale: [1, 2] } as const;
    const adapted = await logitsOf({ adapters: [[operation]] });
    assertEquals(adapted, await logitsOf({ tensors }));
    assertNotEquals(adapted, await logitsOf({}));
  }
});
