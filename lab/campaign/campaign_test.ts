/** Campaigns whole: what they keep, what ends their workers, what makes a finding smaller. */
import { assert, assertEquals } from "@std/assert";
import { smallestArtifacts } from "../minimize/smallest.ts";
import { Campaign } from "./campaign.ts";
import { distilled } from "./distilling.ts";
import { fileFinding, keepMinimized, readFinding } from "./findings.ts";
import { CampaignStore } from "./store.ts";
import type { Flaw } from "./subject.ts";

async function inFolder<T>(use: (folder: string) => T | Promise<T>): Promise<T> {
  const folder = Deno.makeTempDirSync();
  try {
    return await use(folder);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

const BUDGET = { seed: 3, executions: 600 };

Deno.test("readers count where they go, and the number of workers changes no input", () =>
  inFolder(async (out) => {
    const run = async (name: string, options: { workers?: number }) => {
      const campaign = await Campaign.open({
        ...BUDGET,
        workers: 1,
        ...options,
        out: `${out}/${name}`,
        resume: false,
      });
      const { digest, edges, corpus, executions } = await campaign.run();
      return { digest, edges, corpus, executions };
    };
    const one = await run("one", {});
    assertEquals(one, await run("two", { workers: 2 }));
    assert(one.edges > 500, "a quiet lab is a red lab");
  }));

Deno.test("a folder has one campaign at a time, and one that begins anew deletes none", () =>
  inFolder(async (out) => {
    const options = { ...BUDGET, workers: 1, out, resume: false };
    const first = await Campaign.open(options);
    const refused = await Campaign.open(options).then(() => "opened", (error) => error.message);
    assertEquals(refused, `another campaign runs in ${out}`);
    const { executions } = await first.run();
    assertEquals(executions, BUDGET.executions);
    const second = await Campaign.open(options);
    second.stop();
    await second.run();
    const before = new CampaignStore(`${out}/before.sqlite`);
    assertEquals(before.lastRound()?.executions, BUDGET.executions);
    before.close();
  }));

Deno.test("a finding is filed once, whole", () =>
  inFolder((folder) => {
    const flaw: Flaw = { class: "crash", key: "k", detail: "d" };
    const first = fileFinding(folder, flaw, Uint8Array.of(1));
    const second = fileFinding(folder, flaw, Uint8Array.of(2));
    assertEquals([first.fresh, second.fresh, first.path], [true, false, second.path]);
    const { input, finding } = readFinding(first.path);
    assertEquals([input, finding?.key], [Uint8Array.of(1), "k"]);
    assertEquals([...Deno.readDirSync(folder)].length, 1, "no draft is left");
  }));

Deno.test("the smaller input of a finding is replayed as its record says", () =>
  inFolder((folder) => {
    const flaw: Flaw = { class: "hang", key: "k", detail: "d", probe: "features 1000" };
    const { path } = fileFinding(folder, flaw, Uint8Array.of(1, 2));
    const smaller = keepMinimized(readFinding(path), Uint8Array.of(1), "features 600");
    const probes = [path, `${path}/input.slm`, smaller].map((one) =>
      readFinding(one).finding?.probe
    );
    assertEquals(probes, ["features 1000", "features 1000", "features 600"]);
    Deno.copyFileSync(smaller, `${folder}/elsewhere.slm`);
    assertEquals(readFinding(`${folder}/elsewhere.slm`).finding, null);
    assertEquals([...Deno.readDirSync(path)].length, 3, "no draft is left");
  }));

Deno.test("what is distilled shows all that the inputs show, each once", async () => {
  const inputs = smallestArtifacts();
  const { kept, edges, flaws } = await distilled([...inputs, ...inputs, inputs[0].with(9, 1)], 1);
  assertEquals([flaws.size, new Set(kept.map((one) => one.toHex())).size], [0, kept.length]);
  assert(kept.length > 5 && kept.length <= inputs.length + 1);
  assertEquals((await distilled(kept, 1)).edges, edges);
});
