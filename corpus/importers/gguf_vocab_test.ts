/** Four published vocabularies against the ids of their reference programs. */
import { assert, assertEquals } from "@std/assert";
import { dataTest } from "../../lab/data.ts";
import { ids, loaded } from "../../readers/runtime/tokenizer/testing.ts";
import { memorySource } from "../../readers/source.ts";
import { readGguf } from "./gguf.ts";
import { describeImportError, type ImportError, isImportError } from "./import.ts";
import { ggufFile } from "./testing.ts";
import { type GgufTokenizer, ggufTokenizer } from "./gguf_vocab.ts";

const NAMES = ["llama-spm", "gpt-2", "starcoder", "bert-bge"] as const;
const SEPARATOR = "\n__ggml_vocab_test__\n";

function imported(bytes: Uint8Array): GgufTokenizer | ImportError {
  const file = readGguf(memorySource(bytes), "test.gguf");
  return isImportError(file) ? file : ggufTokenizer(file);
}

function described(bytes: Uint8Array): GgufTokenizer {
  const result = imported(bytes);
  if (isImportError(result)) throw new Error(describeImportError(result));
  return result;
}

/** The published pairs: texts and their ids without special tokens. */
function pairs(data: URL, name: string): [string, number[]][] {
  const read = (ending: string) =>
    Deno.readTextFileSync(new URL(`tokenizers/ggml-vocab-${name}.gguf.${ending}`, data));
  const texts = read("inp").split(SEPARATOR).slice(0, -1);
  const lines = read("out").split("\n");
  return texts.map((text, i) => [text, lines[i].split(" ").filter(Boolean).map(Number)]);
}

/**
 * BERT's own program drops unassigned code points as control characters; section 4 passes them
 * through every op, so that here they are a word that nothing covers.
 */
const UNASSIGNED = { name: "bert-bge", text: "\ufffd\uffff\u{10ffff}", ids: [100] };

interface Extra {
  readonly text: string;
  readonly ids: number[];
  readonly ids_with_special: number[];
  readonly second_opinion_agrees?: boolean;
  readonly second_opinion_ids?: number[];
}

for (const name of NAMES) {
  dataTest(`${name}: every published pair, and more texts`, (data) => {
    const file = Deno.readFileSync(new URL(`tokenizers/ggml-vocab-${name}.gguf`, data));
    const tokenizer = loaded(described(file));
    const published = pairs(data, name);
    assertEquals(published.length, 46);
    const wrong: string[] = [];
    const hold = (text: string, special: boolean, expected: number[]) => {
      const found = ids(tokenizer, text, { special, content: true });
      if (found.join() !== expected.join()) {
        wrong.push(`${JSON.stringify(text)}\n  ${found}\n  ${expected}`);
      }
    };
    for (const [text, expected] of published) hold(text, false, expected);
    const extra = new URL(`tokenizers/${name}.extra.json`, data);
    const cases: Extra[] = JSON.parse(Deno.readTextFileSync(extra)).cases;
    assertEquals(cases.length, 62);
    for (const { text, ids, ids_with_special, ...second } of cases) {
      if (name === UNASSIGNED.name && text === UNASSIGNED.text) {
        hold(text, false, UNASSIGNED.ids);
      } else if (second.second_opinion_agrees === false) {
        hold(text, false, second.second_opinion_ids ?? []);
      } else {
        hold(text, false, ids);
        hold(text, true, ids_with_special);
      }
    }
    assertEquals(wrong.join("\n"), "");

    // what keeps all of a text gives it back, but for a space at the start
    if (name === "bert-bge") return;
    for (const text of [...published.map(([text]) => text), ...cases.map(({ text }) => text)]) {
      const back = tokenizer.decodeText(ids(tokenizer, text, { content: true }));
      assertEquals(back, text);
    }
  });
}

