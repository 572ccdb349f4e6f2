/** Second looks: what is kept and sampled is asked, each once and in order, and deaths are told. */
import { assertEquals } from "@std/assert";
import { seedArtifacts } from "../../mutators/seeds.ts";
import { buildHouse } from "../oracle/house.ts";
import { subject } from "./readers.ts";
import { SecondLook } from "./second.ts";
import type { Report } from "./slice.ts";
import type { Flaw } from "./subject.ts";

/** Its later oracle finds sevens, and ends at nines. */
const SUBJECT = `export const subject = {
  run: () => 0,
  async later(input, report) {
    await Promise.resolve();
    if (input[0] === 9) Deno.exit(1);
    if (input[0] === 7) report({ class: "disagreement", key: "seven " + input[1], detail: "" });
  },
};`;

const report = (entries: number[][], samples: number[][]) =>
  ({
    entries: entries.map((bytes) => ({ bytes: Uint8Array.from(bytes) })),
    samples: samples.map((bytes) => Uint8Array.from(bytes)),
  }) as unknown as Report;

Deno.test("later oracles see each input that is kept or sampled once, in their order", async () => {
  const second = await SecondLook.open({
    testees: [],
    processes: 2,
    court: { module: `data:text/javascript,${encodeURIComponent(SUBJECT)}` },
  });
  const reports = [
    report([[7, 1], [1]], [[7, 2], [7, 1]]),
    report([[9]], [[7, 3]]),
  ];
  const shown = await second.look(reports, () => false);
  assertEquals(
    shown?.map(({ flaw, input }) => [flaw.class, input.join()]),
    [
      ["disagreement", "7,1"],
      ["disagreement", "7,2"],
      ["crash", "9"],
      ["disagreement", "7,3"],
    ],
  );
  assertEquals(await second.look(reports, () => true), null);
  await second.close();
});

Deno.test("the readers and the runtime hold on good artifacts, looked at twice", async () => {
  const house = Object.values(buildHouse()).map(({ bytes }) => bytes);
  for (const bytes of [...seedArtifacts(6, 2), ...house]) {
    const flaws: Flaw[] = [];
    await subject.later!(bytes, (flaw) => flaws.push(flaw));
    assertEquals(flaws, []);
  }
});
