/** A campaign with a planted fault, for tests that kill it: tells a line when it works and for each finding. */
import { faultNamed } from "../faults/bench.ts";
import { Campaign } from "./campaign.ts";

export interface Killable {
  readonly out: string;
  readonly fault: string;
  readonly executions: number;
  readonly resume: boolean;
}

/** Its first line. */
export const READY = "ready";

if (import.meta.main) {
  const { fault, ...options } = JSON.parse(Deno.args[0]) as Killable;
  const campaign = await Campaign.open({
    ...options,
    seed: 2,
    workers: 1,
    fault: faultNamed(fault),
    filed: ({ flaw }) => console.log(flaw.key),
  });
  console.log(READY);
  const { digest, executions } = await campaign.run();
  console.log(JSON.stringify({ digest, executions }));
}
