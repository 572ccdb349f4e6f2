/**
 * Our BLAKE3 beside blake3-jit's one-shot `hash()`, as ratios of speeds: above 1 is ours.
 *
 * Run `deno run readers/cursor/blake3_bench.ts [ROUNDS]`. The two take turns inside each round,
 * and the median of the rounds' ratios is printed, so that a busy machine slows both.
 */

import { hash } from "blake3-jit";
import { Blake3, blake3, WINDOW, window } from "./blake3.ts";

const MIB = 1 << 20;
const PREFIX = new Uint8Array(40); // so that no chunk begins where a window does
const input = new Uint8Array(64 * MIB).map((_, i) => Math.imul(i, 2654435761) >>> 24);
window.set(input.subarray(0, WINDOW));

/** `bytes` of input through the window, to each of `hashers` in turn. */
function stream(bytes: number, hashers: Blake3[]): void {
  for (const hasher of hashers) hasher.reset().update(PREFIX);
  for (let at = 0; at < bytes; at += WINDOW) {
    for (const hasher of hashers) hasher.update(window);
  }
  for (const hasher of hashers) hasher.digest();
}

interface Row {
  name: string;
  /** Bytes hashed by a call of either. */
  bytes: number;
  calls: number;
  ours(): unknown;
  theirs(): unknown;
}

const hashers = [new Blake3(), new Blake3()];
const whole = (length: number): Row => {
  const bytes = input.slice(0, length);
  return {
    name: `${length} B at once`,
    bytes: length,
    calls: Math.ceil(16 * MIB / (length + 256)),
    ours: () => blake3(bytes),
    theirs: () => hash(bytes),
  };
};

const rows: Row[] = [
  {
    name: "64 MiB in windows",
    bytes: input.length,
    calls: 1,
    ours: () => stream(input.length, hashers.slice(0, 1)),
    theirs: () => hash(input),
  },
  {
    name: "the same, two hashers in turn",
    bytes: input.length,
    calls: 1,
    ours: () => stream(input.length / 2, hashers),
    theirs: () => hash(input),
  },
  ...[input.length, 65_536, 4096, 2500, 1024, 200, 64].map(whole),
];

/** Seconds of one call. */
function time(calls: number, call: () => unknown): number {
  const start = performance.now();
  for (let i = 0; i < calls; i++) call();
  return (performance.now() - start) / 1000 / calls;
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1];

const rounds = Number(Deno.args[0] ?? 9);
console.log("".padEnd(30), "ours MiB/s".padStart(11), "theirs".padStart(9), "ratio".padStart(7));
for (const { name, bytes, calls, ours, theirs } of rows) {
  const times = Array.from({ length: rounds + 1 }, () => [time(calls, ours), time(calls, theirs)]);
  times.shift(); // the first round compiles
  const rate = (side: number) => (bytes / MIB / median(times.map((t) => t[side]))).toFixed(0);
  const ratio = median(times.map(([a, b]) => b / a)).toFixed(2);
  console.log(name.padEnd(30), rate(0).padStart(11), rate(1).padStart(9), ratio.padStart(7));
}
