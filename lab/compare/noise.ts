/**
 * What a quantization profile does to a model, without its codec: every weight is moved by a random
 * error that is uniform within the cell of the profile's grid that it lies in. The grid's step
 * follows from slm2.md 7.2 and the values of the block; nothing here shares code with `kernels/quant`.
 */
import type { StoreMatrix } from "../../corpus/importers/llama2c.ts";
import { seededRandom } from "../../kernels/sample.ts";

/** The width of the cell around `value`, of a block with this least and this largest value. */
type Cell = (value: number, least: number, most: number) => number;

const reach = (least: number, most: number) => Math.max(Math.abs(least), Math.abs(most));

/** Levels of NF4 (slm2.md 7.2, contract 4), as parts of the largest magnitude. */
const NF4_LEVELS = [
  -1,
  -0.6961928,
  -0.52507305,
  -0.39491749,
  -0.28444138,
  -0.18477343,
  -0.09105004,
  0,
  0.0795803,
  0.1609302,
  0.2461123,
  0.33791524,
  0.44070983,
  0.562617,
  0.72295684,
  1,
];

/** Cells by family: contracts 1, 2, 3 and 5 have even steps, contract 4 a codebook. */
const CELLS: Readonly<Record<string, { block: number | "row"; cell: Cell }>> = {
  "q8-0.b32": { block: 32, cell: (_, least, most) => reach(least, most) / 127 },
  "q8-row": { block: "row", cell: (_, least, most) => reach(least, most) / 127 },
  "q5-0.b32": { block: 32, cell: (_, least, most) => reach(least, most) / 16 },
  "q4-0.b32": { block: 32, cell: (_, least, most) => reach(least, most) / 8 },
  "q4-1.b32": { block: 32, cell: (_, least, most) => (most - least) / 15 },
  "nf4.b64": {
    block: 64,
    cell(value, least, most) {
      const scale = reach(least, most), x = scale === 0 ? 0 : value / scale;
      const distance = NF4_LEVELS.map((level) => Math.abs(level - x));
      const i = distance.indexOf(Math.min(...distance));
      const below = NF4_LEVELS[Math.max(0, i - 1)], above = NF4_LEVELS[Math.min(15, i + 1)];
      return scale * (above - below) / 2;
    },
  },
};

export const FAMILIES: readonly string[] = Object.keys(CELLS);

/** Stores matrices as f32, each weight moved within its cell; `seed` decides all errors. */
export function noisy(family: string, seed: number): StoreMatrix {
  const { block, cell } = CELLS[family], random = seededRandom(seed);
  return (matrix) => {
    const [rows, columns] = matrix.shape, size = block === "row" ? columns : block;
    const payload = new Uint8Array(4 * rows * columns);
    matrix.values.read(0, payload);
    const values = new Float32Array(payload.buffer);
    for (let row = 0; row < rows; row++) {
      for (let at = 0; at < columns; at += size) {
        const lanes = values.subarray(
          row * columns + at,
          row * columns + Math.min(at + size, columns),
        );
        const least = lanes.reduce((a, b) => Math.min(a, b), Infinity);
        const most = lanes.reduce((a, b) => Math.max(a, b), -Infinity);
        lanes.forEach((value, i) => lanes[i] = value + (random() - 0.5) * cell(value, least, most));
      }
    }
    return { type: "f32", payload };
  };
}
