/** Testees in a campaign: each way in which one fails is a class of its own, and comes again. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fileURLToPath } from "node:url";
import { mutate } from "../../mutators/mutate.ts";
import { Random } from "../../mutators/random.ts";
import { seedArtifacts } from "../../mutators/seeds.ts";
import { FINDING_CLASSES, type FindingClass } from "../oracle/oracle.ts";
import { RSS_WATCHED } from "../testee/rss.ts";
import { Campaign } from "./campaign.ts";
import { readFinding } from "./findings.ts";
import { minimize } from "../minimize/minimize.ts";
import { Opinions, testeesOf } from "./opinions.ts";
import { seedRequests } from "./requests.ts";

const script = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const DENO = `'${Deno.execPath()}' run -A --quiet --config '${script("../../deno.json")}'`;
const command = (mode: string) => `${DENO} '${script("flawed.ts")}' ${mode}`;
const PYTHON = `python3 '${script("../../corpus/examples/reader.py")}'`;

/** Inputs of a campaign, a few of which all these testees trip over. */
const INPUTS = (() => {
  const seeds = seedArtifacts(1, 2);
  const random = new Random(2);
  const mutants = Array.from(
    { length: 60 },
    () => mutate(random.pick(seeds), random, random.pick(seeds)).bytes,
  );
  return [...mutants, ...seedRequests(8192)];
})();

async function judged(commands: readonly string[], milliseconds?: number) {
  const opinions = await Opinions.open(commands, 1, milliseconds);
  try {
    return await opinions.judge(INPUTS);
  } finally {
    await opinions.close();
  }
}

const EXPECTED: readonly [mode: string, kind: FindingClass, key: RegExp, ignore?: boolean][] = [
  ["wrong-code", "disagreement", /^testee flawed: same-verdict 25 BaseMismatch manifest cursor$/],
  ["dies", "crash", /^testee flawed: crash in Object\.dies$/],
  ["exits", "crash", /^testee flawed: crash exited with 3 on read$/],
  ["hangs", "hang", /^testee flawed: hang on read$/],
  ["garbage", "protocol", /^testee flawed: protocol the line is not JSON$/],
  ["grows", "memory", /^testee flawed: memory on read$/, !RSS_WATCHED],
];
for (const [mode, kind, key, ignore] of EXPECTED) {
  Deno.test({
    name: `a testee that ${mode.replace("-", " ")} is a finding of class ${kind}, with its input`,
    ignore,
    async fn() {
      const shown = await judged([command(mode)], mode === "hangs" ? 700 : 10_000);
      assert(shown.length >= 3, `${shown.length} findings`);
      for (const { flaw, input } of shown) {
        assertEquals(flaw.class, kind);
        assert(key.test(flaw.key), flaw.key);
        assertEquals(flaw.testee, command(mode));
        assertStringIncludes(flaw.detail, "cursor: reject 25 BaseMismatch");
        assertStringIncludes(flaw.detail, "table: reject 25 BaseMismatch");
        assert(flaw.clause?.id.startsWith(kind === "disagreement" ? "classes-" : "testee-"));
        assert(INPUTS.includes(input));
      }
    },
  });
}

Deno.test("testees that agree as far as they go have nothing found, requests included", async () => {
  assertEquals(await judged([command("good"), PYTHON]), []);
});

Deno.test("a finding of a testee holds its command, is asked again by it, and gets smaller", async () => {
  const out = Deno.makeTempDirSync();
  try {
    const campaign = await Campaign.open({
      seed: 1,
      executions: 1500,
      workers: 1,
      testees: [command("wrong-code")],
      out,
      resume: false,
    });
    const { findings } = await campaign.run();
    assertEquals(FINDING_CLASSES.filter((kind) => findings[kind] > 0), ["disagreement"]);
    const [{ name }] = Deno.readDirSync(`${out}/findings`);
    const { input, finding } = readFinding(`${out}/findings/${name}`);
    const opinions = await Opinions.open(testeesOf(finding, undefined).commands);
    const judge = (one: Uint8Array) => opinions.ask(one);
    assertEquals((await judge(input)).map(({ key }) => key), [finding!.key]);
    const { input: smaller } = await minimize(input, { key: finding!.key, tries: 1500, judge });
    assert(smaller.length < input.length);
    assertEquals((await judge(smaller)).map(({ key }) => key), [finding!.key]);
    await opinions.close();
  } finally {
    Deno.removeSync(out, { recursive: true });
  }
});
