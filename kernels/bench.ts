/**
 * Measures the kernels. Contestants take turns within one run, and only their ratios mean
 * anything: machines are shared and noisy.
 */
import { type Backend, isRefusal, type MatrixSpec } from "./backend.ts";
import {
  type Coarse,
  measureC,
  plainMatmul,
  plainMatvec,
  plainQ4,
  plainQ8,
  tokensPerSecond,
} from "./bench_yardsticks.ts";
import { readCheckpoint } from "./checkpoint.ts";
import { openCpu } from "./cpu/backend.ts";
import { type Format, LAYOUTS } from "./quant/format.ts";
import { openWasm } from "./wasm/backend.ts";
import { instantiate } from "./wasm/module.ts";
import { loadWeight } from "./wasm/weight.ts";

/** A value over that of a yardstick measured in the same run. */
export interface Ratio {
  readonly to: string;
  readonly ratio: number;
  /** what the ratio must reach, where something is asked of it */
  readonly least?: number;
}

export interface BenchRow {
  readonly name: string;
  readonly value: number;
  readonly unit: "Gweight/s" | "GFLOP/s" | "token/s";
  readonly ratioTo: readonly Ratio[];
}

export interface BenchOptions {
  /** how often each contestant has its turn; 5 unless said */
  readonly rounds?: number;
  /** path of a C program that prints `C matvec q8_0 VALUE GB/s` and its like */
  readonly cKernels?: string;
  /** a llama2.c checkpoint */
  readonly checkpoint: Uint8Array<ArrayBuffer>;
  /**
   * Programs that generate 256 tokens from the checkpoint and print `achieved tok/s: VALUE`, as
   * llama2.c's does, and what the f32 pass must reach of them.
   */
  readonly others?: readonly {
    readonly name: string;
    readonly command: readonly string[];
    readonly least?: number;
  }[];
}

const PLAIN = "plain TypeScript", C = "C -O3 -march=native -ffast-math";
const SIZE = 4096, TILE = 512, MILLISECONDS = 150;

/** Runs each contestant in turn, `rounds` times for a while: median seconds of one call. */
function race<Name extends string>(
  contestants: Record<Name, () => void>,
  rounds: number,
): Record<Name, number> {
  const times: Record<string, number[]> = {};
  for (let round = 0; round <= rounds; round++) {
    for (const [name, run] of Object.entries<() => void>(contestants)) {
      const one: number[] = [], start = performance.now();
      do {
        const before = performance.now();
        run();
        one.push(performance.now() - before);
      } while (performance.now() - start < MILLISECONDS);
      // the first round only warms up
      if (round > 0) (times[name] ??= []).push(median(one) / 1000);
    }
  }
  const medians = Object.entries(times).map(([name, all]) => [name, median(all)]);
  return Object.fromEntries(medians) as Record<Name, number>;
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1];
}

/** The head of each block: a scale, and q4-1's minimum, of 1 / 16; or a dense 1. */
const HEADS: Record<Format, readonly number[]> = {
  "f32": [0, 0, 0x80, 0x3f],
  "f16": [0, 0x3c],
  "bf16": [0x80, 0x3f],
  "q8-0.b32": [0, 0x2c],
  "q4-0.b32": [0, 0x2c],
  "q4-1.b32": [0, 0x2c, 0, 0x2c],
  "q5-0.b32": [0, 0x2c],
  "nf4.b64": [0, 0x2c],
  "q8-row": [],
};

/** Blocks of any codes: subnormal numbers, which are slow, must not come about. */
function fillWeights(format: Format): (into: Uint8Array, offset: number) => void {
  const { bytes } = LAYOUTS[format], head = HEADS[format];
  return (into, offset) => {
    let state = offset + 1;
    for (let i = 0; i < into.length; i++) {
      state = (Math.imul(state, 1664525) + 1013904223) | 0;
      into[i] = head[(offset + i) % bytes] ?? state >>> 24;
    }
  };
}

/** Plain TypeScript on the same sizes. */
function plainKernels() {
  const y = new Float32Array(SIZE), weights = SIZE * SIZE;
  const random = (n: number) => Float32Array.from({ length: n }, () => Math.random() - 0.5);
  const x = random(SIZE), f32 = random(weights);
  const codes = new Uint8Array(weights), scales = random(weights / 32);
  fillWeights("q8-row")(codes, 0);
  const coarse: Coarse = {
    codes: Int8Array.from(x, (value) => value * 254),
    scales: new Float32Array(SIZE / 32).fill(1 / 254),
  };
  const q8 = new Int8Array(codes.buffer), q4 = codes.subarray(0, weights / 2);
  return {
    "f32": () => plainMatvec(y, f32, x),
    "q8-0.b32": () => plainQ8(y, q8, scales, coarse),
    "q4-0.b32": () => plainQ4(y, q4, scales, coarse),
  } as const;
}

/** What products must reach of plain TypeScript and of C, and the C program's row: its name, and
 * the bytes of 32 weights in its planes of codes and f32 scales. */
const GOALS: Partial<Record<Format, { plain: number; c: number; row: string; bytes: number }>> = {
  "f32": { plain: 2.5, c: 0.5, row: "matvec f32", bytes: 128 },
  "q8-0.b32": { plain: 9, c: 1, row: "matvec q8_0", bytes: 36 },
  "q4-0.b32": { plain: 10, c: 0.8, row: "matvec q4_0", bytes: 20 },
};

