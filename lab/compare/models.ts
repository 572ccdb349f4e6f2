/**
 * The suite's compositions: packed on first use into a store of the suite's own, and activated
 * once a backend.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isImportError } from "../../corpus/importers/import.ts";
import { keepDense, type StoreMatrix } from "../../corpus/importers/llama2c.ts";
import { packLlama2c } from "../../corpus/importers/pack_llama2c.ts";
import { quantiseTo } from "../../corpus/importers/quantise.ts";
import { put, type Staged } from "../../corpus/store.ts";
import { adapter } from "../../corpus/writer/build/adapter.ts";
import { composition } from "../../corpus/writer/build/composition.ts";
import type { Description } from "../../corpus/writer/description.ts";
import { isWriteError } from "../../corpus/writer/fault.ts";
import type { Weight } from "../../kernels/backend.ts";
import { openCpu } from "../../kernels/cpu/backend.ts";
import {
  activate,
  ActiveSlot,
  type BackendChoice,
  type Context,
  isReject,
  logits,
  type LogitsAt,
  openStore,
} from "../../readers/runtime/mod.ts";
import type { Reader } from "../../readers/contract.ts";
import { dataFolder } from "../data.ts";
import { merged, operations } from "./adapter.ts";
import { type ExactPass, exactPass } from "./exact.ts";
import { noisy } from "./noise.ts";

/** A composition of the suite is rejected on a backend: a finding, not a bug of the suite. */
export class NotActivated extends Error {}

/** A model of the suite, or why it cannot be had here. */
type Source = { readonly bin: string; readonly tok: string } | { readonly absent: string };

const FABLE = fileURLToPath(new URL("../../corpus/models/fable/", import.meta.url));

/** Files of a model by its name. */
function sourceOf(name: string): Source {
  if (name === "fable") return { bin: join(FABLE, "fable.bin"), tok: join(FABLE, "fable-tok.bin") };
  const folder = dataFolder();
  if (folder === null) return { absent: "no SLMLAB_DATA" };
  const at = (file: string) => fileURLToPath(new URL(`models/${file}`, folder));
  return { bin: at("stories260K.bin"), tok: at("tok512.bin") };
}

/**
 * A name is `fable` or `stories260K`, then perhaps `/` and a profile, with `+f32-down` where
 * ffn-down stays f32; or `/adapter`; or `/merged`, the adapter's weights formed beforehand; or
 * `/noise:FAMILY:SEED`, weights moved within the cells of a profile.
 */
export class Models {
  readonly #store = Deno.makeTempDirSync({ prefix: "lab-compare-" });
  readonly #compositions = new Map<string, string>();
  readonly #contexts = new Map<string, Context>();
  readonly #logits = new Map<string, Promise<LogitsAt[]>>();
  /** the last one asked for */
  readonly #exact = new Map<string, Promise<ExactPass>>();

  constructor(
    readonly reader: Reader,
    readonly backends: Readonly<Record<string, BackendChoice>>,
  ) {}

  /** Why a model cannot be had here, or null. */
  absent(name: string): string | null {
    const source = sourceOf(name.split("/")[0]);
    return "absent" in source ? source.absent : null;
  }

  /** The composition `name`, active on `backend`. @throws NotActivated where it is rejected */
  context(name: string, backend: string): Promise<Context> {
    return this.#activate(name, this.backends[backend], `${name} ${backend}`);
  }

  /** The same on the reference backend, whatever stands under its name in the suite. */
  reference(name: string): Promise<Context> {
    return this.#activate(name, { name: "cpu", open: openCpu }, `${name} reference`);
  }

  /** Logits and activations of a composition on a backend, run once however many cases ask for them. */
  logits(
    name: string,
    backend: string,
    tokens: readonly number[],
    positions: readonly number[],
  ): Promise<LogitsAt[]> {
    const key = `${name} ${backend} ${tokens} at ${positions}`;
    const there = this.#logits.get(key) ?? this.#run(name, backend, tokens, positions);
    this.#logits.set(key, there);
    return there;
  }

