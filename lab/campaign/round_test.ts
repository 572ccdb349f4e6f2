import { assert, assertEquals } from "@std/assert";
import { CUT } from "./campaign.ts";
import { Corpus } from "./corpus.ts";
import { planRound } from "./round.ts";
import type { Plan } from "./plan.ts";

const SEEDS = Array.from({ length: 700 }, (_, i) => Uint8Array.of(i & 0xff, i >> 8));

/** Rounds of a campaign of so many executions. */
function rounds(most: number): Plan[][] {
  const planned: Plan[][] = [];
  for (let round = 0, done = 0; done < most; round++) {
    const cut = { ...CUT, seed: 1 };
    const plans = planRound(cut, round, new Corpus(8), SEEDS.slice(done), most - done);
    planned.push(plans);
    done += sizeOf(plans);
  }
  return planned;
}
const sizeOf = (plans: readonly Plan[]): number =>
  plans.reduce((sum, { executions }) => sum + executions, 0);

Deno.test("the first rounds are short, so that a short campaign keeps something; then they grow", () => {
  const sizes = rounds(20_000).map(sizeOf);
  assertEquals(sizes.slice(0, 8), [96, 192, 384, 768, 1536, 3072, 4000, 4000]);
});

Deno.test("seeds come first, each once, over as many rounds as it takes", () => {
  const inputs = rounds(5000).map((plans) => plans.flatMap(({ inputs }) => inputs));
  assertEquals(inputs.map(({ length }) => length), [96, 192, 384, 28, 0, 0]);
  assertEquals(new Set(inputs.flat()), new Set(SEEDS));
});

Deno.test("a budget is used to its last execution, and no further", () => {
  for (const most of [1, 87, 97, 600, 3999]) {
    const planned = rounds(most);
    assertEquals(planned.reduce((sum, plans) => sum + sizeOf(plans), 0), most);
    for (const { inputs, executions } of planned.flat()) assert(inputs.length <= executions);
  }
});
