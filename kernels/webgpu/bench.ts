/** Kernel-only time of the tiled product against the same product as one writes it first. */
import { isRefusal, type Refusal } from "../backend.ts";
import { openWebGpu, type WebGpuBackend } from "./backend.ts";
import { type Dispatch, encodePass } from "./pass.ts";
import { denseNaive } from "./shaders_products.ts";
import { gpuWeight } from "./weight.ts";

const SIZE = 512;
/** A readback has a fixed cost of milliseconds: what it takes to run many less one is the kernel's. */
const MANY = 9;

export interface TileBench {
  /** GFLOP/s, medians of the rounds */
  readonly tiled: number;
  readonly naive: number;
}

/** Measures a product of 512 x 512 x 512 in f32, both kernels in turn; refused without an adapter. */
export async function benchTile(rounds = 5): Promise<TileBench | Refusal> {
  const backend = await openWebGpu();
  if (isRefusal(backend)) return backend;
  try {
    return await race(backend, rounds);
  } finally {
    backend.close();
  }
}

async function race(backend: WebGpuBackend, rounds: number): Promise<TileBench | Refusal> {
  const { gpu } = backend;
  const values = Float32Array.from({ length: SIZE * SIZE }, (_, i) => (i * 7 % 31 - 15) / 16);
  const bytes = new Uint8Array(values.buffer);
  const spec = { format: "f32", tail: "exact", rows: SIZE, columns: SIZE } as const;
  const loaded = await backend.load(
    spec,
    (into, offset) => into.set(bytes.subarray(offset, offset + into.length)),
  );
  if (isRefusal(loaded)) return loaded;
  const x = gpu.upload(values), y = gpu.buffer(4 * SIZE * SIZE), weight = gpuWeight(loaded);
  const span = gpu.upload(new Uint32Array([0, SIZE])), tiled = weight.multiplyAll(x, y, span);
  const part = gpu.uniform([SIZE, SIZE, SIZE, 0, SIZE, 0, 0, 0]);
  const naive: Dispatch[] = [{
    ...gpu.bind(denseNaive, [[0, part], [1, weight.parts[0].buffer], [2, x], [3, y], [5, span]]),
    groups: (inputs) => [SIZE / 8, inputs / 8, 1],
  }];
  const seconds = async (dispatches: readonly Dispatch[], times: number) => {
    const begun = performance.now();
    gpu.submit((encoder) => {
      for (let i = 0; i < times; i++) encodePass(encoder, dispatches, SIZE);
    });
    await gpu.read(y, 0, 16);
    return (performance.now() - begun) / 1000;
  };
  const rates = { tiled: [] as number[], naive: [] as number[] };
  for (let round = -1; round < rounds; round++) {
    for (const [name, dispatches] of [["tiled", tiled], ["naive", naive]] as const) {
      const one = await seconds(dispatches, 1), many = await seconds(dispatches, MANY);
      if (round >= 0) rates[name].push(2 * SIZE ** 3 * (MANY - 1) / (many - one) / 1e9);
    }
  }
  const median = (list: number[]) => list.sort((a, b) => a - b)[list.length >> 1];
  return { tiled: median(rates.tiled), naive: median(rates.naive) };
}
