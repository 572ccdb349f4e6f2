/** Over the wire our readers say what they say in process: on the whole corpus. */
import { assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { conform } from "../conform/conform.ts";
import { isBuilt, loadCorpus, select } from "../conform/cases.ts";

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

for (const reader of ["cursor", "table"]) {
  Deno.test(`the corpus over the wire and in process: ${reader}`, async () => {
    const corpus = loadCorpus(path("../../corpus/golden"));
    const entries = select(corpus.index, { tags: [], ids: [] })
      .filter((entry) => isBuilt(corpus, entry));
    const command = `'${Deno.execPath()}' run -A '${path("../main.ts")}' testee --reader ${reader}`;
    const { report, claims } = await conform(corpus, entries, [{ reader }, { command }], {
      selection: "",
      notes: [],
      known: [],
      workers: 1,
      limits: { milliseconds: 30_000, memory: 2 ** 30 },
      giveUp: 1,
      send: "bytes",
      stopped: new AbortController().signal,
    });
    const [near, far] = claims;
    assertEquals(report.contradictions, []);
    assertEquals(far?.hash, near?.hash);
    assertEquals(Object.keys(near!.cases).length, entries.length);
  });
}
