import { assert, assertEquals } from "@std/assert";
import { hash } from "blake3-jit";
import fc from "fast-check";
import { dataTest } from "../../lab/data.ts";
import { Blake3, blake3, WINDOW, window } from "./blake3.ts";
import { build, source } from "./blake3_build.ts";

/** The input of the official vectors. */
const pattern = (length: number): Uint8Array => new Uint8Array(length).map((_, i) => i % 251);

/** The window with the start of `bytes` in it. */
function inWindow(bytes: Uint8Array, at = 0): Uint8Array {
  window.set(bytes, at);
  return window.subarray(at, at + bytes.length);
}

/** The hash of `bytes` fed in pieces that end at `cuts`, each read into the window first. */
function pieces(hasher: Blake3, bytes: Uint8Array, cuts: number[]): Uint8Array {
  const ends = cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b);
  let from = 0;
  for (const to of [...ends, bytes.length]) {
    for (; to - from > WINDOW; from += WINDOW) {
      hasher.update(inWindow(bytes.subarray(from, from + WINDOW)));
    }
    hasher.update(inWindow(bytes.subarray(from, to), from % 5 % (WINDOW - to + from + 1)));
    from = to;
  }
  return hasher.digest();
}

for (const file of ["blake3_test_vectors.json", "blake3_extra.json"]) {
  dataTest(`BLAKE3: ${file}`, (data) => {
    const text = Deno.readTextFileSync(new URL(`vectors/${file}`, data));
    const { cases } = JSON.parse(text) as { cases: { input_len: number; hash: string }[] };
    const hasher = new Blake3();
    assert(cases.length > 30);
    for (const { input_len, hash } of cases) {
      const input = pattern(input_len), expected = hash.slice(0, 64);
      assertEquals(blake3(input).toHex(), expected, `${input_len} at once`);
      assertEquals(pieces(hasher.reset(), input, [40]).toHex(), expected, `${input_len} streamed`);
    }
  });
}

Deno.test("BLAKE3: the committed module is what its source builds", () => {
  const committed = Deno.readTextFileSync(new URL("blake3_data.ts", import.meta.url));
  assert(committed === source(), "run deno task build:blake3");
});

Deno.test("BLAKE3: every length to 5000, whole and in two pieces", () => {
  const hasher = new Blake3();
  const input = pattern(5000);
  for (let length = 0; length <= input.length; length++) {
    const bytes = input.subarray(0, length);
    const expected = hash(bytes).toHex();
    assertEquals(blake3(bytes).toHex(), expected, `${length}`);
    const cut = length * 7919 % (length + 1);
    assertEquals(
      pieces(hasher.reset(), bytes, [cut]).toHex(),
      expected,
      `${length}, cut at ${cut}`,
    );
  }
  assertEquals(input, pattern(5000));
});

Deno.test("BLAKE3: any cuts, own memory or window, digests on the way", () => {
  const input = pattern(700_000);
  const length = fc.oneof(fc.nat(20_000), fc.nat(input.length));
  fc.assert(
    fc.property(length, fc.array(fc.nat(input.length), { maxLength: 6 }), (length, cuts) => {
      const bytes = input.subarray(0, length);
      const expected = hash(bytes).toHex();
      assertEquals(pieces(new Blake3(), bytes, cuts).toHex(), expected);
      const hasher = new Blake3();
      let from = 0;
      for (const to of [...cuts.filter((cut) => cut < length).sort((a, b) => a - b), length]) {
        hasher.update(bytes.subarray(from, to));
        if (to < 9000) assertEquals(hasher.digest().toHex(), hash(bytes.subarray(0, to)).toHex());
        from = to;
      }
      assertEquals(hasher.digest().toHex(), expected);
      assertEquals(hasher.digest().toHex(), expected);
    }),
    { numRuns: 60 },
  );
  assert(input.every((byte, i) => byte === i % 251), "the input was written to");
});

Deno.test("BLAKE3: many hashers at once, in any order", () => {
  const feed = fc.record({ who: fc.nat(99), length: fc.oneof(fc.nat(100), fc.nat(30_000)) });
  const bytes = pattern(30_000);
  fc.assert(
    fc.property(fc.array(feed, { maxLength: 120 }), (feeds) => {
      const hashers = Array.from({ length: 100 }, () => new Blake3());
      const inputs = hashers.map((): number[] => []);
      for (const { who, length } of feeds) {
        const piece = bytes.subarray(bytes.length - length);
        hashers[who].update(length % 2 ? piece : inWindow(piece, length % 9));
        inputs[who].push(...piece);
      }
      hashers.forEach((hasher, i) => {
        assertEquals(hasher.digest().toHex(), hash(new Uint8Array(inputs[i])).toHex());
        hasher.free();
      });
    }),
    { numRuns: 20 },
  );
});

