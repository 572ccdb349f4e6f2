/**
 * The operations in WGSL. Weights lie on the device in the bytes of the file, as words; a block
 * is decoded where it is used. Sums run in rising order within a thread; what the language leaves
 * open (fused products, the accuracy of `exp`, NaN in `max`) is either done here by hand or lies
 * inside the declared envelope.
 */
import type { KvShape } from "../backend.ts";
import { type Format, LAYOUTS } from "../quant/format.ts";
import { NF4 } from "../quant/nf4.ts";

/** Threads of a workgroup; also what a reduction has in shared memory. */
export const THREADS = 64;

const INDEX = `
fn flat(group: vec3<u32>, groups: vec3<u32>, thread: u32) -> u32 {
  return (group.y * groups.x + group.x) * ${THREADS}u + thread;
}`;

/** Entry of a kernel over single elements: `i` is the element. */
const ELEMENTWISE = (body: string) =>
  `${INDEX}
@compute @workgroup_size(${THREADS})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) thread: u32) {
  let i = flat(group, groups, thread);
  ${body}
}`;

/** `exp` within two units in the last place, by Cody and Waite's reduction and a Taylor sum. */
const EXP = `
fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }
fn infinity() -> f32 { var bits = 0x7f800000u; return bitcast<f32>(bits); }
fn power_of_two(k: i32) -> f32 { return bitcast<f32>(u32(k + 127) << 23u); }
fn exp_exactly(x: f32) -> f32 {
  if (is_nan(x)) { return x; }
  if (x > 89.0) { return infinity(); }
  if (x < -104.0) { return 0.0; }
  let k = floor(x * 1.44269504 + 0.5);
  let r = (x - k * 0.693359375) + k * 2.12194440e-4;
  let tail = 1.98412698e-4 * r + 1.38888889e-3;
  let sum = ((((tail * r + 8.33333333e-3) * r + 4.16666667e-2) * r + 1.66666667e-1) * r + 0.5) * r * r + r;
  let half = i32(k) / 2;
  return (sum + 1.0) * power_of_two(half) * power_of_two(i32(k) - half);
}`;