/** A product of SIZE x SIZE in the Wasm kernels, with activations prepared anew each time. */
function wasmProduct(format: Format): () => void {
  const { kernels, arena } = instantiate(() => {});
  const { quantised } = LAYOUTS[format], tail = quantised && format !== "q8-row" ? "row" : "exact";
  const spec: MatrixSpec = { format, tail, rows: SIZE, columns: SIZE };
  const room = arena.take(kernels.roomFor(SIZE))!;
  const x = arena.take(4 * SIZE)!, y = arena.take(4 * SIZE)!;
  const scales = format === "q8-row" ? new Float32Array(SIZE).fill(1 / 16) : undefined;
  const weight = loadWeight(kernels, arena, spec, fillWeights(format), scales)!;
  kernels.setRoom(room, SIZE);
  arena.floats(x, SIZE).forEach((_, i, all) => all[i] = Math.sin(i));
  return () => {
    if (quantised) kernels.prepare(x, SIZE);
    kernels.multiply(weight.record, y, x);
  };
}

/** matvec 4096 x 4096 in every format. */
function matvecRows(rounds: number, c: Map<string, number>): BenchRow[] {
  const yardsticks = plainKernels();
  return (Object.keys(LAYOUTS) as Format[]).map((format) => {
    const contestants: Record<string, () => void> = { wasm: wasmProduct(format) };
    const yardstick = yardsticks[format as keyof typeof yardsticks];
    if (yardstick) contestants[PLAIN] = yardstick;
    const { wasm, [PLAIN]: plainly } = race(contestants, rounds);
    const value = SIZE * SIZE / wasm / 1e9, goal = GOALS[format], ratioTo: Ratio[] = [];
    if (goal) {
      ratioTo.push({ to: PLAIN, ratio: plainly / wasm, least: goal.plain });
      const inC = c.get(goal.row);
      if (inC) ratioTo.push({ to: C, ratio: value / (inC * 32 / goal.bytes), least: goal.c });
    }
    return { name: `matvec ${format} ${SIZE}x${SIZE}`, value, unit: "Gweight/s", ratioTo };
  });
}

function matmulRow(rounds: number, c: Map<string, number>): BenchRow {
  const { kernels, arena } = instantiate(() => {});
  const random = () => Float32Array.from({ length: TILE * TILE }, () => Math.random() - 0.5);
  const a = random(), b = random(), out = new Float32Array(TILE * TILE);
  const place = () => arena.take(4 * TILE * TILE)!;
  const w = place(), x = place(), y = place(), record = arena.take(16)!;
  arena.words(record, 4).set([0, TILE, TILE, w]);
  arena.floats(w, TILE * TILE).set(b);
  arena.floats(x, TILE * TILE).set(a);
  const { wasm, plain } = race({
    wasm: () => kernels.multiplyAll(record, y, x, TILE),
    plain: () => plainMatmul(out, a, b, TILE),
  }, rounds);
  const value = 2 * TILE ** 3 / wasm / 1e9, inC = c.get(`matmul ${TILE}^3`);
  const ratioTo: Ratio[] = [{ to: `tiled ${PLAIN}`, ratio: plain / wasm, least: 7 }];
  if (inC) ratioTo.push({ to: C, ratio: value / inC });
  return { name: `matmul f32 ${TILE}^3`, value, unit: "GFLOP/s", ratioTo };
}

/** Greedy generation of 256 tokens from the first. */
function generationRows({ rounds = 5, checkpoint, others = [] }: BenchOptions): BenchRow[] {
  const model = readCheckpoint(checkpoint), count = Math.min(256, model.positions);
  const generate = (backend: Backend, format: Format) => {
    const loaded = model.load(backend, { choose: () => format });
    const session = backend.session(loaded, { element: "f32", positions: model.positions });
    if (isRefusal(session)) throw new Error(session.why);
    return () => session.greedy(1, 0, count);
  };
  const wasm = () => openWasm() as Backend;
  const before = others.map(({ command }) => tokensPerSecond(command));
  const times = race({
    "wasm f32": generate(wasm(), "f32"),
    "wasm q8-0.b32": generate(wasm(), "q8-0.b32"),
    "wasm q4-0.b32": generate(wasm(), "q4-0.b32"),
    "cpu f32": generate(openCpu(), "f32"),
  }, rounds);
  const rates = others.map(({ command }, i) => Math.max(before[i], tokensPerSecond(command)));
  return Object.entries(times).map(([name, seconds]) => {
    const value = count / seconds, ratioTo: Ratio[] = [];
    if (name !== "cpu f32") ratioTo.push({ to: "cpu backend", ratio: times["cpu f32"] / seconds });
    others.forEach(({ name: to, least }, i) => {
      const goal = name === "wasm f32" && least !== undefined ? { least } : {};
      ratioTo.push({ to, ratio: value / rates[i], ...goal });
    });
    return { name: `generation ${name}`, value, unit: "token/s", ratioTo };
  });
}

/** All rows; takes about half a minute. Prints nothing. */
export function benchKernels(options: BenchOptions): BenchRow[] {
  const { rounds = 5, cKernels } = options;
  const c = new Map<string, number>();
  // C runs in a process of its own, before and after: its better figure counts.
  const measure = () => {
    if (cKernels === undefined) return;
    for (const [row, value] of measureC(cKernels)) c.set(row, Math.max(value, c.get(row) ?? 0));
  };
  measure();
  const generation = generationRows(options);
  measure();
  return [...matvecRows(rounds, c), matmulRow(rounds, c), ...generation];
}
