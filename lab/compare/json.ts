/** What came of a case, for machines: every figure, and tensors of a breach by their hash. */
import type { Evidence } from "./evidence.ts";
import { isBreach, isOperations, isRejected, isSkipped, type Outcome } from "./run.ts";
import type { Culprit } from "./walk.ts";

/** A culprit with the hashes of its tensors, which are kept. */
export async function asEvidence(culprit: Culprit, evidence: Evidence) {
  return {
    ...culprit,
    got: await evidence.keep(culprit.got),
    want: await evidence.keep(culprit.want),
  };
}

/**
 * One object a case: of logits `positions` (each figure of the distance) and `layers` (the most
 * that each lies from the reference's), of operations `steps` (each one's distance, and its share of
 * its own budget); on a breach `culprits`.
 */
export async function asJson(outcome: Outcome, evidence: Evidence): Promise<object> {
  const { name, model, backend } = outcome.case, head = { name, model, backend };
  if (isSkipped(outcome)) return { ...head, verdict: "skipped", reason: outcome.skipped };
  if (isRejected(outcome)) return { ...head, verdict: "breach", rejected: outcome.rejected };
  const culprits = await Promise.all(outcome.culprits.map((one) => asEvidence(one, evidence)));
  const verdict = isBreach(outcome) ? "breach" : "holds";
  if (isOperations(outcome)) {
    const { steps, same } = outcome;
    return { ...head, verdict, operations: steps.length, same, steps: steps.map(finite), culprits };
  }
  const positions = await Promise.all(
    outcome.positions.map(async ({ position, distance, broken, got, want }) => ({
      position,
      ...finite(distance),
      ...(broken.length > 0 &&
        { broken, got: await evidence.keep(got), want: await evidence.keep(want) }),
    })),
  );
  const { layers, flips } = outcome;
  return {
    ...head,
    verdict,
    envelope: outcome.case.envelope,
    positions,
    layers: layers.map(finite),
    flips: flips.map(({ position }) => position),
    culprits,
  };
}

/** JSON has no infinity: what is infinitely far lies at the largest number. */
function finite<T extends object>(figures: T): T {
  return Object.fromEntries(
    Object.entries(figures).map(([name, x]) => [name, x === Infinity ? Number.MAX_VALUE : x]),
  ) as T;
}