/** Sum or maximum over a workgroup: every thread gets it. */
const REDUCE = `
var<workgroup> shared_values: array<f32, ${THREADS}>;
fn sum_all(mine: f32, thread: u32) -> f32 {
  workgroupBarrier();
  shared_values[thread] = mine;
  workgroupBarrier();
  var total = 0.0;
  for (var t = 0u; t < ${THREADS}u; t++) { total += shared_values[t]; }
  return total;
}
fn max_all(mine: f32, thread: u32) -> f32 {
  workgroupBarrier();
  shared_values[thread] = mine;
  workgroupBarrier();
  var most = shared_values[0];
  for (var t = 1u; t < ${THREADS}u; t++) { if (shared_values[t] > most) { most = shared_values[t]; } }
  return most;
}`;

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
  `struct Part { rows: u32, columns: u32, lanes: u32, first: u32, all: u32, count: u32, pad0: u32, pad1: u32 }
@group(0) @binding(0) var<uniform> part: Part;`;

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
${INDEX}
@compute @workgroup_size(${THREADS})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) thread: u32) {
  let i = flat(vec3<u32>(group.x, group.y, 0u), groups, thread);
  let row = min(i, part.rows - 1u);
  let input = group.z * 4u;
  let last = part.count - 1u;
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
  for (var n = 0u; n < 4u && input + n < part.count; n++) {
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

export const denseOne = `${DENSE}
${
  ELEMENTWISE(`
  if (i >= part.rows) { return; }
  let quads = part.columns / 4u;
  var sums = vec4<f32>(0.0);
  for (var j = 0u; j < quads; j++) { sums += w[i * quads + j] * x[j]; }
  y[part.first + i] = (sums.x + sums.y) + (sums.z + sums.w);`)
}`;

/** A thread makes a tile of eight rows and eight x: one load serves eight products. */
export const TILE = 8;

/** Text for each place of a tile's edge. */
const along = (text: (i: number) => string) =>
  Array.from({ length: TILE }, (_, i) => text(i)).join("\n");

export const denseTile = `${DENSE}
@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let quads = part.columns / 4u;
  let row = id.x * ${TILE}u;
  let input = id.y * ${TILE}u;
  let last_row = part.rows - 1u;
  let last = part.count - 1u;
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
      `if (input + ${n}u < part.count && row + ${m}u < part.rows) { ` +
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
@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= part.rows || id.y >= part.count) { return; }
  var sum = 0.0;
  for (var j = 0u; j < part.columns; j++) { sum += w[id.x * part.columns + j] * x[id.y * part.columns + j]; }
  y[id.y * part.all + part.first + id.x] = sum;
}`;

/**
 * One row of a part, dequantised. The row is `token[position]`, or `position` itself where the
 * host asks for a row; nothing is written where it lies in another part.
 */
export const row = (format: Format): string => {
  const { elements: e, bytes } = LAYOUTS[format];
  return `${PART}
${decoding(format)}
@group(0) @binding(2) var<storage, read> tokens: array<u32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
@group(0) @binding(5) var<storage, read> position: array<u32>;
${
    ELEMENTWISE(`
  let asked = min(tokens[position[0]], part.all - 1u);
  if (i >= part.columns || asked < part.first || asked - part.first >= part.rows) { return; }
  let lane = (asked - part.first) * part.lanes + i;
  let at = lane / ${e}u * ${bytes}u;
  y[i] = value_of(at, lane % ${e}u, scale_of(at, asked));`)
  }`;
};

export const rmsNorm = `
struct Norm { n: u32, eps: f32 }
@group(0) @binding(0) var<uniform> norm: Norm;
@group(0) @binding(1) var<storage, read> w: array<f32>;
@group(0) @binding(2) var<storage, read> x: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
${REDUCE}
@compute @workgroup_size(${THREADS})
fn main(@builtin(local_invocation_index) thread: u32) {
  var squares = 0.0;
  for (var j = thread; j < norm.n; j += ${THREADS}u) { squares += x[j] * x[j]; }
  let root = sqrt(sum_all(squares, thread) / f32(norm.n) + norm.eps);
  for (var j = thread; j < norm.n; j += ${THREADS}u) { y[j] = x[j] * w[j] / root; }
}`;

/** In place; a thread a pair. `turns` holds cosines then sines, headDim / 2 each, a position. */
export const rope = `
struct Rope { pairs: u32, half: u32, style: u32, pad: u32 }
@group(0) @binding(0) var<uniform> how: Rope;
@group(0) @binding(1) var<storage, read> turns: array<f32>;
@group(0) @binding(2) var<storage, read_write> x: array<f32>;
@group(0) @binding(3) var<storage, read> position: array<u32>;
${
  ELEMENTWISE(`
  if (i >= how.pairs) { return; }
  let pair = i % how.half;
  let head = i / how.half * how.half * 2u;
  let first = select(head + pair, head + 2u * pair, how.style == 0u);
  let second = select(first + how.half, first + 1u, how.style == 0u);
  let at = position[0] * 2u * how.half + pair;
  let c = turns[at];
  let s = turns[at + how.half];
  let a = x[first];
  let b = x[second];
  x[first] = a * c - b * s;
  x[second] = a * s + b * c;`)
}`;

/** How a cache's words are read, and a pair of values stored. */
const CACHES: Readonly<Record<KvShape["element"], { at: string; put: string }>> = {
  "f32": {
    at: "bitcast<f32>(cache[i])",
    put: "cache[2u * p] = bitcast<u32>(a); cache[2u * p + 1u] = bitcast<u32>(b);",
  },
  "f16": {
    at: "half_of((cache[i >> 1u] >> ((i & 1u) * 16u)) & 0xffffu)",
    put: "cache[p] = to_half(a) | (to_half(b) << 16u);",
  },
  "bf16": {
    at: "bitcast<f32>(((cache[i >> 1u] >> ((i & 1u) * 16u)) & 0xffffu) << 16u)",
    put: "cache[p] = to_brain(a) | (to_brain(b) << 16u);",
  },
};

/** f32 to 16 bits, ties to even; subnormals, infinities and NaN included. */
const ROUND16 = `
fn to_brain(x: f32) -> u32 {
  let bits = bitcast<u32>(x);
  if ((bits & 0x7fffffffu) > 0x7f800000u) { return (bits >> 16u) | 0x40u; }
  return ((bits + 0x7fffu + ((bits >> 16u) & 1u)) >> 16u) & 0xffffu;
}
fn to_half(x: f32) -> u32 {
  let bits = bitcast<u32>(x);
  let sign = (bits >> 16u) & 0x8000u;
  let magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) { return sign | 0x7e00u; }
  if (magnitude >= 0x477ff000u) { return sign | 0x7c00u; }
  if (magnitude < 0x33000000u) { return sign; }
  if (magnitude >= 0x38800000u) {
    let rounded = magnitude + 0xfffu + ((magnitude >> 13u) & 1u);
    return sign | ((rounded - 0x38000000u) >> 13u);
  }
  let shift = 126u - (magnitude >> 23u);
  let fraction = (magnitude & 0x7fffffu) | 0x800000u;
  let steps = fraction >> shift;
  let rest = fraction & ((1u << shift) - 1u);
  let middle = 1u << (shift - 1u);
  return sign | (steps + select(0u, 1u, rest > middle || (rest == middle && (steps & 1u) == 1u)));
}`;

/** Puts [kvHeads x headDim] at a position of [kvHeads, capacity, headDim]; a thread a pair. */
export const store = (element: KvShape["element"]): string => `
struct Store { pairs: u32, half: u32, capacity: u32, pad: u32 }
@group(0) @binding(0) var<uniform> how: Store;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> cache: array<u32>;
@group(0) @binding(3) var<storage, read> position: array<u32>;
${ROUND16}
${
  ELEMENTWISE(`
  if (i >= how.pairs) { return; }
  let head = i / how.half;
  let p = (head * how.capacity + position[0]) * how.half + i % how.half;
  let a = x[2u * i];
  let b = x[2u * i + 1u];
  ${CACHES[element].put}`)
}`;

/** One query position over a cache; a workgroup a head. */
export const attention = (element: KvShape["element"]): string => `
struct Attention { heads: u32, shared_by: u32, head_dim: u32, capacity: u32 }
@group(0) @binding(0) var<uniform> how: Attention;
@group(0) @binding(1) var<storage, read> q: array<f32>;
@group(0) @binding(2) var<storage, read> keys: array<u32>;
@group(0) @binding(3) var<storage, read> values: array<u32>;
@group(0) @binding(4) var<storage, read_write> scores: array<f32>;
@group(0) @binding(5) var<storage, read_write> out: array<f32>;
@group(0) @binding(6) var<storage, read> position: array<u32>;
fn half_of(bits: u32) -> f32 {
  let exponent = (bits >> 10u) & 31u;
  let fraction = bits & 1023u;
  let sign = (bits & 0x8000u) << 16u;
  if (exponent == 0u) { return select(1.0, -1.0, sign != 0u) * f32(fraction) * 5.9604644775390625e-8; }
  var wide = (exponent + 112u) << 23u;
  if (exponent == 31u) { wide = 0x7f800000u; }
  return bitcast<f32>(sign | wide | (fraction << 13u));
}
fn key(i: u32) -> f32 { return ${CACHES[element].at.replaceAll("cache", "keys")}; }
fn value(i: u32) -> f32 { return ${CACHES[element].at.replaceAll("cache", "values")}; }
${EXP}
${REDUCE}
@compute @workgroup_size(${THREADS})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
  let head = group.x;
  let positions = position[0] + 1u;
  let base = head / how.shared_by * how.capacity * how.head_dim;
  let mine = head * how.capacity;
  let query = head * how.head_dim;
  let scale = 1.0 / sqrt(f32(how.head_dim));
  var most = -infinity();
  for (var t = thread; t < positions; t += ${THREADS}u) {
    var sum = 0.0;
    for (var i = 0u; i < how.head_dim; i++) { sum += q[query + i] * key(base + t * how.head_dim + i); }
    scores[mine + t] = sum * scale;
    if (sum * scale > most) { most = sum * scale; }
  }
  most = max_all(most, thread);
  var total = 0.0;
  for (var t = thread; t < positions; t += ${THREADS}u) {
    let weight = exp_exactly(scores[mine + t] - most);
    scores[mine + t] = weight;
    total += weight;
  }
  total = sum_all(total, thread);
  storageBarrier();
  for (var i = thread; i < how.head_dim; i += ${THREADS}u) {
    var sum = 0.0;
    for (var t = 0u; t < positions; t++) {
      sum += scores[mine + t] / total * value(base + t * how.head_dim + i);
    }
    out[query + i] = sum;
  }
}`;

/** a / (1 + exp(-a)) * b into a. */
export const swiglu = `
@group(0) @binding(0) var<storage, read_write> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
${EXP}
${
  ELEMENTWISE(`
  if (i >= arrayLength(&a)) { return; }
  let g = a[i];
  a[i] = g / (1.0 + exp_exactly(-g)) * b[i];`)
}`;

/** a + b into a. */
export const add = `
@group(0) @binding(0) var<storage, read_write> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
${ELEMENTWISE(`if (i < arrayLength(&a)) { a[i] += b[i]; }`)}`;

/** In place, by one workgroup. */
export const softmax = `
@group(0) @binding(0) var<storage, read_write> x: array<f32>;
${EXP}
${REDUCE}
@compute @workgroup_size(${THREADS})
fn main(@builtin(local_invocation_index) thread: u32) {
  let n = arrayLength(&x);
  var most = -infinity();
  for (var j = thread; j < n; j += ${THREADS}u) { if (x[j] > most) { most = x[j]; } }
  most = max_all(most, thread);
  var total = 0.0;
  for (var j = thread; j < n; j += ${THREADS}u) {
    x[j] = exp_exactly(x[j] - most);
    total += x[j];
  }
  total = sum_all(total, thread);
  for (var j = thread; j < n; j += ${THREADS}u) { x[j] = x[j] / total; }
}`;

/** What `choose` writes in the place of a token where a logit is NaN. */
export const NAN_TOKEN = 0xffffffff;

/** The lowest id of the largest logit becomes the token of the next position. */
export const choose = `
@group(0) @binding(0) var<storage, read> logits: array<f32>;
@group(0) @binding(1) var<storage, read_write> tokens: array<u32>;
@group(0) @binding(2) var<storage, read> position: array<u32>;
var<workgroup> best: array<u32, ${THREADS}>;
fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }
@compute @workgroup_size(${THREADS})
fn main(@builtin(local_invocation_index) thread: u32) {
  let n = arrayLength(&logits);
  var mine = ${NAN_TOKEN}u - 1u;
  for (var id = thread; id < n; id += ${THREADS}u) {
    if (is_nan(logits[id])) { mine = ${NAN_TOKEN}u; }
    if (mine == ${NAN_TOKEN}u) { break; }
    if (mine >= n || logits[id] > logits[mine]) { mine = id; }
  }
  best[thread] = mine;
  workgroupBarrier();
  if (thread > 0u) { return; }
  for (var t = 1u; t < ${THREADS}u && mine != ${NAN_TOKEN}u; t++) {
    let other = best[t];
    if (other == ${NAN_TOKEN}u) { mine = other; }
    else if (other < n && (logits[other] > logits[mine] || (logits[other] == logits[mine] && other < mine))) {
      mine = other;
    }
  }
  tokens[position[0] + 1u] = mine;
}`;

/** Goes on to the next position. */
export const advance = `
@group(0) @binding(0) var<storage, read_write> position: array<u32>;
@compute @workgroup_size(1) fn main() { position[0] += 1u; }`;
