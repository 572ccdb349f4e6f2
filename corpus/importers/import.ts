/** What all importers share. */
import type { Source } from "../../readers/contract.ts";

/** The closed list of what can be wrong with a file. */
export type ImportCode =
  | "Unreadable"
  | "Truncated"
  | "TrailingBytes"
  | "UnsupportedVersion"
  | "BadDimension"
  | "NonFinite"
  | "BadPiece"
  | "BadScore"
  | "AmbiguousPiece"
  | "VocabularyMismatch"
  | "NotEncodable"
  | "BadMagic"
  | "TooLarge"
  | "UnknownType"
  | "NestedArray"
  | "BadBool"
  | "BadKey"
  | "DuplicateKey"
  | "MissingKey"
  | "UnsupportedVocabulary"
  | "BadMerge";

/** A fault of a source file. */
export interface ImportError {
  readonly code: ImportCode;
  /** which file, as the caller named it */
  readonly file: string;
  /** the field, tensor or piece at fault */
  readonly what: string;
  /** the byte of the file at which it begins */
  readonly offset: number;
  /** what a good file has there */
  readonly expected: string;
}

/** Whether a result of an importer is a fault. */
export const isImportError = (result: object): result is ImportError =>
  "code" in result && "file" in result && "what" in result;

/** A fault in one line for a person. */
export const describeImportError = ({ file, what, offset, expected, code }: ImportError): string =>
  `${file}: ${what} at byte ${offset}: expected ${expected} (${code})`;

/** The `length` bytes from `offset` on, as a source of their own. Nothing is read. */
export function slice(source: Source, offset: number, length: number): Source {
  return {
    size: () => length,
    read: (at, into) => source.read(offset + at, into.subarray(0, Math.max(0, length - at))),
  };
}

/** Reads exactly `length` bytes, or null where the source is short. */
export function readExactly(source: Source, offset: number, length: number): Uint8Array | null {
  const bytes = new Uint8Array(length);
  return source.read(offset, bytes) === length ? bytes : null;
}

const WINDOW = 1 << 20;
const window = new Uint8Array(WINDOW);

/**
 * The offset in `source` of the first little-endian f32 that is NaN or infinite, -1 where all
 * are finite, or null where the source is short. Reads all of it, in windows of 1 MiB.
 */
export function firstNonFinite(source: Source): number | null {
  const size = source.size();
  for (let at = 0; at < size; at += WINDOW) {
    const part = window.subarray(0, Math.min(WINDOW, size - at));
    if (source.read(at, part) !== part.length) return null;
    for (let i = 3; i < part.length; i += 4) {
      // all eight exponent bits
      if ((part[i] & 0x7f) === 0x7f && (part[i - 1] & 0x80) !== 0) return at + i - 3;
    }
  }
  return -1;
}
