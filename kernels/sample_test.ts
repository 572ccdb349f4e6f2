import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { largest, sample, seededRandom, xoshiro128 } from "./sample.ts";

const logits = (...values: number[]) => new Float32Array(values);

Deno.test("largest: the lowest id on ties, an error on NaN anywhere", () => {
  assertEquals(largest(logits(1, 3, 3, 2)), 1);
  assertEquals(largest(logits(-Infinity, -Infinity)), 0);
  assertEquals(largest(logits(5, NaN)), "NanLogits");
  assertEquals(largest(logits(NaN, 5)), "NanLogits");
});

Deno.test("temperature 0 draws nothing", () => {
  const never = () => {
    throw new Error("drawn");
  };
  assertEquals(sample(logits(1, 2, 2), { temperature: 0, topK: 0, topP: 1 }, never), 1);
  const warm = { temperature: 1, topK: 0, topP: 1 };
  assertEquals(sample(logits(1, NaN), warm, never), "NanLogits");
});

Deno.test("top-k keeps the lower ids of equals; above the vocabulary it is the vocabulary", () => {
  const ids = (topK: number) => {
    const seen = new Set<unknown>(), x = logits(0, 1, 1, 1, 0);
    for (let u = 0; u < 1; u += 0.01) {
      seen.add(sample(x, { temperature: 1, topK, topP: 1 }, () => u));
    }
    return [...seen].sort();
  };
  assertEquals(ids(1), [1]);
  assertEquals(ids(2), [1, 2]);
  assertEquals(ids(99), [0, 1, 2, 3, 4]);
  assertEquals(ids(0), [0, 1, 2, 3, 4]);
});

Deno.test("top-p keeps the fewest that reach it", () => {
  const x = logits(Math.log(0.5), Math.log(0.25), Math.log(0.25));
  const last = (topP: number) => sample(x, { temperature: 1, topK: 0, topP }, () => 1 - 2 ** -32);
  assertEquals(last(0.4), 0);
  assertEquals(last(0.6), 1);
  assertEquals(last(1), 2);
});

Deno.test("infinite logits draw among themselves, and nothing gives NaN", () => {
  const how = { temperature: 0.7, topK: 0, topP: 1 };
  assertEquals(sample(logits(1, Infinity, 2, Infinity), how, () => 0.9), 3);
  assertEquals(sample(logits(-Infinity, 4), how, () => 0.999), 1);
});

Deno.test("draws follow the probabilities", () => {
  const x = logits(0, Math.log(3)), random = seededRandom(7);
  let ones = 0;
  for (let i = 0; i < 4000; i++) {
    if (sample(x, { temperature: 1, topK: 0, topP: 1 }, random) === 1) ones++;
  }
  assert(Math.abs(ones / 4000 - 0.75) < 0.03, String(ones));
});

Deno.test("a draw is one of the vocabulary whatever the logits and cuts", () => {
  const any = fc.float({ noNaN: true });
  const cuts = fc.record({
    temperature: fc.double({ min: 0.01, max: 10, noNaN: true }),
    topK: fc.nat(12),
    topP: fc.double({ min: 0.001, max: 1, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(any, { minLength: 1, maxLength: 8 }), cuts, fc.nat(), (x, how, seed) => {
      const id = sample(logits(...x), how, seededRandom(seed));
      assert(typeof id === "number" && id >= 0 && id < x.length);
    }),
  );
});

Deno.test("xoshiro128**: the stream of the reference program from 1, 2, 3, 4", () => {
  const random = xoshiro128(1, 2, 3, 4);
  const words = Array.from({ length: 4 }, () => random() * 2 ** 32);
  assertEquals(words, [11520, 0, 5927040, 70819200]);
});

Deno.test("a seed fixes the stream, and both of its halves count", () => {
  const first = (seed: number) => Array.from({ length: 3 }, seededRandom(seed));
  assertEquals(first(42), first(42));
  const seeds = [0, 1, 2 ** 32, 2 ** 32 + 1, 2 ** 53 - 1];
  assertEquals(new Set(seeds.map((seed) => first(seed).join())).size, seeds.length);
});
