/** score-bpe/1 against the reference encodings of run.c: the bundled model, and a real one. */
import { assertEquals } from "@std/assert";
import { dataTest } from "../../../lab/data.ts";
import { describeImportError, isImportError } from "../../../corpus/importers/import.ts";
import { importLlama2cTokenizer } from "../../../corpus/importers/llama2c_tokenizer.ts";
import { memorySource } from "../../source.ts";
import { ids, loaded } from "./testing.ts";
import type { Tokenizer } from "./tokenizer.ts";

function llama2c(file: Uint8Array): Tokenizer {
  const description = importLlama2cTokenizer(memorySource(file), "tokenizer");
  if (isImportError(description)) throw new Error(describeImportError(description));
  return loaded(description);
}

interface Case {
  readonly text: string;
  readonly ids: readonly number[];
}

function agree(tokenizer: Tokenizer, cases: readonly Case[]): void {
  for (const { text, ids: expected } of cases) {
    assertEquals(ids(tokenizer, text), expected, JSON.stringify(text));
    assertEquals(tokenizer.decodeText(expected), text);
  }
}

const MODEL = new URL("../../../corpus/models/fable/", import.meta.url);

Deno.test("fable: every reference encoding, and back", () => {
  const tokenizer = llama2c(Deno.readFileSync(new URL("fable-tok.bin", MODEL)));
  const { encode, prompts } = JSON.parse(Deno.readTextFileSync(new URL("expected.json", MODEL)));
  agree(tokenizer, encode);
  for (const { prompt, prompt_ids } of prompts) {
    assertEquals(ids(tokenizer, prompt), prompt_ids);
  }
});

dataTest("stories260K: every reference encoding, and back", (data) => {
  const tokenizer = llama2c(Deno.readFileSync(new URL("models/tok512.bin", data)));
  const reference = new URL("models/ref/tok512.encode.json", data);
  agree(tokenizer, JSON.parse(Deno.readTextFileSync(reference)).cases);
});
