/**
 * Vocabularies of GGUF files to tokenizer descriptions (classes.md section 4): SentencePiece
 * BPE (`llama`), byte-level BPE (`gpt2`) and WordPiece (`bert`).
 */
import type { TokenizerBody, TokenizerOp } from "../writer/bodies.ts";
import { ADDED, tokenizer, type TokenizerParts } from "../writer/build/tokenizer.ts";
import type { Description } from "../writer/description.ts";
import { type GgufMetadata, textOf } from "./gguf.ts";
import type { ImportError } from "./import.ts";

export type GgufTokenizer = Description & { readonly body: TokenizerBody };

/** Values of tokenizer.ggml.token_type that matter here. */
const TYPE = { unknown: 2, control: 3, userDefined: 4, byte: 6 } as const;

/** U+2581, which spells a space or a word start in two of the three sorts. */
const SPACE_MARKER = "\u2581";

/** What a file says of its vocabulary, whatever its sort. */
interface Vocabulary {
  readonly file: GgufMetadata;
  readonly spellings: readonly Uint8Array[];
  readonly types: readonly number[];
  /** the id under `tokenizer.ggml.NAME_token_id`, or null */
  readonly id: (name: string) => number | null;
  readonly added_tokens: readonly { readonly id: number; readonly flags: number }[];
}

type Import = (vocabulary: Vocabulary) => GgufTokenizer | ImportError;

/** Importers by tokenizer.ggml.model. */
const IMPORTS: ReadonlyMap<string, Import> = new Map<string, Import>([
  ["llama", sentencePiece],
  ["gpt2", byteLevel],
  ["bert", wordPiece],
]);

/**
 * Pretokenizers by tokenizer.ggml.pre. In `starcoder` each digit stands alone, before the rest is
 * split as in GPT-2.
 */
const SPLITS: ReadonlyMap<string, readonly TokenizerOp[]> = new Map([
  ["gpt-2", [["gpt2-split"]]],
  ["starcoder", [["digits-split", 1], ["gpt2-split"]]],
]);

/** Describes the tokenizer in the metadata of a GGUF file. */
export function ggufTokenizer(file: GgufMetadata): GgufTokenizer | ImportError {
  const model = file.text("tokenizer.ggml.model");
  if (model === undefined) return file.fault("MissingKey", "tokenizer.ggml.model", "a string");
  const spellings = file.strings("tokenizer.ggml.tokens");
  if (spellings === undefined) {
    return file.fault("MissingKey", "tokenizer.ggml.tokens", "an array of strings");
  }
  const each = `a number for each of ${spellings.length} tokens`;
  const types = file.numbers("tokenizer.ggml.token_type");
  if (types?.length !== spellings.length) {
    return file.fault("MissingKey", "tokenizer.ggml.token_type", each);
  }
  const importer = IMPORTS.get(model);
  if (importer === undefined) {
    const known = [...IMPORTS.keys()].join(", ");
    return file.fault("UnsupportedVocabulary", "tokenizer.ggml.model", `one of ${known}`);
  }
  const id = (name: string) => {
    const value = file.number(`tokenizer.ggml.${name}_token_id`);
    const inRange = value !== undefined && value in spellings;
    return inRange ? value : null;
  };
  const named = (type: number) => type >= TYPE.unknown && type <= TYPE.userDefined;
  const added_tokens = types.flatMap((type, id) =>
    named(type) ? [{ id, flags: type === TYPE.userDefined ? 0 : ADDED.special }] : []
  );
  return importer({ file, spellings, types, id, added_tokens });
}

/** Ends that a file adds by itself; `bos` and `eos` say what it does where it says nothing. */
function ends({ file, id }: Vocabulary, bos: boolean, eos: boolean) {
  const edge = (name: string, otherwise: boolean) => ({
    auto: id(name) !== null && (file.bool(`tokenizer.ggml.add_${name}_token`) ?? otherwise),
    id: id(name),
  });
  const last = id("eos");
  return {
    bos: edge("bos", bos),
    eos: edge("eos", eos),
    stop_tokens: last === null ? [] : [last],
    roles: rolesOf(id),
  };
}

/** Roles that files name besides the ends. */
function rolesOf(id: Vocabulary["id"]): { [role: string]: number } {
  const roles: { [role: string]: number } = {};
  for (const [role, name] of [["pad", "padding"], ["mask", "mask"]]) {
    const token = id(name);
    if (token !== null) roles[role] = token;
  }
  return roles;
}

/** `<0xNN>` is one byte; every other piece is its own spelling. */
function sentencePiece(vocabulary: Vocabulary): GgufTokenizer | ImportError {
  const { file, spellings, types, id, added_tokens } = vocabulary;
  const scores = file.numbers("tokenizer.ggml.scores");
  if (scores?.length !== spellings.length) {
    const each = `a number for each of ${spellings.length} tokens`;
    return file.fault("MissingKey", "tokenizer.ggml.scores", each);
  }
  const charsmap = "tokenizer.ggml.precompiled_charsmap";
  if (file.get(charsmap) !== undefined) {
    return file.fault("UnsupportedVocabulary", charsmap, "no normalisation of SentencePiece");
  }
  const byte_fallback = new Array<number>(256).fill(-1);
  const entries = spellings.map((spelling, token) => {
    if (types[token] !== TYPE.byte) return spelling;
    const byte = byteOf(spelling);
    if (byte !== undefined) byte_fallback[byte] = token;
    return Uint8Array.of(byte ?? 0);
  });
  const fallback = byte_fallback.every((token) => token >= 0);
  if (!fallback && types.includes(TYPE.byte)) {
    return file.fault(
      "BadPiece",
      "tokenizer.ggml.tokens",
      "256 byte pieces <0x00> to <0xFF>, or none",
    );
  }
  const parts: TokenizerParts = {
    vocabulary: entries,
    scores,
    added_tokens,
    ...(fallback ? { byte_fallback } : {}),
  };
  const unknown = id("unknown");
  return tokenizer(parts, {
    kind: "score-bpe/1",
    ...ends(vocabulary, true, false),
    added_prefix_space: file.bool("tokenizer.ggml.add_space_prefix") ?? true,
    decoder: fallback ? ["byte-fallback", "strip-space-marker"] : ["strip-space-marker"],
    // one space, the space before it, and three bytes for each
    max_expansion: 6,
    space_marker: SPACE_MARKER,
    unknown: {
      id: unknown,
      policy: fallback ? "bytes" : unknown === null ? "reject" : "token",
    },
  });
}

