/** A corpus as a worker has it: what is known of each entry, and its input from a file. */
import { assertEquals, assertThrows } from "@std/assert";
import { Corpus, type Entry } from "./corpus.ts";
import { InputFile, InputsOf } from "./input_file.ts";

const entry = (bytes: Uint8Array, feature: number): Entry => ({
  bytes,
  length: bytes.length,
  features: Uint32Array.of(feature),
  depth: feature,
  stage: 20,
  edits: 3,
  spent: 4,
  finds: 5,
});

Deno.test("a worker's corpus is the one that it was told of, and grows with it", () => {
  const path = Deno.makeTempFileSync();
  const file = new InputFile(path);
  try {
    const [own, workers] = [new Corpus(8), new Corpus(8)];
    const inputs = new InputsOf(path);
    const tell = () => {
      const known = workers.entries.length;
      const placeOf = (number: number) => file.add(own.entries[number].bytes);
      workers.take(own.changes(known, 0, known > 0 ? [0] : [], placeOf), inputs);
    };
    own.add(entry(Uint8Array.of(1, 2, 3), 40));
    own.add(entry(new Uint8Array(0), 41));
    tell();
    own.add(entry(new Uint8Array(70_000).fill(7), 42));
    own.entries[0].spent = 9;
    tell();
    assertEquals(
      workers.entries.map(({ features: _, ...one }) => one),
      own.entries.map(({ features: _, ...one }) => one),
    );
    inputs.close();
  } finally {
    file.close();
    Deno.removeSync(path);
  }
});

Deno.test("a place that the file does not hold is a bug that is told", () => {
  const path = Deno.makeTempFileSync();
  const file = new InputFile(path);
  const inputs = new InputsOf(path);
  try {
    file.add(Uint8Array.of(1));
    assertThrows(() => inputs.read({ at: 0, length: 2 }), Error, "no input of 2 bytes at 0");
  } finally {
    inputs.close();
    file.close();
    Deno.removeSync(path);
  }
});
