/** Every operation of one token's pass on a backend, each on the same inputs as the reference's. */
import type { OperationsCase } from "./case.ts";
import type { Models } from "./models.ts";
import { type Culprit, exactPassOf, stepFault } from "./walk.ts";

/**
 * Where the backend declares the same bits (`envelopes`, 0), the reference backend's bits are
 * asked for; elsewhere its own budget from the exact result.
 */
export async function operationFaults(
  models: Models,
  { model, backend: name, tokens }: OperationsCase,
): Promise<{ operations: number; same: number; culprits: Culprit[] }> {
  const context = await models.context(model, name), reference = await models.reference(model);
  const { steps } = await exactPassOf(models, model, tokens);
  const culprits: Culprit[] = [];
  let same = 0;
  for (const step of steps) {
    const got = await step.apply(context.backend.ops, context.model);
    const want = await step.apply(reference.backend.ops, reference.model);
    const element = firstDifference(got, want), fault = await stepFault(context, step);
    if (element === null) same++;
    if (fault) culprits.push(fault);
    else if (element !== null && context.backend.envelopes[step.kind] === 0) {
      const at = `${step.name}, declared bit for bit`;
      culprits.push({ backend: name, at, element, got, want, budget: 0 });
    }
  }
  return { operations: steps.length, same, culprits };
}

/** Index of the first value whose bits differ, or null. */
function firstDifference(a: Float32Array, b: Float32Array): number | null {
  const index = b.findIndex((value, i) => !Object.is(a[i], value));
  return index < 0 ? null : index;
}