dataTest("stories260K: the GGUF's vocabulary gives the ids of run.c", (data) => {
  const tokenizer = loaded(described(Deno.readFileSync(new URL("gguf/stories260K.gguf", data))));
  const reference = Deno.readTextFileSync(new URL("models/ref/tok512.encode.json", data));
  const cases: Extra[] = JSON.parse(reference).cases;
  assert(cases.length > 5);
  for (const { text, ids: expected } of cases) {
    assertEquals(ids(tokenizer, text, { content: true }), expected, text);
    assertEquals(tokenizer.decodeText(expected), text);
  }
});

const key = (name: string) => `tokenizer.ggml.${name}`;

/** A tiny byte-level vocabulary: "a", " " as GPT-2 spells it, " a", a user's and a control token. */
const BYTE_LEVEL = {
  [key("model")]: "gpt2",
  [key("pre")]: "gpt-2",
  [key("tokens")]: ["a", "\u0120", "\u0120a", "<user>", "<end>"],
  [key("token_type")]: [1, 1, 1, 4, 3],
  [key("merges")]: ["\u0120 a"],
  [key("eos_token_id")]: 4,
};

/** A tiny SentencePiece vocabulary without byte pieces. */
const PIECES = {
  [key("model")]: "llama",
  [key("tokens")]: ["<unk>", "<s>", "\u2581", "a", "\u2581a"],
  [key("token_type")]: [2, 3, 1, 1, 1],
  [key("scores")]: [0, 0, -3, -2, -1],
  [key("bos_token_id")]: 1,
  [key("unknown_token_id")]: 0,
};

Deno.test("a file's own settings are taken", () => {
  const bytes = loaded(described(ggufFile(BYTE_LEVEL)));
  assertEquals(ids(bytes, "a a<user><end>"), [0, 2, 3, 4]);
  assertEquals(bytes.decodeText([0, 2, 3, 4]), "a a<user>");
  assertEquals(bytes.stopTokens, [4]);
  assertEquals(ids(loaded(described(ggufFile(PIECES))), "a a\u00e9"), [1, 4, 4, 0]);
  const bare = { ...PIECES, [key("add_bos_token")]: false, [key("add_space_prefix")]: false };
  assertEquals(ids(loaded(described(ggufFile(bare))), "a a"), [3, 4]);
});

Deno.test("what cannot be imported exactly is refused by the key at fault", () => {
  const faults: [{ [name: string]: unknown }, string, string][] = [
    [{ ...BYTE_LEVEL, [key("model")]: "t5" }, "UnsupportedVocabulary", "model"],
    [{ ...BYTE_LEVEL, [key("pre")]: "llama-bpe" }, "UnsupportedVocabulary", "pre"],
    [{ ...BYTE_LEVEL, [key("token_type")]: [1, 1] }, "MissingKey", "token_type"],
    [{ ...BYTE_LEVEL, [key("merges")]: ["a b c"] }, "BadMerge", "merges"],
    [{ ...BYTE_LEVEL, [key("merges")]: ["a a"] }, "BadMerge", "merges"],
    [
      {
        ...BYTE_LEVEL,
        [key("token_type")]: [1, 1, 1, 4, 1],
        [key("tokens")]: ["a", "b", "c", "d", " "],
      },
      "BadPiece",
      "tokens",
    ],
    [{ ...PIECES, [key("scores")]: [0] }, "MissingKey", "scores"],
    [{ ...PIECES, [key("token_type")]: [2, 3, 1, 1, 6] }, "BadPiece", "tokens"],
    [
      { ...PIECES, [key("precompiled_charsmap")]: "x" },
      "UnsupportedVocabulary",
      "precompiled_charsmap",
    ],
    [
      { ...PIECES, [key("model")]: "bert", [key("unknown_token_id")]: 9 },
      "MissingKey",
      "unknown_token_id",
    ],
  ];
  for (const [file, code, what] of faults) {
    const result = imported(ggufFile(file as Parameters<typeof ggufFile>[0]));
    assert(isImportError(result), what);
    assertEquals([result.code, result.what], [code, key(what)]);
  }
});
