/** Kernels over weights: rows, and products with one x or many. */
import { type Format, LAYOUTS } from "../quant/format.ts";
import { NF4 } from "../quant/nf4.ts";
import { ELEMENTWISE, INDEX, THREADS } from "./shaders_common.ts";

/** How a format's words become values: a scale of a block, and a lane of it. */
interface Decoder {
  readonly scale: string;
  readonly lane: string;
}

const BYTE = `
fn byte(at: u32) -> u32 { return (w[at >> 2u] >> ((at & 3u) * 8u)) & 255u; }
fn short(at: u32) -> u32 { return (w[at >> 2u] >> ((at & 2u) * 8u)) & 0xffffu; }
fn half(at: u32) -> f32 {
  let bits = short(at);
  let exponent = (bits >> 10u) & 31u;
  let fraction = bits & 1023u;
  let sign = (bits & 0x8000u) << 16u;
  if (exponent == 0u) { return select(1.0, -1.0, sign != 0u) * f32(fraction) * 5.9604644775390625e-8; }
  var wide = (exponent + 112u) << 23u;
  if (exponent == 31u) { wide = 0x7f800000u; }
  return bitcast<f32>(sign | wide | (fraction << 13u));
}
fn signed(code: u32) -> f32 { return f32(i32(code << 24u) >> 24u); }
`;

const NIBBLE = (codes: number) =>
  `fn nibble(at: u32, lane: u32) -> u32 {
  return (byte(at + ${codes}u + (lane & 15u)) >> ((lane >> 4u) * 4u)) & 15u;
}`;

/** Kernel contracts of slm2.md 7.2; `at` is where the block begins, in bytes. */
const DECODERS: Readonly<Record<Format, Decoder>> = {
  "f32": { scale: "1.0", lane: "bitcast<f32>(w[at >> 2u])" },
  "f16": { scale: "1.0", lane: "half(at)" },
  "bf16": { scale: "1.0", lane: "bitcast<f32>(short(at) << 16u)" },
  "q8-0.b32": { scale: "half(at)", lane: "scale * signed(byte(at + 2u + lane))" },
  "q4-0.b32": { scale: "half(at)", lane: "scale * (f32(nibble(at, lane)) - 8.0)" },
  "q4-1.b32": { scale: "half(at)", lane: "scale * f32(nibble(at, lane)) + half(at + 2u)" },
  "q5-0.b32": {
    scale: "half(at)",
    lane:
      "scale * (f32(nibble(at, lane) | (((byte(at + 2u + (lane >> 3u)) >> (lane & 7u)) & 1u) << 4u)) - 16.0)",
  },
  "nf4.b64": {
    scale: "half(at)",
    lane: "scale * codebook[(byte(at + 2u + (lane >> 1u)) >> ((lane & 1u) * 4u)) & 15u]",
  },
  "q8-row": { scale: "row_scales[row]", lane: "scale * signed(byte(at))" },
};

/** Where the nibbles of a block begin. */
const NIBBLES: Partial<Record<Format, number>> = { "q4-0.b32": 2, "q4-1.b32": 4, "q5-0.b32": 6 };

const decoding = (format: Format) =>
  `@group(0) @binding(1) var<storage, read> w: array<u32>;
${format === "q8-row" ? "@group(0) @binding(4) var<storage, read> row_scales: array<f32>;" : ""}
${
    format === "nf4.b64"
      ? `const codebook = array<f32, 16>(${[...NF4.codebook].map((x) => `f32(${x})`).join(", ")});`
      : ""
  }
${BYTE}
${NIBBLES[format] === undefined ? "" : NIBBLE(NIBBLES[format])}
fn scale_of(at: u32, row: u32) -> f32 { return ${DECODERS[format].scale}; }
fn value_of(at: u32, lane: u32, scale: f32) -> f32 { return ${DECODERS[format].lane}; }
`;

/** Parameters of a part of a weight: see `WeightPart` in weight.ts. */
const PART =
  `struct Part { rows: u32, columns: u32, lanes: u32, first: u32, all: u32, pad0: u32, pad1: u32, pad2: u32 }
@group(0) @binding(0) var<uniform> part: Part;`;

/** How many x there are: see shaders.ts. */
const SPAN = "@group(0) @binding(5) var<storage, read> span: array<u32>;";

/**
 * y[i, first + row] = row . x[i]: a thread a row and four x. `lanes` is where a row begins, in
 * lanes from the row before: whole blocks under tail rule `row`, else the columns themselves.
 */
