/** An input in named pieces, and the valid artifact that it is nearest to. */
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { CorpusFiles } from "../../corpus/files.ts";
import { GOLDEN } from "../../corpus/golden.ts";
import { parseIndex } from "../../corpus/index.ts";
import { hexRows } from "./hex.ts";
import { Parents } from "./parent.ts";
import { spansOf } from "./spans.ts";

const index = parseIndex(Deno.readTextFileSync(new URL("index.json", GOLDEN)));
const files = new CorpusFiles(index, GOLDEN);
const bytesOf = (id: string) => files.bytes(index.entries.find((one) => one.id === id)!.file!)!;
const parents = new Parents(index);

function coversAll(input: Uint8Array): void {
  let at = 0;
  for (const { offset, size, name } of spansOf(input)) {
    assertEquals(offset, at, name);
    assert(size > 0 && name !== "");
    at += size;
  }
  assertEquals(at, input.length);
}

Deno.test("pieces are all of a valid artifact, named by table, path and index", () => {
  const input = bytesOf("valid/smallest/1-model");
  coversAll(input);
  const names = new Set(spansOf(input).map(({ name }) => name));
  for (
    const name of [
      "header.file_size",
      "manifest.artifact_class",
      "strings.count",
      "strings[0]",
      "tensor[0].payload_hash",
      "tensor[0].payload",
    ]
  ) assert(names.has(name), `${name} of ${[...names]}`);
});

Deno.test("pieces are all of any input, whatever its header and manifest say", () => {
  const good = bytesOf("valid/smallest/1-model");
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { maxLength: 12 }),
      fc.nat(good.length),
      (changes, length) => {
        const input = good.slice(0, length);
        for (const [at, value] of changes) if (at < length) input[at] = value;
        coversAll(input);
      },
    ),
    { numRuns: 200 },
  );
  fc.assert(fc.property(fc.uint8Array({ maxLength: 600 }), coversAll));
});

Deno.test("what a case of the corpus changes is marked, against its parent or one as near", () => {
  const patched = index.entries.filter(({ patch, expected }) =>
    patch?.length === 1 && patch[0].hex !== undefined && expected.verdict === "reject"
  );
  const some = patched.filter((_, i) => i % Math.ceil(patched.length / 40) === 0);
  assert(some.length > 20);
  for (const { id, file, patch } of some) {
    const input = files.bytes(file!)!, [{ offset, hex }] = patch!;
    const parent = parents.nearest(input);
    assert(parent !== null, id);
    const { rows } = hexRows(input, [], parent.bytes);
    const size = hex!.length / 2;
    const marked = rows.some((row) =>
      row.mark !== "" && row.offset < offset + size && offset <= row.offset + 16
    );
    assert(marked, `${id} against ${parent.name}: ${JSON.stringify(rows.slice(0, 3))}`);
  }
});
