/** `run --stats`: what a composition was predicted to take, beside what it took. */
import { type Context, type Generation, weightBytes } from "../readers/runtime/mod.ts";
import { bytesText } from "../reports/words.ts";
import { residentPeak } from "./testee/rss.ts";

/** Watches the process's resident memory from its making on. */
export class MemoryWatch {
  readonly #before = Deno.memoryUsage().rss;
  readonly #peakBefore = residentPeak(Deno.pid);

  /**
   * By how many bytes resident memory has grown at its most: the code, the engine and its garbage
   * are in it, some tens of MiB. Where an earlier peak hides a later one, what is held now.
   */
  growth(): number {
    const peak = residentPeak(Deno.pid), now = Deno.memoryUsage().rss;
    return Math.max(0, (peak > this.#peakBefore ? peak : now) - this.#before);
  }
}

/** A line of the report, in bytes; null where that cannot be measured. */
export interface ResourceLine {
  readonly name: string;
  readonly predicted: number;
  readonly measured: number | null;
}

/** The report's resource formulas for one sequence (`resources.ts`), beside what was measured. */
export function resourceLines(context: Context, watch: MemoryWatch): ResourceLine[] {
  const { resources: r, model, backend } = context, built = weightBytes(model);
  const gpu = backend.name === "webgpu";
  return [
    { name: "files (F)", predicted: r.F, measured: null },
    { name: "logical composition (C)", predicted: r.C, measured: null },
    { name: "metadata (H)", predicted: r.H, measured: null },
    { name: "weights on the host (W)", predicted: r.W, measured: gpu ? 0 : built },
    { name: "weights on the device (G)", predicted: r.G, measured: gpu ? built : 0 },
    { name: "staging, copies (B+J+S)", predicted: r.B + r.J + r.S, measured: null },
    { name: "adapter conversion", predicted: r.conversion, measured: null },
    { name: "activations (A)", predicted: r.A, measured: null },
    { name: "KV cache (K)", predicted: r.K, measured: null },
    { name: "peak on the host", predicted: r.host_peak, measured: watch.growth() },
    { name: "steady on the device", predicted: r.device_steady, measured: null },
  ];
}

/** Prints the report and the rates on standard error. */
export function printStats(
  lines: readonly ResourceLine[],
  { tokens, timing, reused }: Generation,
): void {
  console.error(`${"".padEnd(28)}${"predicted".padStart(12)}${"measured".padStart(12)}`);
  for (const { name, predicted, measured } of lines) {
    const seen = measured === null ? "" : bytesText(measured);
    console.error(`${name.padEnd(28)}${bytesText(predicted).padStart(12)}${seen.padStart(12)}`);
  }
  console.error(`prefill   ${timing.prefill.toFixed(1)} ms, ${reused} positions reused`);
  console.error(`decode    ${(tokens.length / (timing.decode / 1000)).toFixed(0)} tokens/s`);
}
