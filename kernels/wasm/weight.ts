/** Loading a weight into the memory of the kernels, and reading a row of it back. */
import type { Fill, MatrixSpec, Weight } from "../backend.ts";
import { decodeRow } from "../quant/codec.ts";
import { LAYOUTS, storedBytes } from "../quant/format.ts";
import type { Arena } from "./arena.ts";
import type { Kernels } from "./module.ts";
import { DENSE_KINDS, type PanelLayout, panelLayout, panelRow, STRADDLING } from "./panels.ts";

/** What is read at a time of a weight that goes into panels. */
const WINDOW = 65536;

export class WasmWeight implements Weight {
  constructor(
    readonly spec: MatrixSpec,
    /** address of the record that the kernels take */
    readonly record: number,
    readonly data: number,
    readonly layout: PanelLayout | null,
    readonly arena: Arena,
  ) {}

  get quantised(): boolean {
    return LAYOUTS[this.spec.format].quantised;
  }

  /** Dequantises row `row` into `out` [columns]: the bits of `quant/codec.ts`. */
  row(row: number, out: Float32Array): void {
    const { columns, rows, format } = this.spec, { arena, data, layout } = this;
    if (!(row >= 0 && row < rows)) throw new RangeError(`row ${row} of ${rows}`);
    if (format === "f32") out.set(arena.floats(data + 4 * row * columns, columns));
    else if (layout === null) {
      decodeRow(this.spec, { bytes: arena.bytes(data, storedBytes(this.spec)) }, row, out);
    } else panelRow(format, layout, new DataView(arena.memory.buffer, data), row, out);
  }
}

/** Loads a weight; null where the memory has no room for it. A throw of `fill` leaves no trace. */
export function loadWeight(
  kernels: Kernels,
  arena: Arena,
  spec: MatrixSpec,
  fill: Fill,
  scales?: Float32Array,
): WasmWeight | null {
  const layout = panelLayout(spec);
  const size = layout ? layout.blocks * layout.groups * layout.bytes : storedBytes(spec);
  const taken: number[] = [];
  const take = (bytes: number) => {
    const at = arena.take(bytes);
    if (at !== null) taken.push(at);
    return at;
  };
  const giveBack = () => taken.forEach((at) => arena.give(at));
  const record = take(16), data = take(size);
  const window = layout ? take(Math.max(WINDOW, spec.columns)) : 0;
  if (record === null || data === null || window === null) {
    giveBack();
    return null;
  }
  try {
    if (layout === null) {
      fill(arena.bytes(data, size), 0);
    } else {
      arena.bytes(data, size).fill(0); // rows and lanes that nothing is put into
      const put = spec.format === "q8-row" ? fillRows : fillBlocks;
      put({ kernels, arena, spec, layout, fill, scales, data, window });
      arena.give(window);
    }
  } catch (error) {
    giveBack();
    throw error;
  }
  const kind = layout?.kind ?? DENSE_KINDS[spec.format] ?? STRADDLING;
  arena.words(record, 4).set([kind, spec.rows, spec.columns, data]);
  return new WasmWeight(spec, record, data, layout, arena);
}

/** A weight on its way into panels. */
interface Loading {
  readonly kernels: Kernels;
  readonly arena: Arena;
  readonly spec: MatrixSpec;
  readonly layout: PanelLayout;
  readonly fill: Fill;
  readonly scales?: Float32Array;
  /** where the panels stand */
  readonly data: number;
  /** where what `fill` gives stands for a while */
  readonly window: number;
}

/** Blocks of the file, window by window, into panels. */
function fillBlocks({ kernels, arena, spec, layout, fill, data, window }: Loading): void {
  const { kind, blocks, groups } = layout;
  const { bytes } = LAYOUTS[spec.format], total = blocks * spec.rows;
  const most = Math.floor(WINDOW / bytes);
  for (let first = 0; first < total; first += most) {
    const count = Math.min(most, total - first);
    fill(arena.bytes(window, count * bytes), first * bytes);
    kernels.pack(kind, data, window, first, count, blocks, groups);
  }
}

/** Rows of a q8-row matrix, each with its scale, into q8-0 panels. */
function fillRows({ kernels, arena, spec, layout, fill, scales, data, window }: Loading): void {
  const { rows, columns } = spec;
  if (scales?.length !== rows) throw new RangeError(`q8-row takes ${rows} scales`);
  const most = Math.max(1, Math.floor(WINDOW / columns));
  for (let first = 0; first < rows; first += most) {
    const count = Math.min(most, rows - first);
    fill(arena.bytes(window, count * columns), first * columns);
    for (let i = 0; i < count; i++) {
      const row = first + i;
      kernels.packRow(data, window + i * columns, row, columns, layout.groups, scales[row]);
    }
  }
}