  async #run(
    name: string,
    backend: string,
    tokens: readonly number[],
    positions: readonly number[],
  ): Promise<LogitsAt[]> {
    const context = await this.context(name, backend);
    const found = await logits(context, tokens, positions, { activations: true });
    if (isReject(found)) throw new Error(found.code);
    return found;
  }

  /**
   * The pass of `tokens` in doubles, over the weights as the reference codec (which is held against
   * GGML's own blocks) reads them, never as the backend does that is being judged.
   */
  exact(name: string, tokens: readonly number[]): Promise<ExactPass> {
    const key = `${name} ${tokens}`, there = this.#exact.get(key) ?? this.#pass(name, tokens);
    this.#exact.clear(); // neighbours in the suite ask for the same one; together they would fill the memory
    this.#exact.set(key, there);
    return there;
  }

  async #pass(name: string, tokens: readonly number[]): Promise<ExactPass> {
    const { backend, model } = await this.reference(name);
    const decoded = new Map<Weight, Float32Array>();
    const { tokenEmbedding, finalNorm, output, layers } = model;
    for (const weight of [tokenEmbedding, finalNorm, output, ...layers.flatMap(Object.values)]) {
      const { rows, columns } = weight.spec, all = new Float32Array(rows * columns);
      for (let row = 0; row < rows; row++) {
        all.set(await backend.ops.row(weight, row), row * columns);
      }
      decoded.set(weight, all);
    }
    return exactPass(model, (weight) => decoded.get(weight)!, tokens);
  }

  async #activate(name: string, choice: BackendChoice, key: string): Promise<Context> {
    const there = this.#contexts.get(key);
    if (there) return there;
    const store = openStore(this.#store);
    const file = store.open(this.#composition(name))!;
    try {
      const context = await activate({
        composition: file,
        store,
        reader: this.reader,
        backend: choice,
        slot: new ActiveSlot(),
      });
      if (isReject(context)) {
        throw new NotActivated(`stage ${context.stage}: ${context.code}, ${context.expected}`);
      }
      this.#contexts.set(key, context);
      return context;
    } finally {
      file.close();
    }
  }

  /** Writes an artifact into the suite's store. */
  put(description: Description): Staged {
    const staged = put(this.#store, description);
    if (isWriteError(staged)) throw new Error(`${staged.where}: ${staged.expected}`);
    return staged;
  }

  [Symbol.dispose](): void {
    for (const context of this.#contexts.values()) context.release();
    Deno.removeSync(this.#store, { recursive: true });
  }

  #composition(name: string): string {
    const there = this.#compositions.get(name);
    if (there) return there;
    const [model, variant] = name.split("/");
    const id = variant === "adapter" ? this.#adapted(model) : this.#packed(model, variant);
    this.#compositions.set(name, id);
    return id;
  }

  #pack(model: string, variant?: string) {
    const source = sourceOf(model);
    if ("absent" in source) throw new Error(`${model}: ${source.absent}`);
    const store = storing(variant), { bin, tok } = source;
    const packed = packLlama2c({ model: bin, tokenizer: tok, out: this.#store, store });
    if (isImportError(packed) || isWriteError(packed)) throw new Error(packed.expected);
    return packed;
  }

  #packed(model: string, variant?: string): string {
    return this.#pack(model, variant).composition.identities.artifact_id;
  }

  /** The model under a small synthetic adapter: two operations that do not commute. */
  #adapted(model: string): string {
    const { base, tokenizer } = this.#pack(model);
    const one = this.put(adapter(base.identities, operations()));
    return this.put(composition({
      base: base.identities,
      tokenizer: tokenizer.identities,
      adapters: [one.identities],
      kv: { max_positions: 256 },
    })).identities.artifact_id;
  }
}

/** How a variant's matrices are stored. */
function storing(variant = "none"): StoreMatrix {
  if (variant === "none") return keepDense;
  if (variant === "merged") return merged;
  const [kind, family, seed] = variant.split(":");
  if (kind === "noise") return noisy(family, Number(seed));
  const [profile, keep] = variant.split("+");
  const store = quantiseTo(profile, keep === "f32-down" ? ["ffn-down"] : []);
  if (store === null) throw new Error(`${profile} is no profile`);
  return store;
}
