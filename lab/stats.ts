/** `run --stats`: what a composition was predicted to take, beside what it took. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isImportError } from "../corpus/importers/import.ts";
import { packLlama2c } from "../corpus/importers/pack_llama2c.ts";
import { isWriteError } from "../corpus/writer/fault.ts";
import {
  activate,
  ActiveSlot,
  type Conversation,
  generate,
  type Generation,
  isReject,
  ofSequence,
  openStore,
  weightBytes,
} from "../readers/runtime/mod.ts";
import { bytesText } from "../reports/words.ts";
import type { Named } from "./activation.ts";
import { loadBackend } from "./backends.ts";
import { loadReader } from "./readers.ts";
import { residentPeak } from "./testee/rss.ts";

const FABLE = fileURLToPath(new URL("../corpus/models/fable/", import.meta.url));

/** How often the bundled model runs before: the engine compiles and its heap grows a few times. */
const ROUNDS = 3;

/**
 * Watches the process's resident memory from its making on. Code, compiled code, a driver, and the
 * heap that garbage collection leaves are not a model's: what they take is measured in this very
 * process, by running a small model on the same reader and backend first.
 */
export class MemoryWatch {
  /** resident bytes of the process with everything but the model */
  readonly engine = Deno.memoryUsage().rss;
  readonly #peakBefore = residentPeak(Deno.pid);

  private constructor() {}

  static async afterWarmUp(named: Pick<Named, "reader" | "backend">): Promise<MemoryWatch> {
    const folder = Deno.makeTempDirSync({ prefix: "lab-stats-" });
    try {
      const model = join(FABLE, "fable.bin"), tokenizer = join(FABLE, "fable-tok.bin");
      const packed = packLlama2c({ model, tokenizer, out: folder });
      if (isImportError(packed) || isWriteError(packed)) throw new Error(packed.expected);
      const id = packed.composition.identities.artifact_id;
      const store = openStore(folder);
      const reader = await loadReader(named.reader), backend = await loadBackend(named.backend);
      for (let round = 0; round < ROUNDS; round++) {
        using file = new DisposableStack();
        const source = file.adopt(store.open(id)!, (opened) => opened.close());
        const slot = new ActiveSlot();
        const context = await activate({ composition: source, store, reader, backend, slot });
        if (isReject(context)) break; // the backend is not there: the model itself will say so
        await generate(context, { prompt: { text: "Once upon a time" }, max_new_tokens: 64 });
        context.release();
      }
      return new MemoryWatch();
    } finally {
      Deno.removeSync(folder, { recursive: true });
    }
  }

  /** The most that the process held since; where an earlier peak hides it, what it holds now. */
  peak(): number {
    const peak = residentPeak(Deno.pid);
    return peak > this.#peakBefore ? peak : Deno.memoryUsage().rss;
  }
}

/** A line of the report, in bytes; null where that cannot be predicted, or not measured. */
export interface ResourceLine {
  readonly name: string;
  readonly predicted: number | null;
  readonly measured: number | null;
}

/**
 * The report's resource formulas (`resources.ts`) for the sequence of `conversation`, beside what
 * was measured. A software adapter's buffers lie in the process and count in its peak.
 */
export function resourceLines(conversation: Conversation, watch: MemoryWatch): ResourceLine[] {
  const { context, session: { kv } } = conversation, { model, backend } = context;
  const r = ofSequence(context.resources, { shape: model.shape, kv, backend: backend.name });
  const built = weightBytes(model), { device } = backend;
  const peak = watch.engine + r.host_peak + (device?.inProcess ? r.device_peak : 0);
  const line = (name: string, predicted: number | null, measured: number | null = null) => {
    return { name, predicted, measured };
  };
  return [
    line("files (F)", r.F),
    line("logical composition (C)", r.C),
    line("metadata (H)", r.H),
    line("weights on the host (W)", r.W, device ? 0 : built),
    line("weights on the device (G)", r.G, device ? built : 0),
    line("staging, copies (B+J+S)", r.B + r.J + r.S),
    line("adapter conversion", r.conversion),
    line("activations (A)", r.A),
    line("KV cache (K)", r.K),
    ...(device
      ? [
        line("device, steady (G+A+K)", r.device_steady, device.bytes),
        line("device, peak", r.device_peak, device.peak),
      ]
      : []),
    line("model on the host, peak", r.host_peak, null),
    line("engine, before the model", null, watch.engine),
    line(
      device?.inProcess ? "process, peak, with device" : "process, peak",
      peak,
      watch.peak(),
    ),
  ];
}

/** Prints the report and the rates on standard error. */
export function printStats(
  lines: readonly ResourceLine[],
  { tokens, timing, reused }: Generation,
): void {
  const shown = (bytes: number | null) => bytes === null ? "" : bytesText(bytes);
  console.error(`${"".padEnd(28)}${"predicted".padStart(12)}${"measured".padStart(12)}`);
  for (const { name, predicted, measured } of lines) {
    console.error(
      name.padEnd(28) + shown(predicted).padStart(12) + shown(measured).padStart(12) +
        (predicted && measured ? `  ${(measured / predicted * 100 - 100).toFixed(1)} %` : ""),
    );
  }
  console.error(`prefill   ${timing.prefill.toFixed(1)} ms, ${reused} positions reused`);
  console.error(`decode    ${(tokens.length / (timing.decode / 1000)).toFixed(0)} tokens/s`);
}
