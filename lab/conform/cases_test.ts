import { assertEquals, assertThrows } from "@std/assert";
import { join } from "node:path";
import { contentId, type Entry, type Index } from "../../corpus/index.ts";
import { UsageError } from "../exit.ts";
import { askOf, Files, isBuilt, loadCorpus, select } from "./cases.ts";
import { parseKnown } from "./known.ts";
import { writeTinyCorpus } from "./tiny_corpus.ts";

function corpusTest(name: string, body: (folder: string, index: Index) => void): void {
  Deno.test(name, () => {
    const folder = Deno.makeTempDirSync();
    try {
      body(folder, writeTinyCorpus(folder));
    } finally {
      Deno.removeSync(folder, { recursive: true });
    }
  });
}

corpusTest("cases are chosen by tag and by id", (_, index) => {
  const ids = (tags: string[], globs: string[]) =>
    select(index, { tags, ids: globs }).map(({ id }) => id);
  assertEquals(ids([], []).length, index.entries.length - 1, "all but the withdrawn one");
  assertEquals(ids(["stage-4"], []), ["header/legacy", "header/line-ends"]);
  assertEquals(ids(["stage-4", "stage-5"], []).length, 3);
  assertEquals(ids(["header", "!stage-4"], ["header/l*"]), ["header/later-padding"]);
  assertEquals(ids([], ["*"]), []);
  assertEquals(ids([], ["valid/**", "source/absen?"]), ["valid/good", "source/absent"]);
  assertEquals(ids([], ["**", "!header/**"]).length, 5);
  assertEquals(ids([], ["valid.good"]), []);
});

corpusTest("requests carry what the index says", (folder, index) => {
  const files = new Files({ folder, index });
  const ask = (id: string, send: "path" | "bytes") =>
    askOf(index.entries.find((entry) => entry.id === id)!, files, send);
  assertEquals(ask("valid/good", "path"), {
    op: "read",
    artifact: { path: join(folder, "valid/good.slm") },
  });
  const sent = ask("policy/manifest-length", "bytes");
  assertEquals(sent.op === "read" && sent.policy, { manifest_length: 99 });
  assertEquals(ask("piece/index", "path"), {
    op: "piece",
    set: { path: join(folder, "valid/good.slm") },
    index: 8,
    data: new Uint8Array(3),
  });
  const absent = ask("source/absent", "bytes");
  assertEquals(absent, { op: "read", artifact: { path: join(folder, "absent/source/absent") } });
});

corpusTest("a big file is asked about only where it was built", (folder, index) => {
  const corpus = { folder, index };
  const big: Entry = { ...index.entries[0], recipe: "sparse" } as Entry;
  assertEquals(isBuilt(corpus, big), true);
  assertEquals(isBuilt(corpus, { ...big, size: 1 } as Entry), false);
  assertEquals(isBuilt(corpus, { ...big, file: "valid/none.slm" } as Entry), false);
});

corpusTest("an index that was touched is no corpus", (folder, index) => {
  const refused = (change: object, wanted: string, sealed = true) => {
    const { content_id, ...changed } = { ...index, ...change } as Index;
    const id = sealed ? contentId(changed) : content_id;
    Deno.writeTextFileSync(
      join(folder, "index.json"),
      JSON.stringify({ ...changed, content_id: id }),
    );
    assertThrows(() => loadCorpus(folder), UsageError, wanted);
  };
  const [first, ...rest] = index.entries;
  refused({ version: "1.0.1" }, "edited after it was built", false);
  refused({ version: "one" }, "/version");
  refused({ entries: [first, first] }, "valid/good twice");
  refused({ entries: rest }, "names the parent valid/good");
  refused({ clauses: {} }, "names the clause stage-order");
  const escape = { ...first, file: "../good.slm" };
  refused({ entries: [escape, ...rest] }, "/entries/0/file");
  const bare = { ...first, expected: { verdict: "accept" } };
  refused({ entries: [bare, ...rest] }, "/entries/0/expected");
  refused({ entries: [{ ...first, patch: [{ offset: 0 }] }, ...rest] }, "/entries/0");
});

Deno.test("a list of expected failures is held to its form", () => {
  const list = (failures: object[]) =>
    JSON.stringify({ format: "slm2-expected-failures/1", testee: "t", failures });
  const entry = { id: "a/b", result: "accept", reason: "r" };
  assertEquals(parseKnown(list([entry]), "f").failures, [entry]);
  assertThrows(() => parseKnown(list([entry, entry]), "f"), UsageError, "f has a/b twice");
  assertThrows(() => parseKnown(list([{ ...entry, reason: "" }]), "f"), UsageError, "reason");
  assertThrows(() => parseKnown("{", "f"), UsageError, "not JSON");
});
