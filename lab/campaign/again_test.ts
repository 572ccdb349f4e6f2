/** Second looks: what is kept and sampled is asked in order, and each flaw is told of once. */
import { assertEquals } from "@std/assert";
import { seedArtifacts } from "../../mutators/seeds.ts";
import { buildHouse } from "../oracle/house.ts";
import { lookAgain } from "./again.ts";
import { subject } from "./readers.ts";
import type { EngineOptions, Plan, Report } from "./plan.ts";
import type { Flaw } from "./subject.ts";

const flaw = (key: string): Flaw => ({ class: "disagreement", key, detail: "" });

const ENGINE: EngineOptions = {
  subject: {
    run: () => 0,
    async later(input, report) {
      await Promise.resolve();
      if (input[0] === 7) report(flaw(`seven ${input[1]}`));
      if (input[0] === 8) throw new TypeError();
    },
  },
  comparing: { run: () => 0 },
  limit: 8,
  edits: 0,
  digest: false,
};

Deno.test("later oracles see a share of what is kept, and samples, in order; a throw is a flaw", async () => {
  const bytes = (...inputs: number[][]) => inputs.map((input) => Uint8Array.from(input));
  const entries = bytes([7, 1], ...Array.from({ length: 7 }, () => [7, 9]), [7, 2]).map((
    bytes,
  ) => ({ bytes }));
  const report = {
    executions: 9,
    found: [],
    stages: [],
    entries,
    samples: bytes([7, 1], [7, 3], [8]),
  };
  const plan = { skip: [12] } as Partial<Plan> as Plan;
  const told: string[] = [];
  const { found } = await lookAgain(
    { ...ENGINE, found: ({ flaw }) => told.push(flaw.key) },
    plan,
    report as unknown as Report,
  );
  const seen = found.map(({ flaw, execution, times }) => [flaw.key.slice(0, 7), execution, times]);
  assertEquals(seen, [["seven 1", 9, 2], ["seven 2", 10, 1], ["crash T", 13, 1]]);
  assertEquals(told, found.map(({ flaw }) => flaw.key));
});

Deno.test("the readers and the runtime hold on good artifacts, looked at twice", async () => {
  const house = Object.values(buildHouse()).map(({ bytes }) => bytes);
  for (const bytes of [...seedArtifacts(6, 2), ...house]) {
    const flaws: Flaw[] = [];
    const met = await subject.later!(bytes, (flaw) => flaws.push(flaw));
    assertEquals([flaws, subject.stageOf!(met!)], [[], 1], "sources that fail were seen to fail");
  }
});
