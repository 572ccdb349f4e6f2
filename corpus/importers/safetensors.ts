/**
 * The tensors of a safetensors file (the format's description is in the README of the safetensors
 * repository): u64 length of a JSON header, the header, the bytes of all tensors.
 */
import type { Source } from "../../readers/contract.ts";
import { type ImportCode, type ImportError, readExactly, slice } from "./import.ts";

export interface SafeTensor {
  readonly name: string;
  /** as the file names it: `F32`, `BF16` */
  readonly dtype: string;
  readonly shape: readonly number[];
  /** where its bytes begin in the file */
  readonly offset: number;
  readonly values: Source;
}

/** The bound that the format's own reader has. */
const MOST_HEADER = 100_000_000;

/** Bytes of an element; types of no whole bytes are not here. */
const SIZES: Readonly<Record<string, number>> = {
  F64: 8,
  I64: 8,
  U64: 8,
  F32: 4,
  I32: 4,
  U32: 4,
  F16: 2,
  BF16: 2,
  I16: 2,
  U16: 2,
  I8: 1,
  U8: 1,
  BOOL: 1,
};

/**
 * Reads the header. Tensors of types that it does not know are there all the same, as bytes.
 * @param file how the file is called in an error
 */
export function readSafeTensors(source: Source, file: string): SafeTensor[] | ImportError {
  const fault = (code: ImportCode, what: string, offset: number, expected: string) => ({
    code,
    file,
    what,
    offset,
    expected,
  });
  const size = source.size(), head = readExactly(source, 0, 8);
  if (head === null) return fault("Truncated", "header length", 0, "8 bytes");
  const length = new DataView(head.buffer).getBigUint64(0, true);
  if (length > BigInt(MOST_HEADER)) {
    return fault("TooLarge", "header", 0, `at most ${MOST_HEADER} bytes`);
  }
  const start = 8 + Number(length);
  const text = start <= size ? readExactly(source, 8, Number(length)) : null;
  if (text === null) return fault("Truncated", "header", 8, `${length} bytes`);
  const header = parsed(text);
  if (header === null) return fault("BadKey", "header", 8, "a JSON object in UTF-8");
  const tensors: SafeTensor[] = [];
  for (const [name, entry] of Object.entries(header)) {
    if (name === "__metadata__") continue;
    const tensor = described(name, entry, start, size);
    if (typeof tensor === "string") return fault("BadDimension", name, 8, tensor);
    const { offset, bytes } = tensor;
    tensors.push({ ...tensor, values: slice(source, offset, bytes) });
  }
  return tensors;
}

function parsed(text: Uint8Array): object | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(text));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** One entry of the header, or what is expected of it. */
function described(name: string, entry: unknown, start: number, size: number) {
  if (typeof entry !== "object" || entry === null) return "an object";
  const { dtype, shape, data_offsets } = entry as Record<string, unknown>;
  if (typeof dtype !== "string") return "a dtype";
  if (!naturals(shape)) return "a shape of whole numbers";
  if (!naturals(data_offsets) || data_offsets.length !== 2) return "two data_offsets";
  const [begin, end] = data_offsets, bytes = end - begin;
  if (bytes < 0 || start + end > size) return "data_offsets inside the file";
  const elements = shape.reduce((product, n) => product * n, 1);
  if (Object.hasOwn(SIZES, dtype) && elements * SIZES[dtype] !== bytes) {
    return `${elements * SIZES[dtype]} bytes`;
  }
  return { name, dtype, shape, offset: start + begin, bytes };
}

const naturals = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((n) => Number.isSafeInteger(n) && n >= 0);