Deno.test("BLAKE3: two hashers on the same windows, one with a prefix", () => {
  const prefix = pattern(40);
  const file = new Uint8Array(3 * WINDOW).map((_, i) => Math.imul(i, 2654435761) >>> 24);
  const whole = new Blake3(), framed = new Blake3().update(prefix);
  for (let at = 0; at < file.length; at += WINDOW) {
    const bytes = inWindow(file.subarray(at, at + WINDOW));
    whole.update(bytes);
    framed.update(bytes);
    assertEquals(window, file.subarray(at, at + WINDOW));
  }
  assertEquals(whole.digest().toHex(), hash(file).toHex());
  assertEquals(framed.digest().toHex(), hash(new Uint8Array([...prefix, ...file])).toHex());
});

Deno.test("BLAKE3: views that begin at any byte, and what lies beside them", () => {
  for (const length of [0, 1, 63, 64, 65, 1023, 1024, 1025, 4096, 5000, 70_001]) {
    for (const offset of [1, 2, 3]) {
      const buffer = pattern(length + 2 * offset);
      const view = new Uint8Array(buffer.buffer, offset, length);
      const expected = hash(view).toHex();
      assertEquals(blake3(view).toHex(), expected);
      assertEquals(new Blake3().update(view).digest().toHex(), expected);
      assertEquals(buffer, pattern(buffer.length));
      window.fill(0xaa);
      const inside = inWindow(view, offset);
      assertEquals(blake3(inside).toHex(), expected);
      assertEquals(new Blake3().update(inside).digest().toHex(), expected);
      assertEquals(inside, view);
      assert(window.subarray(offset + length).every((byte) => byte === 0xaa));
    }
  }
});

Deno.test("BLAKE3: a freed or reset hasher begins anew; a digest is the caller's", () => {
  const hasher = new Blake3().update(pattern(10_000));
  const first = hasher.digest(), other = new Blake3().update(pattern(9_000));
  hasher.free();
  const empty = hasher.digest();
  assertEquals(first.toHex(), hash(pattern(10_000)).toHex());
  assertEquals(empty.toHex(), hash(new Uint8Array()).toHex());
  assertEquals(hasher.update(pattern(77)).digest().toHex(), hash(pattern(77)).toHex());
  assertEquals(other.digest().toHex(), hash(pattern(9_000)).toHex());
  assertEquals(other.reset().digest(), empty);

  const many = Array.from({ length: 100 }, (_, i) => blake3(pattern(i)));
  many[50].fill(0xff);
  many.forEach((digest, i) => i === 50 || assertEquals(digest.toHex(), hash(pattern(i)).toHex()));
});

Deno.test("BLAKE3: the window keeps its place however much is hashed", () => {
  assertEquals(window.length, WINDOW);
  const hashers = Array.from({ length: 300 }, (_, i) => new Blake3().update(pattern(5000 + i)));
  hashers.forEach((hasher, i) =>
    assertEquals(hasher.digest().toHex(), hash(pattern(5000 + i)).toHex())
  );
  assertEquals(window.length, WINDOW);
});

Deno.test("BLAKE3: four lanes and one agree on every chunk counter up to 2^43", () => {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(build()));
  const { memory, chunks4, chunk } = exports as {
    memory: WebAssembly.Memory;
    chunks4(source: number, t0: number, t1: number, h: number): void;
    chunk(source: number, length: number, t0: number, t1: number, flags: number, h: number): void;
  };
  const [input, four, one] = [4096, 512, 1024];
  new Uint8Array(memory.buffer).set(pattern(4096), input);
  const words = new Uint32Array(memory.buffer);
  const seen = new Set<string>();
  const counters = [0, 4, 2 ** 31 - 4, 2 ** 31, 2 ** 32 - 4, 2 ** 32, 2 ** 33, 2 ** 43 - 4];
  for (const t of counters) {
    chunks4(input, t, t / 2 ** 32, four);
    for (let lane = 0; lane < 4; lane++) {
      chunk(input + 1024 * lane, 1024, t + lane, t / 2 ** 32, 0, one);
      const expected = words.slice(one / 4, one / 4 + 8);
      assertEquals(expected.map((_, i) => words[four / 4 + 4 * i + lane]), expected, `${t}`);
      seen.add(expected.join());
    }
  }
  assertEquals(seen.size, 4 * counters.length);
});
