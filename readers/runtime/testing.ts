/** For tests of this folder: small models and stores of them, written by the canonical writer. */
import { adapter, type OperationParts } from "../../corpus/writer/build/adapter.ts";
import { composition, type CompositionParts } from "../../corpus/writer/build/composition.ts";
import { llama, llamaSlots, slotName } from "../../corpus/writer/build/model.ts";
import { tokenizer } from "../../corpus/writer/build/tokenizer.ts";
import type { LlamaParameters, TokenizerBody } from "../../corpus/writer/bodies.ts";
import type { Description, TensorDescription } from "../../corpus/writer/description.ts";
import { write, type Written } from "../../corpus/writer/write.ts";
import { type Backend, isRefusal, type Refusal } from "../../kernels/backend.ts";
import { openCpu } from "../../kernels/cpu/backend.ts";
import { encode } from "../../kernels/quant/codec.ts";
import { profileFormat } from "../../kernels/quant/format.ts";
import { seededRandom } from "../../kernels/sample.ts";
import { openWasm } from "../../kernels/wasm/backend.ts";
import { cursor } from "../cursor/reader.ts";
import { table } from "../table/reader.ts";
import type { Candidate, Hex, Source } from "../contract.ts";
import { memorySource } from "../source.ts";
import { activate, type ActivationRequest, type BackendChoice } from "./activation.ts";
import { ActiveSlot, type Context } from "./context.ts";
import { isReject } from "./outcome.ts";
import type { Store } from "./store.ts";

/** The backends that hold promises about f32 models. */
export const BACKENDS: readonly BackendChoice[] = [
  { name: "cpu", open: openCpu },
  { name: "wasm", open: openWasm },
];

export const reader = cursor;
/** The runtime takes either. */
export const READERS = [cursor, table];

/** A model of 18 tokens and two layers, that works in a moment. */
export const TINY: LlamaParameters = {
  dim: 8,
  head_dim: 4,
  heads: 2,
  hidden_dim: 12,
  kv_heads: 1,
  layers: 2,
  max_seq: 32,
  norm_eps: [1, 100000],
  rope_style: 0,
  rope_theta: [10000, 1],
  tied_output: true,
  vocab: 18,
};

/** `count` f32 values in (-1, 1), as little-endian bytes. */
export function randomBytes(count: number, seed: number): Uint8Array {
  const random = seededRandom(seed);
  return new Uint8Array(Float32Array.from({ length: count }, () => 2 * random() - 1).buffer);
}

export const floats = (bytes: Uint8Array): Float32Array =>
  new Float32Array(Uint8Array.from(bytes).buffer);

export const bytesOf = (values: readonly number[]): Uint8Array =>
  new Uint8Array(Float32Array.from(values).buffer);

/** The tensors of a random model; every matrix in `type`, norms near 1. */
export function tinyTensors(
  parameters: LlamaParameters = TINY,
  type = "f32",
): TensorDescription[] {
  return llamaSlots(parameters).map((slot, seed) => {
    const { role, layer, shape } = slot;
    const elements = shape.reduce((product, n) => product * n, 1);
    const values = floats(randomBytes(elements, seed));
    const common = { role, layer, name: slotName(slot), shape };
    if (shape.length === 1) {
      return { ...common, type: "f32", payload: bytesOf(Array.from(values, (x) => 1 + x / 4)) };
    }
    const format = type === "f32"
      ? { format: "f32", tail: "exact" } as const
      : profileFormat(type)!;
    const stored = encode({ ...format, rows: shape[0], columns: shape[1] }, values);
    if ("refused" in stored) throw new Error(stored.refused);
    return { ...common, type, payload: stored.bytes };
  });
}

/** Sixteen letters, of which no two merge; ids 16 and 17 are `<s>` and `</s>`. */
export function tinyTokenizer(body: Partial<TokenizerBody> = {}): Description {
  return tokenizer({
    vocabulary: [..."abcdefghijklmnop", "<s>", "</s>"],
    added_tokens: [16, 17].map((id) => ({ id, flags: 1 })),
  }, { kind: "table/1", bos: { auto: true, id: 16 }, ...body });
}

export function written(description: Description): Written {
  const result = write(description);
  if ("code" in result) throw new Error(`${result.code} at ${result.where}`);
  return result;
}

/** A store in memory; `sources` may be replaced by ones that misbehave. */
export interface TestStore extends Store {
  readonly sources: Map<Hex, Source>;
  /** how many files are open */
  open_files: number;
}

