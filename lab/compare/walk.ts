/** Where a backend first goes wrong: operation by operation, then layer by layer. */
import { type Context, isReject, logits } from "../../readers/runtime/mod.ts";
import type { AnyBackend } from "../../kernels/backend.ts";
import type { ExactPass, Step } from "./exact.ts";
import type { Models } from "./models.ts";

/** The first place at which a backend leaves its own budget, with both tensors. */
export interface Culprit {
  readonly backend: string;
  /** the operation, or the layer where no single operation is to blame */
  readonly at: string;
  readonly element: number;
  readonly got: Float32Array;
  readonly want: Float32Array;
  /** how far `want[element]` may be missed */
  readonly budget: number;
}

/** Residual streams and logits: 16 u a layer of the largest, as `BOUNDS.logits` has it. */
const STREAM_BUDGET = 16 * 2 ** -24;

/**
 * Walks the pass of the last of `tokens` on a model's backend. Each operation is given exact
 * inputs, so that an early fault does not blame later ones; null where every operation and
 * every layer is within budget.
 */
export async function firstFault(
  models: Models,
  { model, backend }: { readonly model: string; readonly backend: string },
  tokens: readonly number[],
): Promise<Culprit | null> {
  const context = await models.context(model, backend);
  const pass = await models.exact(model, tokens);
  for (const step of pass.steps) {
    const got = await step.apply(context.backend.ops, context.model);
    const fault = stepFault(context.backend, step, got);
    if (fault) return fault;
  }
  return await layerFault(context, pass, tokens);
}

/** How far a backend may miss a step's exact result, of which `bound` is one honest evaluation's. */
export function budgetOf(backend: AnyBackend, kind: Step["kind"], bound: number): number {
  return Math.max(1, backend.envelopes[kind]) * bound;
}

/** Where what a backend gave for one operation leaves its own budget, or null. */
export function stepFault(
  backend: AnyBackend,
  { name, kind, want, budget }: Step,
  got: Float32Array,
): Culprit | null {
  return fault(backend.name, name, got, want, (i) => budgetOf(backend, kind, budget(i)));
}

/** Operations alone are right: then it is the pass that puts them together, or its cache. */
async function layerFault(
  context: Context,
  pass: ExactPass,
  tokens: readonly number[],
): Promise<Culprit | null> {
  const position = tokens.length - 1;
  const traced = await logits(context, tokens, [position], { activations: true });
  if (isReject(traced)) throw new Error(traced.code);
  const { dim, layers } = context.model.shape, { name } = context.backend;
  const times = Math.max(1, context.backend.envelopes.logits) * STREAM_BUDGET;
  for (let row = 0; row < layers + 2; row++) {
    const part = (x: Float32Array) => x.subarray(row * dim, (row + 1) * dim);
    const want = part(pass.activations), bound = times * Math.max(1, row) * largest(want);
    const at = row === 0
      ? "the pass: embedding"
      : row <= layers
      ? `the pass: layer ${row - 1}`
      : "the pass: final norm";
    const found = fault(name, at, part(traced[0].activations!), want, () => bound);
    if (found) return found;
  }
  const bound = times * layers * largest(pass.logits);
  return fault(name, "the pass: logits", traced[0].logits, pass.logits, () => bound);
}

function fault(
  backend: string,
  at: string,
  got: Float32Array,
  want: Float32Array,
  budget: (i: number) => number,
): Culprit | null {
  if (got.length !== want.length) return { backend, at, element: 0, got, want, budget: 0 };
  // a NaN must not pass
  const element = want.findIndex((value, i) => !(Math.abs(got[i] - value) <= budget(i)));
  return element < 0 ? null : { backend, at, element, got, want, budget: budget(element) };
}

const largest = (x: Float32Array) => x.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
