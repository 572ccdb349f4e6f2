/** Findings of seeded faults: a bucket each, the sentence that the fault breaks, and their end. */
import { assert, assertEquals } from "@std/assert";
import { CorpusFiles } from "../../corpus/files.ts";
import { GOLDEN } from "../../corpus/golden.ts";
import { parseIndex } from "../../corpus/index.ts";
import type { Reader } from "../../readers/contract.ts";
import { fileFinding } from "../campaign/findings.ts";
import { FAULTS } from "../faults/bench.ts";
import { PatchedTree } from "../faults/patched.ts";
import { inputOf } from "../gate/findings.ts";
import { withFolder } from "../gate/testing.ts";
import { Parents } from "../nightly/parent.ts";
import { viewOf } from "../nightly/show.ts";
import { CHEAP, judge, Observer } from "../oracle/observe.ts";
import { loadReaders } from "../readers.ts";
import { lookWith } from "./look.ts";

const [cursor, table] = await loadReaders("cursor,table");
const index = parseIndex(Deno.readTextFileSync(new URL("index.json", GOLDEN)));
const files = new CorpusFiles(index, GOLDEN);

/** Files whatever the oracles say of the corpus's cases for a stage. */
function campaign(folder: string, readers: readonly Reader[], stage: number): void {
  const observer = new Observer(readers);
  for (const { expected, file, size = 0 } of index.entries) {
    if (expected.verdict !== "reject" || expected.stage !== stage || size > 1 << 14) continue;
    const bytes = file === undefined ? null : files.bytes(file);
    if (bytes === null) continue;
    for (const flaw of judge(observer.observe(bytes), CHEAP)) fileFinding(folder, flaw, bytes);
  }
}

for (const id of ["tensor-rank", "cbor-key-duplicate", "zero-hash-half"]) {
  Deno.test(`the fault ${id} is one bucket under the sentence that it breaks`, () =>
    withFolder(async (folder) => {
      const fault = FAULTS.find((one) => one.id === id)!;
      using tree = new PatchedTree(fault);
      const patched = (await tree.reader())!;
      const pair = patched.name === "table" ? [cursor, patched] : [patched, table];
      campaign(folder, pair, Number(/^slm2-8\.(\d+)/.exec(fault.clause)?.[1] ?? 17));
      const replay = (readers: readonly Reader[]) => (one: Parameters<typeof inputOf>[0]) => {
        const flaws = judge(new Observer(readers).observe(inputOf(one)!), CHEAP);
        return Promise.resolve(flaws.length > 0 ? "open" as const : "gone" as const);
      };
      const { findings } = await lookWith(replay(pair), folder, "c");
      assertEquals(findings.map(({ state, class: kind }) => `${state} ${kind}`), [
        "new disagreement",
      ]);
      const view = await viewOf(findings[0], pair, index, new Parents(index));
      assertEquals(view.sentences[0], `${fault.clause}: ${index.clauses![fault.clause]}`);
      assertEquals(view.verdicts.map(({ reader }) => reader), ["cursor", "table"]);
      assert(view.fields.length > 0 && view.verdicts[0].result !== view.verdicts[1].result);
      assert(view.rows.some(({ mark }) => mark === "fault" || mark === "differs"));
      const mended = await lookWith(replay([cursor, table]), folder, "d");
      assertEquals(mended.findings.map(({ state }) => state), ["fixed"]);
    }));
}
