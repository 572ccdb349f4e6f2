/** The Wasm kernels on fixed inputs: what they give is compared between engines bit by bit. */
import { loadMatrix } from "../../kernels/checkpoint.ts";
import { type Format, LAYOUTS } from "../../kernels/quant/format.ts";
import { seededRandom } from "../../kernels/sample.ts";
import { openWasm } from "../../kernels/wasm/backend.ts";
import { isRefusal, type Later } from "../../kernels/backend.ts";

/**
 * The results of every operation, and of products under every format, as hexadecimal of
 * their little-endian f32, by name.
 * @throws where this engine does not take the module
 */
export async function kernelBits(): Promise<Record<string, string>> {
  const backend = openWasm();
  if (isRefusal(backend)) throw new Error(backend.why);
  const { ops } = backend, random = seededRandom(1);
  const noise = (count: number) =>
    Float32Array.from({ length: count }, () => (random() - 0.5) * 4 ** Math.floor(random() * 4));
  const bits: Record<string, string> = {};
  const note = async (name: string, result: Later<Float32Array>) => {
    bits[name] = new Uint8Array((await result).slice().buffer).toHex();
  };

  for (const format of Object.keys(LAYOUTS) as Format[]) {
    const { quantised, elements } = LAYOUTS[format];
    const tail = quantised && format !== "q8-row" ? "row" : "exact";
    const rows = 9, columns = 2 * elements + 12;
    const weight = loadMatrix(backend, { format, tail, rows, columns }, noise(rows * columns));
    await note(`row ${format}`, ops.row(weight, 4));
    await note(`matvec ${format}`, ops.matvec(weight, noise(columns)));
    await note(`matmul ${format}`, ops.matmul(weight, noise(5 * columns), 5));
  }
  const n = 101, a = noise(n), b = noise(n);
  const norm = loadMatrix(backend, { format: "f32", tail: "exact", rows: 1, columns: n }, b);
  await note("rmsNorm", ops.rmsNorm(a, norm, 1e-5));
  await note("add", ops.add(a, b));
  await note("swiglu", ops.swiglu(a, b));
  await note("softmax", ops.softmax(a));
  for (const ropeStyle of [0, 1] as const) {
    const turn = { headDim: 16, ropeTheta: 10000, ropeStyle };
    await note(`rope ${ropeStyle}`, ops.rope(noise(48), 317, turn));
  }
  const shape = { heads: 6, kvHeads: 3, headDim: 10, positions: 23 };
  const cached = shape.kvHeads * shape.positions * shape.headDim;
  await note("attention", ops.attention(noise(60), noise(cached), noise(cached), shape));
  backend.close();
  return bits;
}
