/** Weights as the kernels hold them: kinds and panels of `assembly/layout.ts`, read back. */
import { type Format, LAYOUTS, type MatrixSpec } from "../quant/format.ts";
import { NF4 } from "../quant/nf4.ts";

/** `STRADDLING` of the kernels: rows that begin inside a block. */
export const STRADDLING = 8;

interface Panel {
  readonly kind: number;
  /** bytes of a panel: four rows of one block column */
  readonly bytes: number;
  /** offset of the codes in a panel, and bytes of one row's */
  readonly codes: number;
  readonly rowBytes: number;
}

/** q8-row lies in q8-0 panels whose blocks repeat the row's scale: 32 codes and 4 bytes. */
const Q8: Panel = { kind: 3, bytes: 144, codes: 16, rowBytes: 32 };

const PANELS: Partial<Record<Format, Panel>> = {
  "q8-0.b32": Q8,
  "q8-row": Q8,
  "q4-0.b32": { kind: 4, bytes: 80, codes: 16, rowBytes: 16 },
  "q4-1.b32": { kind: 5, bytes: 96, codes: 32, rowBytes: 16 },
  "q5-0.b32": { kind: 6, bytes: 96, codes: 32, rowBytes: 16 },
  "nf4.b64": { kind: 7, bytes: 144, codes: 16, rowBytes: 32 },
};

export const DENSE_KINDS: Partial<Record<Format, number>> = { "f32": 0, "f16": 1, "bf16": 2 };

export interface PanelLayout extends Panel {
  /** blocks of a row, of `elements` columns each */
  readonly blocks: number;
  readonly elements: number;
  /** panels of one block column */
  readonly groups: number;
}

/** How a matrix lies in panels; null where it is dense or its rows straddle blocks. */
export function panelLayout(spec: MatrixSpec): PanelLayout | null {
  const panel = PANELS[spec.format];
  if (panel === undefined) return null;
  const elements = spec.format === "q8-row" ? 32 : LAYOUTS[spec.format].elements;
  const whole = spec.tail === "row" || spec.format === "q8-row" || spec.rows === 1 ||
    spec.columns % elements === 0;
  if (!whole) return null;
  return {
    ...panel,
    elements,
    blocks: Math.ceil(spec.columns / elements),
    groups: Math.ceil(spec.rows / 4),
  };
}

/** Dequantises row `row` of panels into `out`, by the profile's kernel contract (slm2.md 7.2). */
export function panelRow(
  format: Format,
  layout: PanelLayout,
  panels: DataView,
  row: number,
  out: Float32Array,
): void {
  const lane = row & 3, group = row >> 2;
  for (let column = 0; column < out.length; column++) {
    const block = Math.floor(column / layout.elements), j = column % layout.elements;
    const at = (block * layout.groups + group) * layout.bytes;
    const codes = at + layout.codes + lane * layout.rowBytes;
    const d = panels.getFloat32(at + 4 * lane, true);
    switch (format) {
      case "q4-0.b32":
        out[column] = d * (nibble(panels, codes, j) - 8);
        break;
      case "q4-1.b32":
        out[column] = Math.fround(d * nibble(panels, codes, j)) +
          panels.getFloat32(at + 16 + 4 * lane, true);
        break;
      case "q5-0.b32": {
        const word = j & 7, place = 16 * (word & 1) + 4 * (word >> 1) + (j >> 3);
        const fifth = (panels.getUint32(at + 16 + 4 * lane, true) >>> place) & 1;
        out[column] = d * (nibble(panels, codes, j) + 16 * fifth - 16);
        break;
      }
      case "nf4.b64": {
        const pair = panels.getUint8(codes + 16 * (j >> 5) + (j & 15));
        out[column] = d * NF4.codebook[(pair >> (j & 16 ? 4 : 0)) & 15];
        break;
      }
      default:
        out[column] = d * panels.getInt8(codes + j);
    }
  }
}

/** Column j's code among a row's eight words: word j mod 8, nibble j / 8. */
function nibble(panels: DataView, codes: number, j: number): number {
  return (panels.getUint16(codes + 2 * (j & 7), true) >> (4 * (j >> 3))) & 15;
}