export function testStore(artifacts: readonly Written[]): TestStore {
  const sources = new Map(
    artifacts.map(({ bytes, identities }) => [identities.artifact_id, memorySource(bytes)]),
  );
  const store: TestStore = {
    sources,
    open_files: 0,
    ids: () => [...sources.keys()].sort(),
    open(id) {
      const source = sources.get(id);
      if (!source) return null;
      store.open_files++;
      return { ...source, close: () => store.open_files-- };
    },
    install: () => {
      throw new Error("a test store is filled when it is made");
    },
  };
  return store;
}

export interface WorldParts {
  readonly tensors?: readonly TensorDescription[];
  readonly parameters?: LlamaParameters;
  readonly tokenizer?: Description;
  readonly template?: Description;
  /** operations, an adapter each list */
  readonly adapters?: readonly (readonly OperationParts[])[];
  readonly composition?: Partial<CompositionParts>;
}

/** A composition and all that it needs. */
export interface World {
  readonly base: Written;
  readonly tokenizer: Written;
  readonly adapters: readonly Written[];
  readonly composition: Written;
  readonly store: TestStore;
}

export function world(parts: WorldParts = {}): World {
  const { parameters = TINY } = parts;
  const base = written(llama(parameters, parts.tensors ?? tinyTensors(parameters)));
  const text = written(parts.tokenizer ?? tinyTokenizer());
  const adapters = (parts.adapters ?? []).map((operations) =>
    written(adapter(base.identities, operations))
  );
  const chat = parts.template && written(parts.template);
  const root = written(composition({
    base: base.identities,
    tokenizer: text.identities,
    chat_template: chat?.identities,
    adapters: adapters.map(({ identities }) => identities),
    kv: { max_positions: 32 },
    ...parts.composition,
  }));
  const store = testStore([base, text, ...chat ? [chat] : [], ...adapters]);
  return { base, tokenizer: text, adapters, composition: root, store };
}

/** What activates `it` on the reference backend. */
export function request(
  it: World,
  more: Partial<ActivationRequest> = {},
): ActivationRequest & { readonly slot: ActiveSlot } {
  return {
    composition: memorySource(it.composition.bytes),
    store: it.store,
    reader,
    backend: BACKENDS[0],
    slot: new ActiveSlot(),
    ...more,
  };
}

/** The active context of `it`; a rejection fails the test. */
export async function active(it: World, more: Partial<ActivationRequest> = {}): Promise<Context> {
  const context = await activate(request(it, more));
  if (isReject(context)) {
    throw new Error(`${context.stage} ${context.code} [${context.section}] ${context.expected}`);
  }
  return context;
}

/** What a reader makes of a written file. */
export function candidateOf({ bytes }: Written): Candidate {
  const { verdict, candidate } = reader.read({ source: memorySource(bytes), pieces: false });
  if (!candidate) throw new Error(JSON.stringify(verdict));
  return candidate();
}

/** A backend that counts what is alive in it, and can fail at its n-th call. */
export interface Counted {
  readonly choice: BackendChoice;
  /** open backends, weights and sessions */
  readonly live: () => number;
  readonly calls: () => number;
}

/** The reference backend, whose call number `at` (from 1) refuses or throws. */
export function counted(at = Infinity, how: "refuse" | "throw" = "refuse"): Counted {
  let calls = 0;
  let live = 0;
  const take = <T extends object>(make: () => T): T | Refusal => {
    if (++calls === at) {
      if (how === "throw") throw new Error(`call ${at}`);
      return { refused: "ResourceLimit", why: `call ${at}` };
    }
    live++;
    return make();
  };
  const open = (): Backend | Refusal =>
    take(() => {
      const cpu = openCpu();
      let loaded = 1;
      return {
        ...cpu,
        load(spec, fill, scales) {
          return take(() => {
            loaded++;
            return cpu.load(spec, fill, scales);
          });
        },
        session: (model, kv) =>
          take(() => {
            const session = cpu.session(model, kv);
            if (isRefusal(session)) throw new Error(session.why);
            return new Proxy(session, {
              get(target, name) {
                if (name === "close") return () => live--;
                if (name === "forward" && ++calls === at) {
                  if (how === "throw") throw new Error(`call ${at}`);
                  return () => new Float32Array(18).fill(NaN);
                }
                const value = Reflect.get(target, name);
                return typeof value === "function" ? value.bind(target) : value;
              },
            });
          }),
        close() {
          live -= loaded;
          loaded = 0;
          cpu.close();
        },
      };
    });
  return { choice: { name: "cpu", open }, live: () => live, calls: () => calls };
}

/** `source`, whose read number `at` (from 1) is spoilt. */
export function spoilt(
  source: Source,
  spoil: (into: Uint8Array, offset: number) => number,
  at: number,
): Source {
  let reads = 0;
  return {
    size: () => source.size(),
    read(offset, into) {
      const n = source.read(offset, into);
      return ++reads === at ? spoil(into, offset) : n;
    },
  };
}
