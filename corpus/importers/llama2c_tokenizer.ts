/**
 * Tokenizer files of llama2.c to `score-bpe/1` tokenizers that give the ids of `run.c`.
 *
 * u32 longest piece; then a piece an id: f32 score, u32 length, bytes. Ids 0, 1 and 2 are unknown,
 * begin and end; 3 to 258 stand for the bytes and are spelled `<0x00>` .. `<0xFF>`.
 *
 * `run.c` tells byte pieces by their place and finds no special piece in a text unless pieces
 * happen to merge into its spelling. So here
 * - the entry of a byte piece is that one byte, and the byte-fallback blob names it;
 * - the entry of a special piece is its spelling behind a byte ff, which no UTF-8 text holds: the
 *   added-tokens blob keeps it out of merges and of decoded text, and no text spells it;
 * - a file whose pieces could merge into a byte's or special piece's spelling is refused.
 * Of equal pieces the lowest id counts (in `run.c` it is left open which).
 */
import type { Source } from "../../readers/contract.ts";
import { ADDED, tokenizer } from "../writer/build/tokenizer.ts";
import type { Description } from "../writer/description.ts";
import { type ImportError, isImportError, readExactly } from "./import.ts";

const UNKNOWN = 0, BEGIN = 1, END = 2, FIRST_BYTE = 3;
const SPECIAL = [UNKNOWN, BEGIN, END];
const BYTES = 256;
/** Only a merge with a score above this is done by `run.c`. */
const LEAST_SCORE = -1e10;

/** A piece as the file has it; `key` is its bytes as a Latin-1 string. */
interface Piece {
  readonly score: number;
  readonly bytes: Uint8Array;
  readonly key: string;
  readonly offset: number;
}

const latin1 = (bytes: Uint8Array): string => {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
};

const byteSpelling = (byte: number): string =>
  `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`;

/**
 * Describes the tokenizer.
 * @param file how the file is called in an error
 * @param vocab how many pieces the model has; absent: as many as the file holds
 */
export function importLlama2cTokenizer(
  source: Source,
  file: string,
  vocab?: number,
): Description | ImportError {
  const pieces = readPieces(source, file);
  if (isImportError(pieces)) return pieces;
  if (vocab !== undefined && vocab !== pieces.length) {
    return {
      code: "VocabularyMismatch",
      file,
      what: `${pieces.length} pieces`,
      offset: 0,
      expected: `${vocab} pieces, as many as the model has`,
    };
  }
  const fault = pieceFault(pieces, file);
  if (fault) return fault;
  const byteFallback = pieces[FIRST_BYTE]?.key === byteSpelling(0);
  const isByte = (id: number) => byteFallback && id >= FIRST_BYTE && id < FIRST_BYTE + BYTES;
  return tokenizer({
    vocabulary: pieces.map(({ bytes }, id) =>
      SPECIAL.includes(id)
        ? new Uint8Array([0xff, ...bytes])
        : isByte(id)
        ? new Uint8Array([id - FIRST_BYTE])
        : bytes
    ),
    scores: pieces.map(({ score }) => score),
    byte_fallback: byteFallback
      ? Array.from({ length: BYTES }, (_, byte) => FIRST_BYTE + byte)
      : undefined,
    added_tokens: SPECIAL.map((id) => ({ id, flags: ADDED.special })),
  }, {
    kind: "score-bpe/1",
    added_prefix_space: true,
    bos: { auto: true, id: BEGIN },
    eos: { auto: false, id: END },
    decoder: byteFallback ? ["byte-fallback"] : [],
    // the prefix space alone doubles a text of one byte
    max_expansion: 2,
    stop_tokens: [BEGIN],
    unknown: byteFallback ? { id: UNKNOWN, policy: "bytes" } : { id: UNKNOWN, policy: "reject" },
  });
}

const HEAD_BYTES = 4, PIECE_HEAD_BYTES = 8;
/** What a vocabulary blob may hold (slm2.md section 4): a larger file is no tokenizer. */
const MOST_BYTES = 64 << 20;

