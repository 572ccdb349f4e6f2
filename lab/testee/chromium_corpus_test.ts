/** In a browser, through slices of blobs, our readers say what they say in process. */
import { assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { browserTest } from "../browser/testing.ts";
import { isBuilt, loadCorpus, select } from "../conform/cases.ts";
import { conform } from "../conform/conform.ts";

const GOLDEN = fileURLToPath(new URL("../../corpus/golden", import.meta.url));

browserTest("the whole corpus in Chromium and in process", async () => {
  const corpus = loadCorpus(GOLDEN);
  const entries = select(corpus.index, { tags: [], ids: [] })
    .filter((entry) => isBuilt(corpus, entry));
  const readers = ["cursor", "cursor@chromium", "table", "table@chromium"];
  const { report, claims } = await conform(corpus, entries, readers.map((reader) => ({ reader })), {
    selection: "",
    notes: [],
    known: [],
    workers: 1,
    limits: { milliseconds: 30_000, memory: Infinity },
    giveUp: 1,
    send: "bytes",
    stopped: new AbortController().signal,
  });
  assertEquals(report.contradictions, []);
  for (const [i, { name, results, faults }] of report.testees.entries()) {
    assertEquals(name, readers[i]);
    assertEquals(faults, []);
    const wrong = results.flatMap((one, k) => one.status === "pass" ? [] : [[entries[k].id, one]]);
    assertEquals(wrong, []);
    // every verdict with every identity
    assertEquals(claims[i]!.cases, claims[0]!.cases);
  }
});