function byteOf(spelling: Uint8Array): number | undefined {
  const digits = /^<0x([0-9A-F]{2})>$/.exec(textOf(spelling) ?? "")?.[1];
  return digits === undefined ? undefined : parseInt(digits, 16);
}

/** Tokens are spelled with 256 printable characters for bytes, control tokens as they are. */
function byteLevel(vocabulary: Vocabulary): GgufTokenizer | ImportError {
  const { file, spellings, types, id, added_tokens } = vocabulary;
  const pretokenizer = SPLITS.get(file.text("tokenizer.ggml.pre") ?? "");
  if (pretokenizer === undefined) {
    const known = [...SPLITS.keys()].join(", ");
    return file.fault("UnsupportedVocabulary", "tokenizer.ggml.pre", `one of ${known}`);
  }
  const rules = file.strings("tokenizer.ggml.merges");
  if (rules === undefined) {
    return file.fault("MissingKey", "tokenizer.ggml.merges", "an array of strings");
  }

  const texts = spellings.map(textOf);
  const ids = new Map<string, number>();
  const entries: Uint8Array[] = [];
  for (const [token, text] of texts.entries()) {
    const plain = types[token] === TYPE.control || types[token] === TYPE.userDefined;
    const bytes = plain ? spellings[token] : unspell(text ?? "");
    if (text === undefined || bytes === undefined) {
      const expected = `bytes in GPT-2's spelling as token ${token}`;
      return file.fault("BadPiece", "tokenizer.ggml.tokens", expected);
    }
    entries.push(bytes);
    if (!ids.has(text)) ids.set(text, token);
  }

  const merges = new Map<string, readonly [number, number, number]>();
  for (const [rank, rule] of rules.entries()) {
    const [left, right, ...more] = (textOf(rule) ?? "").split(" ");
    const merge = [ids.get(left), ids.get(right ?? ""), ids.get(`${left}${right}`)];
    if (more.length > 0 || merge.includes(undefined)) {
      const expected = `two tokens that make a third as merge ${rank}`;
      return file.fault("BadMerge", "tokenizer.ggml.merges", expected);
    }
    const [l, r, result] = merge as [number, number, number];
    if (!merges.has(`${l} ${r}`)) merges.set(`${l} ${r}`, [l, r, result]);
  }
  return tokenizer({ vocabulary: entries, merges: [...merges.values()], added_tokens }, {
    kind: "byte-level-bpe/1",
    ...ends(vocabulary, false, false),
    decoder: ["byte-level"],
    max_expansion: 1,
    pretokenizer,
    unknown: { id: id("unknown"), policy: "reject" },
  });
}

/**
 * GPT-2's characters for bytes (`bytes_to_unicode` of openai/gpt-2): printable Latin-1 for itself,
 * the other bytes in order from U+0100 on.
 */
const SPELLED_BYTES: ReadonlyMap<string, number> = (() => {
  const itself = (byte: number) =>
    (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
  const spelled = new Map<string, number>();
  let next = 0x100;
  for (let byte = 0; byte < 256; byte++) {
    spelled.set(String.fromCodePoint(itself(byte) ? byte : next++), byte);
  }
  return spelled;
})();

function unspell(text: string): Uint8Array | undefined {
  const bytes: number[] = [];
  for (const char of text) {
    const byte = SPELLED_BYTES.get(char);
    if (byte === undefined) return undefined;
    bytes.push(byte);
  }
  return Uint8Array.from(bytes);
}

/** Word starts are marked in these files already, and continuations bare. */
function wordPiece({ file, spellings, id, added_tokens }: Vocabulary): GgufTokenizer | ImportError {
  const unknown = id("unknown");
  if (unknown === null) {
    return file.fault("MissingKey", "tokenizer.ggml.unknown_token_id", "the id of a token");
  }
  const [cls, sep] = [id("cls"), id("seperator")];
  return tokenizer({ vocabulary: spellings, added_tokens }, {
    kind: "wordpiece/1",
    bos: { auto: cls !== null, id: cls },
    eos: { auto: sep !== null, id: sep },
    decoder: ["strip-space-marker", "wordpiece-cleanup"],
    // cjk-space 5/3, lowercase 3/2, the full decomposition 3
    max_expansion: 8,
    normalizer: [["clean-control"], ["cjk-space"], ["lowercase"], ["strip-accents"]],
    pretokenizer: [["whitespace-split"], ["punctuation-split"]],
    roles: rolesOf(id),
    space_marker: SPACE_MARKER,
    unknown: { id: unknown, policy: "token" },
  });
}
