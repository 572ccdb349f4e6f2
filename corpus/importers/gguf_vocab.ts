/**
 * Vocabularies of GGUF files to tokenizer descriptions (classes.md section 4): SentencePiece
 * BPE (`llama`), byte-level BPE (`gpt2`) and WordPiece (`bert`).
 */
import type { TokenizerBody, TokenizerOp } from "../writer/bodies.ts";
import { ADDED, tokenizer, type TokenizerParts } from "../writer/build/tokenizer.ts";
import type { Description } from "../writer/description.ts";
import { type GgufMetadata, textOf } from "./gguf.ts";

/** Why a vocabulary is not imported; `detail` names the key or the token. */
export interface GgufVocabError {
  readonly error: "MissingKey" | "Unsupported" | "BadToken" | "BadMerge";
  readonly detail: string;
}

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

type Import = (vocabulary: Vocabulary) => GgufTokenizer | GgufVocabError;

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
export function ggufTokenizer(file: GgufMetadata): GgufTokenizer | GgufVocabError {
  const model = file.text("tokenizer.ggml.model");
  if (model === undefined) return missing("tokenizer.ggml.model");
  const spellings = file.strings("tokenizer.ggml.tokens");
  if (spellings === undefined) return missing("tokenizer.ggml.tokens");
  const types = file.numbers("tokenizer.ggml.token_type");
  if (types?.length !== spellings.length) return missing("tokenizer.ggml.token_type");
  const importer = IMPORTS.get(model);
  if (importer === undefined) return { error: "Unsupported", detail: model };
  const id = (name: string) => {
    const value = file.number(`tokenizer.ggml.${name}_token_id`);
    return value === undefined || value >= spellings.length ? null : value;
  };
  const named = (type: number) => type >= TYPE.unknown && type <= TYPE.userDefined;
  const added_tokens = types.flatMap((type, id) =>
    named(type) ? [{ id, flags: type === TYPE.userDefined ? 0 : ADDED.special }] : []
  );
  return importer({ file, spellings, types, id, added_tokens });
}

const missing = (detail: string): GgufVocabError => ({ error: "MissingKey", detail });

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
function sentencePiece(vocabulary: Vocabulary): GgufTokenizer | GgufVocabError {
  const { file, spellings, types, id, added_tokens } = vocabulary;
  const scores = file.numbers("tokenizer.ggml.scores");
  if (scores?.length !== spellings.length) return missing("tokenizer.ggml.scores");
  if (file.get("tokenizer.ggml.precompiled_charsmap") !== undefined) {
    return { error: "Unsupported", detail: "tokenizer.ggml.precompiled_charsmap" };
  }
  const byte_fallback = new Array<number>(256).fill(-1);
  const entries = spellings.map((spelling, token) => {
    if (types[token] !== TYPE.byte) return spelling;
    const byte = byteOf(spelling);
    if (byte !== undefined) byte_fallback[byte] = token;
    return Uint8Array.of(byte ?? 0);
  });
  const fallback = byte_fallback.every((token) => token >= 0);
  if (!fallback && types.includes(TYPE.byte)) return { error: "BadToken", detail: "byte pieces" };
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
function byteLevel(vocabulary: Vocabulary): GgufTokenizer | GgufVocabError {
  const { file, spellings, types, id, added_tokens } = vocabulary;
  const pretokenizer = SPLITS.get(file.text("tokenizer.ggml.pre") ?? "");
  if (pretokenizer === undefined) return { error: "Unsupported", detail: "tokenizer.ggml.pre" };
  const rules = file.strings("tokenizer.ggml.merges");
  if (rules === undefined) return missing("tokenizer.ggml.merges");

  const texts = spellings.map(textOf);
  const ids = new Map<string, number>();
  const entries: Uint8Array[] = [];
  for (const [token, text] of texts.entries()) {
    const plain = types[token] === TYPE.control || types[token] === TYPE.userDefined;
    const bytes = plain ? spellings[token] : unspell(text ?? "");
    if (text === undefined || bytes === undefined) return { error: "BadToken", detail: `${token}` };
    entries.push(bytes);
    if (!ids.has(text)) ids.set(text, token);
  }

  const merges = new Map<string, readonly [number, number, number]>();
  for (const [rank, rule] of rules.entries()) {
    const [left, right, ...more] = (textOf(rule) ?? "").split(" ");
    const merge = [ids.get(left), ids.get(right ?? ""), ids.get(`${left}${right}`)];
    if (more.length > 0 || merge.includes(undefined)) {
      return { error: "BadMerge", detail: `${rank}` };
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
function wordPiece({ spellings, id, added_tokens }: Vocabulary): GgufTokenizer | GgufVocabError {
  const unknown = id("unknown");
  if (unknown === null) return missing("tokenizer.ggml.unknown_token_id");
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
