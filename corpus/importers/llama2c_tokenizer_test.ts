import { assert, assertEquals } from "@std/assert";
import { dataTest } from "../../lab/data.ts";
import { ids, loaded } from "../../readers/runtime/tokenizer/testing.ts";
import type { Source } from "../../readers/contract.ts";
import { memorySource } from "../../readers/source.ts";
import { lookup } from "../writer/cbor.ts";
import type { Description } from "../writer/description.ts";
import { isWriteError } from "../writer/fault.ts";
import { write } from "../writer/write.ts";
import { isImportError } from "./import.ts";
import { importLlama2cTokenizer } from "./llama2c_tokenizer.ts";
import { PIECES, tokenizerFile } from "./llama2c_testing.ts";

function imported(bytes: Uint8Array, vocab?: number): Description {
  const result = importLlama2cTokenizer(memorySource(bytes), "tok.bin", vocab);
  if (isImportError(result)) throw new Error(JSON.stringify(result));
  assert(!isWriteError(write(result)));
  return result;
}

/** Texts through run.c, and the ids it gave. */
interface Case {
  readonly text: string;
  readonly ids: readonly number[];
}

function agree(description: Description, cases: readonly Case[]): void {
  const tokenizer = loaded(description);
  for (const { text, ids: expected } of cases) {
    // as content and as a literal, in which special tokens would be found
    assertEquals(ids(tokenizer, text, { content: true }), expected, JSON.stringify(text));
    assertEquals(ids(tokenizer, text), expected, JSON.stringify(text));
    assertEquals(tokenizer.decodeText(expected), text);
  }
}

const FABLE = new URL("../models/fable/", import.meta.url);

Deno.test("fable: the ids of run.c for every reference text", () => {
  const { encode, prompts } = JSON.parse(Deno.readTextFileSync(new URL("expected.json", FABLE)));
  const description = imported(Deno.readFileSync(new URL("fable-tok.bin", FABLE)), 512);
  agree(description, encode);
  for (const { prompt, prompt_ids } of prompts) {
    assertEquals(ids(loaded(description), prompt), prompt_ids);
  }
});

dataTest("stories260K: the ids of run.c for every reference text", (data) => {
  const read = (name: string) => Deno.readFileSync(new URL(`models/${name}`, data));
  const { cases } = JSON.parse(new TextDecoder().decode(read("ref/tok512.encode.json")));
  agree(imported(read("tok512.bin"), 512), cases);
});

Deno.test("special pieces are spelled so that no text has them, also where a text spells them", () => {
  const tokenizer = loaded(imported(tokenizerFile(PIECES)));
  const byte = (text: string) => [...text].map((c) => c.charCodeAt(0) + 3);
  // the prefix space has its piece, the rest goes as bytes
  for (const text of ["\n<s>\n", "\n</s>\n", "<unk>", "<0x41>"]) {
    assertEquals(ids(tokenizer, text), [1, 259, ...byte(text)]);
  }
  assertEquals(ids(tokenizer, ""), [1]);
  assertEquals(ids(tokenizer, "a"), [1, 261]);
  assertEquals(tokenizer.decodeText([1, 261, 2, 260]), "aa");
});

Deno.test("a vocabulary without byte pieces rejects what it does not cover", () => {
  const description = imported(tokenizerFile([...PIECES.slice(0, 3), ...PIECES.slice(-3)]), 6);
  assertEquals(lookup(description.body, "byte_fallback"), false);
  const tokenizer = loaded(description);
  assertEquals(ids(tokenizer, "aa"), [1, 5, 4]);
  assert("error" in tokenizer.encode("b"));
});

const good = tokenizerFile(PIECES);
const pieces = (...more: [string, number][]) => tokenizerFile([...PIECES, ...more]);
const replaced = (id: number, piece: readonly [string, number]) =>
  tokenizerFile(PIECES.map((old, i) => i === id ? piece : old));
const edited = (edit: (view: DataView) => void) => {
  const bytes = good.slice();
  edit(new DataView(bytes.buffer));
  return bytes;
};

const BAD: [why: string, bytes: Uint8Array, fault: [code: string, what: string, offset: number]][] =
  [
    ["empty", new Uint8Array(0), ["Truncated", "longest piece", 0]],
    ["no pieces", good.slice(0, 4), ["Truncated", "piece 0", 4]],
    ["one byte short", good.slice(0, -1), ["Truncated", "piece 261", good.length - 6]],
    ["four bytes long", new Uint8Array([...good, 0, 0, 0, 0]), [
      "Truncated",
      "piece 262",
      good.length,
    ]],
    ["a length of 2^32 - 1", edited((v) => v.setUint32(8, 2 ** 32 - 1, true)), [
      "Truncated",
      "piece 0",
      8,
    ]],
    ["longer than the longest", edited((v) => v.setUint32(0, 4, true)), ["BadPiece", "piece 0", 8]],
    ["a NaN score", edited((v) => v.setFloat32(4, NaN, true)), ["BadScore", "piece 0", 4]],
    ["an infinite score", edited((v) => v.setFloat32(4, Infinity, true)), [
      "BadScore",
      "piece 0",
      4,
    ]],
    ["a score that run.c never takes", edited((v) => v.setFloat32(4, -1e11, true)), [
      "BadScore",
      "piece 0",
      4,
    ]],
    ["a byte piece out of place", replaced(13, ["<0x0B>", 0]), ["BadPiece", "piece 13", 184]],
    [
      "byte pieces elsewhere",
      tokenizerFile([...PIECES.slice(0, 3), ...PIECES.slice(-3), ...PIECES.slice(3, 259)]),
      ["BadPiece", "piece 3", 44],
    ],
    ["pieces that merge into a byte's spelling", pieces(["<0x", 0], ["41>", 0]), [
      "AmbiguousPiece",
      "piece 68",
      954,
    ]],
    ["pieces that merge into a special one", pieces(["\n<", 0], ["s>\n", 0]), [
      "AmbiguousPiece",
      "piece 1",
      17,
    ]],
    ["a special piece of one character", replaced(0, ["\u2047", 0]), [
      "AmbiguousPiece",
      "piece 0",
      4,
    ]],
    ["a piece that begin merges into", pieces(["\n<s>\n ", 0]), [
      "AmbiguousPiece",
      "piece 262",
      good.length,
    ]],
    ["a piece that a byte merges into", pieces(["a<0x41>", 0]), [
      "AmbiguousPiece",
      "piece 262",
      good.length,
    ]],
  ];

for (const [why, bytes, [code, what, offset]] of BAD) {
  Deno.test(`refused: ${why}`, () => {
    const result = importLlama2cTokenizer(memorySource(bytes), "tok.bin");
    assert(isImportError(result), "accepted");
    assertEquals([result.code, result.file, result.what, result.offset], [
      code,
      "tok.bin",
      what,
      offset,
    ]);
  });
}

Deno.test("refused: a vocabulary that is not the model's", () => {
  const result = importLlama2cTokenizer(memorySource(good), "tok.bin", 263);
  assert(isImportError(result));
  assertEquals([result.code, result.what], ["VocabularyMismatch", "262 pieces"]);
});

Deno.test("refused unread: a file far too large to be a tokenizer", () => {
  const large: Source = { size: () => 2 ** 33, read: () => assert(false, "read") ?? 0 };
  const result = importLlama2cTokenizer(large, "model.bin");
  assert(isImportError(result));
  assertEquals(result.code, "TooLarge");
});
