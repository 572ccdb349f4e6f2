/** score-bpe/1 against the reference encodings of run.c: the bundled model, and a real one. */
import { assertEquals } from "@std/assert";
import { dataTest } from "../../../lab/data.ts";
import { ids, make } from "./testing.ts";
import type { Tokenizer } from "./tokenizer.ts";

/** A llama2.c tokenizer file as a tokenizer: byte pieces are 3 to 258, a space goes before. */
function llama2c(file: Uint8Array): Tokenizer {
  const view = new DataView(file.buffer, file.byteOffset, file.length);
  const vocabulary: Uint8Array[] = [], scores: number[] = [];
  for (let at = 4; at < file.length;) {
    const length = view.getUint32(at + 4, true);
    scores.push(view.getFloat32(at, true));
    vocabulary.push(file.subarray(at + 8, at + 8 + length));
    at += 8 + length;
  }
  const bytes = Array.from({ length: 256 }, (_, byte) => byte + 3);
  for (const id of bytes) vocabulary[id] = Uint8Array.of(id - 3);
  return make({
    vocabulary,
    scores,
    byte_fallback: bytes,
    added_tokens: [0, 1, 2].map((id) => ({ id, flags: 1 })),
  }, {
    kind: "score-bpe/1",
    added_prefix_space: true,
    bos: { auto: true, id: 1 },
    eos: { auto: false, id: 2 },
    unknown: { id: 0, policy: "bytes" },
  });
}

interface Case {
  readonly text: string;
  readonly ids: readonly number[];
}

function agree(tokenizer: Tokenizer, cases: readonly Case[]): void {
  for (const { text, ids: expected } of cases) {
    assertEquals(ids(tokenizer, text, { content: true }), expected, JSON.stringify(text));
    assertEquals(tokenizer.decodeText(expected), text);
  }
}

const MODEL = new URL("../../../corpus/models/fable/", import.meta.url);

Deno.test("fable: every reference encoding, and back", () => {
  const tokenizer = llama2c(Deno.readFileSync(new URL("fable-tok.bin", MODEL)));
  const { encode, prompts } = JSON.parse(Deno.readTextFileSync(new URL("expected.json", MODEL)));
  agree(tokenizer, encode);
  for (const { prompt, prompt_ids } of prompts) {
    assertEquals(ids(tokenizer, prompt, { content: true }), prompt_ids);
  }
});

dataTest("stories260K: every reference encoding, and back", (data) => {
  const tokenizer = llama2c(Deno.readFileSync(new URL("models/tok512.bin", data)));
  const reference = new URL("models/ref/tok512.encode.json", data);
  agree(tokenizer, JSON.parse(Deno.readTextFileSync(reference)).cases);
});
