/** The sentences that rejections stand on, held against those that the golden corpus names. */
import { assert, assertEquals } from "@std/assert";
import type { Reject } from "../../readers/contract.ts";
import { cursor } from "../../readers/cursor/reader.ts";
import { memorySource } from "../../readers/source.ts";
import { table } from "../../readers/table/reader.ts";
import { Files, loadCorpus } from "../conform/cases.ts";
import { clauseOf } from "./clauses.ts";

const MOST_BYTES = 1 << 16;

/** Of the sentences that the corpus names first, how many are told at least. */
const TOLD = 0.88;

for (const reader of [cursor, table]) {
  Deno.test(`clauses: what ${reader.name} rejects is put under the sentence of its case`, () => {
    const corpus = loadCorpus("corpus/golden");
    const files = new Files(corpus);
    let told = 0, all = 0;
    for (const entry of corpus.index.entries) {
      if (entry.expected.verdict !== "reject" || entry.op !== undefined) continue;
      if (!("file" in entry) || entry.size === undefined || entry.size > MOST_BYTES) continue;
      const source = memorySource(files.bytes(entry as Parameters<Files["bytes"]>[0]));
      const { verdict } = reader.read({ source });
      const { stage, code } = entry.expected;
      if (verdict.verdict !== "reject" || verdict.stage !== stage || verdict.code !== code) {
        continue;
      }
      all++;
      if (clauseOf(verdict)?.id === entry.clauses?.[0]) told++;
    }
    assert(all > 4000 && told / all > TOLD, `${told} of ${all}`);
  });
}

Deno.test("clauses: of several sentences on a code, the one that the reader's words are of", () => {
  const idOf = (stage: number, code: Reject["code"], expected?: string) =>
    clauseOf({ verdict: "reject", stage, code, section: "none", expected })?.id;
  assertEquals(idOf(21, "ShapeInvalid", "a used dimension from 1 to 2^32 - 1"), "slm2-8.21-9");
  assertEquals(idOf(21, "ShapeInvalid", "a rank of at most 8"), "slm2-8.21-5");
  assertEquals(idOf(18, "UnsortedSet", "extensions in order, each once"), "classes-1-26");
  assertEquals(idOf(27, "PieceIndex"), "classes-7-20");
  assertEquals(idOf(28, "KeyRevoked"), "classes-8-47");
});
