/** Every operation of one token's pass on a backend, each on the same inputs as the reference's. */
import type { OperationsCase } from "./case.ts";
import type { Models } from "./models.ts";
import type { AnyBackend } from "../../kernels/backend.ts";
import type { Step } from "./exact.ts";
import { budgetOf, type Culprit, stepFault } from "./walk.ts";

/** One operation's distance from the exact result. */
export interface StepResult {
  /** as `ffn-up of layer 2` */
  readonly at: string;
  readonly absolute: number;
  /** of its own budget; 1 is all of it */
  readonly share: number;
}

export interface Operations {
  readonly steps: readonly StepResult[];
  /** how many have the bits of the reference backend */
  readonly same: number;
  readonly culprits: readonly Culprit[];
}

/**
 * Where the backend declares the same bits (`envelopes`, 0), the reference backend's bits are
 * asked for; elsewhere its own budget from the exact result.
 */
export async function runOperations(
  models: Models,
  { model, backend: name, tokens }: OperationsCase,
): Promise<Operations> {
  const context = await models.context(model, name), reference = await models.reference(model);
  const pass = await models.exact(model, tokens);
  const culprits: Culprit[] = [], steps: StepResult[] = [];
  let same = 0;
  for (const step of pass.steps) {
    const got = await step.apply(context.backend.ops, context.model);
    const want = await step.apply(reference.backend.ops, reference.model);
    const element = firstDifference(got, want), fault = stepFault(context.backend, step, got);
    steps.push({ at: step.name, ...apart(context.backend, step, got) });
    if (element === null) same++;
    if (fault) culprits.push(fault);
    else if (element !== null && context.backend.envelopes[step.kind] === 0) {
      const at = `${step.name}, declared bit for bit`;
      culprits.push({ backend: name, at, element, got, want, budget: 0 });
    }
  }
  return { steps, same, culprits };
}

/** The largest distance of a step, and the largest share of its budget; a NaN is infinitely far. */
function apart(backend: AnyBackend, { want, budget, kind }: Step, got: Float32Array) {
  let absolute = 0, share = 0;
  for (const [i, value] of want.entries()) {
    const distance = Math.abs((got[i] ?? NaN) - value),
      allowed = budgetOf(backend, kind, budget(i));
    const far = Number.isNaN(distance);
    absolute = Math.max(absolute, far ? Infinity : distance);
    if (distance !== 0) {
      share = Math.max(share, far || allowed === 0 ? Infinity : distance / allowed);
    }
  }
  return { absolute, share };
}

/** Index of the first value whose bits differ, or null. */
function firstDifference(a: Float32Array, b: Float32Array): number | null {
  const index = b.findIndex((value, i) => !Object.is(a[i], value));
  return index < 0 ? null : index;
}