export const multiply = (format: Format): string => {
  const { elements: e, bytes } = LAYOUTS[format];
  return `${PART}
${decoding(format)}
@group(0) @binding(2) var<storage, read> x: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
${SPAN}
${INDEX}
@compute @workgroup_size(${THREADS})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) thread: u32) {
  let i = flat(vec3<u32>(group.x, group.y, 0u), groups, thread);
  let row = min(i, part.rows - 1u);
  let input = group.z * 4u;
  let count = span[1];
  let last = count - 1u;
  let x0 = min(input, last) * part.columns; let x1 = min(input + 1u, last) * part.columns;
  let x2 = min(input + 2u, last) * part.columns; let x3 = min(input + 3u, last) * part.columns;
  var sums = vec4<f32>(0.0);
  var lane = row * part.lanes;
  var j = 0u;
  while (j < part.columns) {
    let at = lane / ${e}u * ${bytes}u;
    let scale = scale_of(at, part.first + row);
    let from_lane = lane % ${e}u;
    let to_lane = min(${e}u, from_lane + part.columns - j);
    for (var k = from_lane; k < to_lane; k++) {
      sums += value_of(at, k, scale) * vec4<f32>(x[x0 + j], x[x1 + j], x[x2 + j], x[x3 + j]);
      j++;
    }
    lane += to_lane - from_lane;
  }
  if (i >= part.rows) { return; }
  for (var n = 0u; n < 4u && input + n < count; n++) {
    y[(input + n) * part.all + part.first + row] = sums[n];
  }
}`;
};

/** The same for one x: a thread a row. */
export const multiplyOne = (format: Format): string => {
  const { elements: e, bytes } = LAYOUTS[format];
  return `${PART}
${decoding(format)}
@group(0) @binding(2) var<storage, read> x: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
${
    ELEMENTWISE(`
  if (i >= part.rows) { return; }
  var sum = 0.0;
  var lane = i * part.lanes;
  var j = 0u;
  while (j < part.columns) {
    let at = lane / ${e}u * ${bytes}u;
    let scale = scale_of(at, part.first + i);
    let from_lane = lane % ${e}u;
    let to_lane = min(${e}u, from_lane + part.columns - j);
    for (var k = from_lane; k < to_lane; k++) {
      sum += value_of(at, k, scale) * x[j];
      j++;
    }
    lane += to_lane - from_lane;
  }
  y[part.first + i] = sum;`)
  }`;
};

/** Rows of an f32 weight whose columns are a multiple of four: vectors of four. */
const DENSE = `${PART}
@group(0) @binding(1) var<storage, read> w: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;`;

/** In the order of the tile, so that a token has the same bits alone and among others. */
export const denseOne = `${DENSE}
${
  ELEMENTWISE(`
  if (i >= part.rows) { return; }
  let quads = part.columns / 4u;
  var sum = 0.0;
  for (var j = 0u; j < quads; j++) { sum += dot(w[i * quads + j], x[j]); }
  y[part.first + i] = sum;`)
}`;

/** A thread makes a tile of eight rows and eight x: one load serves eight products. */
export const TILE = 8;

/** Text for each place of a tile's edge. */
const along = (text: (i: number) => string) =>
  Array.from({ length: TILE }, (_, i) => text(i)).join("\n");

export const denseTile = `${DENSE}
${SPAN}
@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let quads = part.columns / 4u;
  let row = id.x * ${TILE}u;
  let input = id.y * ${TILE}u;
  let last_row = part.rows - 1u;
  let count = span[1];
  let last = count - 1u;
  ${along((m) => `let w${m} = min(row + ${m}u, last_row) * quads;`)}
  ${along((n) => `let x${n} = min(input + ${n}u, last) * quads;`)}
  ${along((n) => along((m) => `var y${n}_${m} = 0.0;`))}
  for (var j = 0u; j < quads; j++) {
    ${along((m) => `let a${m} = w[w${m} + j];`)}
    ${
  along((n) => `let b${n} = x[x${n} + j];\n${along((m) => `y${n}_${m} += dot(a${m}, b${n});`)}`)
}
  }
  ${
  along((n) =>
    along((m) =>
      `if (input + ${n}u < count && row + ${m}u < part.rows) { ` +
      `y[(input + ${n}u) * part.all + part.first + row + ${m}u] = y${n}_${m}; }`
    )
  )
}
}`;

/** The same product as one writes it first: what the tile is measured against. */
export const denseNaive = `${PART}
@group(0) @binding(1) var<storage, read> w: array<f32>;
@group(0) @binding(2) var<storage, read> x: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
${SPAN}
@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= part.rows || id.y >= span[1]) { return; }
  var sum = 0.0;
  for (var j = 0u; j < part.columns; j++) { sum += w[id.x * part.columns + j] * x[id.y * part.columns + j]; }
  y[id.y * part.all + part.first + id.x] = sum;
}`;

/** The row of each token of a span, dequantised; nothing is written where it lies in another part. */
export const row = (format: Format): string => {
  const { elements: e, bytes } = LAYOUTS[format];
  return `${PART}
${decoding(format)}
@group(0) @binding(2) var<storage, read> tokens: array<u32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
${SPAN}
${
    ELEMENTWISE(`
  let asked = min(tokens[span[0] + group.z], part.all - 1u);
  if (i >= part.columns || asked < part.first || asked - part.first >= part.rows) { return; }
  let lane = (asked - part.first) * part.lanes + i;
  let at = lane / ${e}u * ${bytes}u;
  y[group.z * part.columns + i] = value_of(at, lane % ${e}u, scale_of(at, asked));`)
  }`;
};
