/**
 * How fast the kernels compute: Wasm beside plain TypeScript, and beside C where a compiler and a
 * yardstick are there; the tiled WebGPU product beside a naive one.
 *
 * `SLMLAB_C_KERNELS` names a C program that prints `C matvec q8_0 VALUE GB/s` and its like (absent:
 * `kernels.c` beside the reference data); `SLMLAB_LLAMA2C` names llama2.c's `run.c`.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isRefusal } from "../../kernels/backend.ts";
import { benchKernels, type BenchOptions, type BenchRow } from "../../kernels/bench.ts";
import { benchTile } from "../../kernels/webgpu/bench.ts";
import { loadBackend } from "../backends.ts";
import { dataFolder } from "../data.ts";
import type { Row } from "./rounds.ts";

const FABLE = fileURLToPath(new URL("../../corpus/models/fable/", import.meta.url));

/** llama2.c's builds, and what the f32 pass must reach of each. */
const BUILDS = [
  { name: "llama2.c -O2", flags: ["-O2"], least: 1.8 },
  { name: "llama2.c -O3 fast-math", flags: ["-O3", "-march=native", "-ffast-math"], least: 0.75 },
] as const;

/** What the tiled product must reach of the naive one, kernel alone. */
const TILE_LEAST = 7;

export async function kernelRows(): Promise<Row[]> {
  const folder = Deno.makeTempDirSync({ prefix: "lab-bench-" });
  try {
    const rows = benchKernels({
      checkpoint: Deno.readFileSync(join(FABLE, "fable.bin")),
      cKernels: cKernels(),
      others: llama2c(folder),
    });
    return [...rows.flatMap(asRows), ...missingRows(), ...await webGpuRows()];
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

/** What cannot be measured here, each with what it wants. */
function missingRows(): Row[] {
  const row = (group: string, name: string, missing: string): Row => {
    return { group, name, value: NaN, unit: "missing", missing };
  };
  const wants = Deno.env.get("SLMLAB_LLAMA2C") === undefined
    ? "SLMLAB_LLAMA2C names no run.c"
    : compiles()
    ? null
    : "no gcc";
  return [
    ...(wants === null
      ? []
      : BUILDS.map(({ name, least }) =>
        row("generation", `f32 / ${name}`, `${wants}; at least ${least} is asked`)
      )),
    ...(cKernels() === undefined
      ? [row("matvec", "Wasm / C", "SLMLAB_C_KERNELS names no program")]
      : []),
  ];
}

function asRows({ name, value, unit, ratioTo }: BenchRow): Row[] {
  const [group, ...rest] = name.split(" ");
  const what = rest.join(" ");
  return [
    { group, name: what, value, unit },
    ...ratioTo.map(({ to, ratio, least }): Row => ({
      group,
      name: `${what} / ${to.startsWith("C ") ? "C" : to}`,
      value: ratio,
      unit: "ratio",
      against: to,
      least,
    })),
  ];
}

async function webGpuRows(): Promise<Row[]> {
  await loadBackend("webgpu"); // prepares the process for its driver
  const rates = await benchTile();
  if (isRefusal(rates)) {
    console.error(`lab: no WebGPU rows: ${rates.why}`);
    return [];
  }
  const { tiled, naive } = rates, group = "webgpu", unit = "GFLOP/s";
  return [
    { group, name: "matmul f32 512^3, tiled", value: tiled, unit },
    { group, name: "matmul f32 512^3, naive", value: naive, unit },
    {
      group,
      name: "tiled / naive, kernel alone",
      value: tiled / naive,
      unit: "ratio",
      against: "a naive shader",
      least: TILE_LEAST,
    },
  ];
}

function cKernels(): string | undefined {
  const given = Deno.env.get("SLMLAB_C_KERNELS"), data = dataFolder();
  if (given !== undefined || data === null) return given;
  const beside = fileURLToPath(new URL("../bench/llm/kernels.c", data));
  return isFile(beside) ? beside : undefined;
}

/** Builds `run.c` as it is judged, where it and a compiler are there. */
function llama2c(folder: string): BenchOptions["others"] {
  const source = Deno.env.get("SLMLAB_LLAMA2C");
  if (source === undefined) return [];
  const model = [join(FABLE, "fable.bin"), "-z", join(FABLE, "fable-tok.bin")];
  return BUILDS.flatMap(({ name, flags, least }) => {
    const program = join(folder, name.replaceAll(/[ /]/g, "-"));
    if (!compile([...flags, source, "-o", program, "-lm"])) return [];
    return [{ name, command: [program, ...model, "-t", "0", "-n", "256"], least }];
  });
}

const compiles = () => compile(["--version"]);

/** False where there is no compiler, or it refuses. */
function compile(args: string[]): boolean {
  try {
    return new Deno.Command("gcc", { args }).outputSync().success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