/** The pieces of the file, to its end. */
function readPieces(source: Source, file: string): readonly Piece[] | ImportError {
  const size = source.size();
  const fault = (code: ImportError["code"], what: string, offset: number, expected: string) => ({
    code,
    file,
    what,
    offset,
    expected,
  });
  if (size > MOST_BYTES) {
    return fault("TooLarge", "file", MOST_BYTES, `at most ${MOST_BYTES} bytes`);
  }
  const bytes = readExactly(source, 0, size);
  if (!bytes) return fault("Unreadable", "file", 0, `${size} bytes`);
  if (size < HEAD_BYTES) return fault("Truncated", "longest piece", size, "4 bytes");
  const view = new DataView(bytes.buffer);
  const longest = view.getUint32(0, true);
  const pieces: Piece[] = [];
  for (let at = HEAD_BYTES; at < size;) {
    const what = `piece ${pieces.length}`;
    if (size - at < PIECE_HEAD_BYTES) return fault("Truncated", what, at, "a score and a length");
    const score = view.getFloat32(at, true);
    const length = view.getUint32(at + 4, true);
    const end = at + PIECE_HEAD_BYTES + length;
    if (end > size) return fault("Truncated", what, at + 4, `${length} bytes in the file`);
    if (length > longest) return fault("BadPiece", what, at + 4, `at most ${longest} bytes`);
    if (!(Number.isFinite(score) && score > LEAST_SCORE)) {
      return fault("BadScore", what, at, `a finite score above ${LEAST_SCORE}`);
    }
    const piece = bytes.slice(at + PIECE_HEAD_BYTES, end);
    pieces.push({ score, bytes: piece, key: latin1(piece), offset: at });
    at = end;
  }
  if (pieces.length < SPECIAL.length) {
    return fault("Truncated", `piece ${pieces.length}`, size, "unknown, begin and end pieces");
  }
  return pieces;
}

/** What keeps the pieces from standing for `run.c`'s ids. */
function pieceFault(pieces: readonly Piece[], file: string): ImportError | null {
  const fault = (code: ImportError["code"], id: number, expected: string): ImportError => ({
    code,
    file,
    what: `piece ${id}`,
    offset: pieces[id].offset,
    expected,
  });
  const byteFallback = pieces[FIRST_BYTE]?.key === byteSpelling(0);
  if (byteFallback || pieces.length >= FIRST_BYTE + BYTES) {
    for (let byte = 0; byte < BYTES; byte++) {
      const id = Math.min(FIRST_BYTE + byte, pieces.length - 1);
      if (pieces[id].key !== byteSpelling(byte)) {
        return fault("BadPiece", id, `${byteSpelling(byte)} at id ${FIRST_BYTE + byte}`);
      }
    }
  }
  const unread = pieces.slice(0, byteFallback ? FIRST_BYTE + BYTES : FIRST_BYTE);
  const keys = new Set(pieces.map(({ key }) => key));
  const merged = unread.findIndex(({ key }) => canMergeInto(key, keys));
  if (merged >= 0) return fault("AmbiguousPiece", merged, "a spelling that no pieces merge into");
  const joined = firstJoined(pieces, keys, new Set(unread.map(({ key }) => key)));
  return joined < 0
    ? null
    : fault("AmbiguousPiece", joined, "no piece that a byte's or special one merges into");
}

/** Whether `run.c` could find this spelling in a text: as one character, or as two pieces. */
function canMergeInto(spelling: string, keys: ReadonlySet<string>): boolean {
  const cuts = Array.from({ length: Math.max(0, spelling.length - 1) }, (_, i) => i + 1);
  return isOneCharacter(spelling) ||
    cuts.some((cut) => keys.has(spelling.slice(0, cut)) && keys.has(spelling.slice(cut)));
}

const isOneCharacter = (spelling: string): boolean =>
  [...new TextDecoder().decode(Uint8Array.from(spelling, (c) => c.charCodeAt(0)))].length === 1;

/** The first piece that is one of `unread` with another piece before or after it, or -1. */
function firstJoined(
  pieces: readonly Piece[],
  keys: ReadonlySet<string>,
  unread: ReadonlySet<string>,
): number {
  const lengths = new Set([...unread].map(({ length }) => length).filter((length) => length > 0));
  return pieces.findIndex(({ key }) =>
    !unread.has(key) &&
    [...lengths].some((n) =>
      n < key.length &&
      (unread.has(key.slice(0, n)) && keys.has(key.slice(n)) ||
        unread.has(key.slice(-n)) && keys.has(key.slice(0, -n)))
    )
  );
}
