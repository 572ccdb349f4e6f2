/** The committed corpus is what its recipes build, both readers answer as it says, the ledger can say no. */
import { assert, assertEquals } from "@std/assert";
import { build } from "../../corpus/build.ts";
import { coverage, gaps } from "../../corpus/coverage.ts";
import { parseIndex } from "../../corpus/index.ts";
import { CorpusFiles } from "../../corpus/files.ts";
import { GOLDEN } from "../../corpus/golden.ts";
import { loadReaders, READER_NAMES } from "../readers.ts";
import { patchFaults, rebuildFaults } from "./folder.ts";
import { hold } from "./judge.ts";
import { ledgerFaults, meaning } from "./ledger.ts";

const built = build();

Deno.test("corpus/golden is what the recipes build: run lab corpus build", () => {
  assertEquals([...rebuildFaults(built)], []);
  assertEquals([...patchFaults(built)], []);
  assertEquals([...ledgerFaults(built.index)], []);
});

Deno.test("nothing of the specification is left out without a reason", () => {
  assertEquals(gaps(coverage(built.index)), { uncovered: [], stale: [] });
});

for (const reader of await loadReaders(READER_NAMES.join(","))) {
  Deno.test(`${reader.name} answers as the corpus says`, async () => {
    assertEquals(await hold(reader, built), []);
  });
}

Deno.test("a reader that accepts everything is found out", async () => {
  const [cursor] = await loadReaders("cursor");
  const [accepted] = built.index.entries;
  const good = built.files.get(accepted.file!)!.bytes;
  const blind = {
    ...cursor,
    name: "blind",
    read: () =>
      cursor.read({
        source: {
          size: () => good.length,
          read: (at: number, into: Uint8Array) => {
            const part = good.subarray(at, at + into.length);
            into.set(part);
            return part.length;
          },
        },
      }),
    piece: cursor.piece.bind(cursor),
    signature: cursor.signature.bind(cursor),
  };
  const faults = await hold(blind, built);
  assert(faults.length > built.index.entries.length / 2, `${faults.length}`);
});

Deno.test("every corrupt file comes back from its patch", () => {
  const index = parseIndex(Deno.readTextFileSync(new URL("index.json", GOLDEN)));
  const files = new CorpusFiles(index, GOLDEN);
  for (const { file, size, recipe } of index.entries) {
    if (file !== undefined && recipe === undefined) {
      assertEquals(files.bytes(file)?.length, size, file);
    }
  }
});

Deno.test("an id that is gone, or means something else, is a fault unless it was withdrawn", () => {
  const [first, second, ...rest] = built.index.entries;
  const ledger = new Map(
    [first, second].map((entry) => [entry.id, { since: "1.0.0", meaning: meaning(entry) }]),
  );
  const faults = (entries: typeof rest) =>
    [...ledgerFaults({ ...built.index, entries }, ledger)].length;
  assertEquals(faults([first, second, ...rest]), 0);
  assertEquals(faults([first, ...rest]), 1);
  const changed = { ...second, sha256: "0".repeat(64) };
  assertEquals(faults([first, changed, ...rest]), 1);
  assertEquals(
    faults([first, { ...changed, withdrawn: { since: "2.0.0", reason: "wrong" } }, ...rest]),
    0,
  );
});
