/**
 * How weights lie in memory: the dense element types and the registered quantization
 * profiles (slm2.md 7.1 and 7.2), and how many bytes a matrix takes in each.
 */

/** Dense element types that a model may use, and registered profiles without their tail rule. */
export type Format =
  | "f32"
  | "f16"
  | "bf16"
  | "q8-0.b32"
  | "q4-0.b32"
  | "q4-1.b32"
  | "q5-0.b32"
  | "nf4.b64"
  | "q8-row";

/** `tail_rule` of slm2.md 7.2. Dense formats and q8-row count as `exact`. */
export type Tail = "pad" | "exact" | "row";

export interface Layout {
  /** Elements of one block; 1 for what has no blocks. */
  readonly elements: number;
  /** Bytes of one block, its scale and minimum among them. */
  readonly bytes: number;
  readonly quantised: boolean;
}

/** slm2.md 7.1 and the registered profiles of 7.2. */
export const LAYOUTS: Readonly<Record<Format, Layout>> = {
  "f32": { elements: 1, bytes: 4, quantised: false },
  "f16": { elements: 1, bytes: 2, quantised: false },
  "bf16": { elements: 1, bytes: 2, quantised: false },
  "q8-0.b32": { elements: 32, bytes: 34, quantised: true },
  "q4-0.b32": { elements: 32, bytes: 18, quantised: true },
  "q4-1.b32": { elements: 32, bytes: 20, quantised: true },
  "q5-0.b32": { elements: 32, bytes: 22, quantised: true },
  "nf4.b64": { elements: 64, bytes: 34, quantised: true },
  "q8-row": { elements: 1, bytes: 1, quantised: true },
};

/** What a weight is, without its bytes. A vector is a matrix of one row. */
export interface MatrixSpec {
  readonly format: Format;
  readonly tail: Tail;
  readonly rows: number;
  readonly columns: number;
}

/**
 * Splits a registered profile's name: `q4-0.b32.row` is format `q4-0.b32`, tail `row`.
 * null where the name is not registered (slm2.md 7.2).
 */
export function profileFormat(name: string): { format: Format; tail: Tail } | null {
  const dot = name.lastIndexOf(".");
  const format = name.slice(0, dot), tail = name.slice(dot + 1);
  if (!Object.hasOwn(LAYOUTS, format) || !LAYOUTS[format as Format].quantised) return null;
  if (tail !== "pad" && tail !== "exact" && tail !== "row") return null;
  if (format === "q8-row" && tail !== "exact") return null;
  return { format: format as Format, tail };
}

/** Bytes of the stored matrix (`stored_bytes`, slm2.md 7.3); q8-row without its scales. */
export function storedBytes(spec: MatrixSpec): number {
  const { elements, bytes } = LAYOUTS[spec.format];
  const blocks = spec.tail === "row"
    ? spec.rows * Math.ceil(spec.columns / elements)
    : Math.ceil(spec.rows * spec.columns / elements);
  return blocks * bytes;
}
