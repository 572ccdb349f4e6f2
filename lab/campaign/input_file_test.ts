/** A corpus as a worker has it: what is known of each entry, and its input from a file. */
import { assertEquals, assertThrows } from "@std/assert";
import { Corpus, type Entry } from "./corpus.ts";
import { InputFile } from "./input_file.ts";

const entry = (bytes: Uint8Array, feature: number): Entry => ({
  bytes,
  length: bytes.length,
  features: Uint32Array.of(feature),
  depth: feature,
  stage: 20,
  steps: 0,
  edits: 3,
  spent: 4,
  finds: 5,
});

Deno.test("a worker's corpus is the one that it was told of, and grows with it", () => {
  const path = Deno.makeTempFileSync();
  const file = InputFile.create(path), inputs = InputFile.open(path);
  try {
    const [own, workers] = [new Corpus(8), new Corpus(8)];
    const tell = () => {
      const known = workers.entries.length;
      workers.take(own.changes(known, 0, known > 0 ? [0] : []), inputs);
    };
    const first = entry(Uint8Array.of(1, 2, 3), 1), third = entry(new Uint8Array(70_000), 4);
    own.add(first);
    own.keepIn(file);
    own.add(entry(new Uint8Array(0), 2));
    tell();
    own.add({ ...third, bytes: third.bytes.fill(7) });
    own.entries[0].spent = 9;
    tell();
    for (const { entries } of [own, workers]) {
      const [one, , other] = entries;
      assertEquals([one.bytes, one.spent], [first.bytes, 9]);
      assertEquals([other.bytes, other.spent, other.depth], [third.bytes, 4, 4]);
      assertEquals(entries.map(({ length }) => length), [3, 0, 70_000]);
    }
    assertEquals(own.entries[2].features, third.features);
  } finally {
    inputs.close();
    file.close();
    Deno.removeSync(path);
  }
});

Deno.test("a place that the file does not hold is a bug that is told", () => {
  const path = Deno.makeTempFileSync();
  const file = InputFile.create(path), inputs = InputFile.open(path);
  try {
    file.add(Uint8Array.of(1));
    assertThrows(() => inputs.read({ at: 0, length: 2 }), Error, "no input of 2 bytes at 0");
  } finally {
    inputs.close();
    file.close();
    Deno.removeSync(path);
  }
});
