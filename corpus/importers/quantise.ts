/** Matrices of f32 values, quantised in groups of rows as they are read: none is held whole. */
import type { Source } from "../../readers/contract.ts";
import { encode, type Encoded, type EncodeFault } from "../../kernels/quant/codec.ts";
import {
  LAYOUTS,
  type MatrixSpec,
  profileFormat,
  storedBytes,
} from "../../kernels/quant/format.ts";
import { keepDense, type SourceTensor, type StoreMatrix } from "./llama2c.ts";

/** Why a source cannot be packed, and where. */
export interface Refused {
  readonly refused: EncodeFault | "Unreadable";
  /** flat index of the element, or of the first of the block, at fault */
  readonly element: number;
  readonly row: number;
  /** in its row under tail rule `row`, else in the whole matrix */
  readonly block: number;
}

/** What the source lacks, for a person. */
export const WANTED: Readonly<Record<Refused["refused"], string>> = {
  NonFiniteSource: "a finite value",
  ScaleRange: "a scale that a finite f16 holds",
  MinimumRange: "a minimum that a finite f16 holds",
  TailRule: "a number of elements that fills whole blocks",
  ElementCount: "rows x columns values",
  Unreadable: "all values",
};

/** f32 values that are encoded at a time, about. */
const GROUP_ELEMENTS = 1 << 16;

/** The stored form of a matrix as a source; what lies before and after in `values` is not read. */
export class QuantisedMatrix implements Source {
  readonly #group: number;
  #held: { readonly first: number; readonly stored: Encoded } | null = null;

  /** @param values little-endian f32, row-major: rows x columns of them */
  constructor(readonly spec: MatrixSpec, readonly values: Source) {
    this.#group = groupRows(spec);
  }

  size(): number {
    return storedBytes(this.spec);
  }

  /**
   * Encodes all of it once and keeps nothing but the scales of q8-row.
   * @param each is given the stored bytes of each group, in order
   */
  check(each: (stored: Uint8Array) => void = () => {}): Refused | { scales?: Float32Array } {
    const { rows, columns, format, tail } = this.spec;
    if (tail === "exact" && rows * columns % LAYOUTS[format].elements !== 0) {
      return place(this.spec, "TailRule", 0);
    }
    const scales = format === "q8-row" ? new Float32Array(rows) : undefined;
    for (let first = 0; first < rows; first += this.#group) {
      const stored = this.#encode(first);
      if ("refused" in stored) return stored;
      if (stored.scales) scales?.set(stored.scales, first);
      each(stored.bytes);
    }
    return { scales };
  }

  /** @throws Error where a source that `check` took is refused by now */
  read(offset: number, into: Uint8Array): number {
    const size = this.size();
    let at = offset;
    while (at < size && at < offset + into.length) {
      const { first, stored } = this.#groupAt(at);
      const from = at - this.#offsetOf(first);
      const part = stored.bytes.subarray(from, from + offset + into.length - at);
      into.set(part, at - offset);
      at += part.length;
    }
    return Math.max(0, at - offset);
  }

  /** Where the stored bytes of a group begin. */
  #offsetOf(first: number): number {
    return storedBytes({ ...this.spec, rows: first });
  }

  #groupAt(offset: number) {
    const bytes = this.#offsetOf(this.#group);
    const first = Math.floor(offset / bytes) * this.#group;
    if (this.#held?.first !== first) {
      const stored = this.#encode(first);
      if ("refused" in stored) throw new Error(`the source has changed: ${stored.refused}`);
      this.#held = { first, stored };
    }
    return this.#held;
  }

  #encode(first: number): Encoded | Refused {
    const { rows, columns } = this.spec;
    const count = Math.min(this.#group, rows - first), start = first * columns;
    const bytes = new Uint8Array(4 * count * columns);
    if (this.values.read(4 * start, bytes) !== bytes.length) {
      return place(this.spec, "Unreadable", start);
    }
    const stored = encode({ ...this.spec, rows: count }, new Float32Array(bytes.buffer));
    return "refused" in stored ? place(this.spec, stored.refused, start + stored.element) : stored;
  }
}

/** Rows that are encoded at a time: so many that after them a block begins, whatever the tail. */
function groupRows({ format, tail, columns }: MatrixSpec): number {
  const { elements } = LAYOUTS[format];
  let least = 1;
  if (tail !== "row") { while (least * columns % elements !== 0) least++; }
  return least * Math.max(1, Math.floor(GROUP_ELEMENTS / (least * columns)));
}

function place(spec: MatrixSpec, refused: Refused["refused"], element: number): Refused {
  const { columns, tail, format } = spec, { elements } = LAYOUTS[format];
  const block = Math.floor((tail === "row" ? element % columns : element) / elements);
  return { refused, element, row: Math.floor(element / columns), block };
}

/**
 * Stores matrices under a registered profile, `q4-0.b32.row` say; those of the roles in `keep`
 * stay f32. null where no profile has that name.
 */
export function quantiseTo(profile: string, keep: readonly string[] = []): StoreMatrix | null {
  const how = profileFormat(profile);
  if (!how) return null;
  return (matrix: SourceTensor) => {
    if (keep.includes(matrix.role)) return keepDense(matrix);
    const [rows, columns] = matrix.shape;
    const payload = new QuantisedMatrix({ ...how, rows, columns }, matrix.values);
    const checked = payload.check();
    if ("refused" in checked) {
      const { refused, row, block, element } = checked;
      const expected = `${WANTED[refused]} in row ${row}, block ${block} (${profile}: ${refused})`;
      return { expected, offset: 4 * element };
    }
    const { scales } = checked;
    return { type: profile, payload, ...(scales && { scales: new Uint8Array(scales.buffer) }) };
  };
}
