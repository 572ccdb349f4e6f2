/**
 * The operations in WGSL, each over as many tokens as it is dispatched for: `span` holds the
 * position of the first one and their number. Weights lie on the device in the bytes of the file, as words; a block
 * is decoded where it is used. Sums run in rising order within a thread; what the language leaves
 * open (fused products, the accuracy of `exp`, NaN in `max`) is either done here by hand or lies
 * inside the declared envelope.
 */
import type { KvShape } from "../backend.ts";
import { ELEMENTWISE, EXP, REDUCE, THREADS } from "./shaders_common.ts";

/** A workgroup a token; where `last` is 1, one for the last token alone. */
export const rmsNorm = `
struct Norm { n: u32, eps: f32, last: u32, pad: u32 }
@group(0) @binding(0) var<uniform> norm: Norm;
@group(0) @binding(1) var<storage, read> w: array<f32>;
@group(0) @binding(2) var<storage, read> x: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
@group(0) @binding(4) var<storage, read> span: array<u32>;
${REDUCE}
@compute @workgroup_size(${THREADS})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
  let from_x = select(group.x, span[1] - 1u, norm.last == 1u) * norm.n;
  let to_y = group.x * norm.n;
  var squares = 0.0;
  for (var j = thread; j < norm.n; j += ${THREADS}u) { squares += x[from_x + j] * x[from_x + j]; }
  let root = sqrt(sum_all(squares, thread) / f32(norm.n) + norm.eps);
  for (var j = thread; j < norm.n; j += ${THREADS}u) { y[to_y + j] = x[from_x + j] * w[j] / root; }
}`;

/** In place; a thread a pair of a token. `turns` holds cosines then sines, headDim / 2 each, a position. */
export const rope = `
struct Rope { pairs: u32, half: u32, style: u32, pad: u32 }
@group(0) @binding(0) var<uniform> how: Rope;
@group(0) @binding(1) var<storage, read> turns: array<f32>;
@group(0) @binding(2) var<storage, read_write> x: array<f32>;
@group(0) @binding(3) var<storage, read> span: array<u32>;
${
  ELEMENTWISE(`
  let token = i / how.pairs;
  if (token >= span[1]) { return; }
  let pair = i % how.half;
  let head = i / how.half * how.half * 2u;
  let first = select(head + pair, head + 2u * pair, how.style == 0u);
  let second = select(first + how.half, first + 1u, how.style == 0u);
  let at = (span[0] + token) * 2u * how.half + pair;
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

/** Puts [kvHeads x headDim] a token at its position of [kvHeads, capacity, headDim]; a thread a pair. */
export const store = (element: KvShape["element"]): string => `
struct Store { pairs: u32, half: u32, capacity: u32, pad: u32 }
@group(0) @binding(0) var<uniform> how: Store;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> cache: array<u32>;
@group(0) @binding(3) var<storage, read> span: array<u32>;
${ROUND16}
${
  ELEMENTWISE(`
  let token = i / how.pairs;
  if (token >= span[1]) { return; }
  let head = i % how.pairs / how.half;
  let p = (head * how.capacity + span[0] + token) * how.half + i % how.half;
  let a = x[2u * i];
  let b = x[2u * i + 1u];
  ${CACHES[element].put}`)
}`;

/** Each token's query over the cache up to its own position; a workgroup a head of a token. */
export const attention = (element: KvShape["element"]): string => `
struct Attention { heads: u32, shared_by: u32, head_dim: u32, capacity: u32 }
@group(0) @binding(0) var<uniform> how: Attention;
@group(0) @binding(1) var<storage, read> q: array<f32>;
@group(0) @binding(2) var<storage, read> keys: array<u32>;
@group(0) @binding(3) var<storage, read> values: array<u32>;
@group(0) @binding(4) var<storage, read_write> scores: array<f32>;
@group(0) @binding(5) var<storage, read_write> out: array<f32>;
@group(0) @binding(6) var<storage, read> span: array<u32>;
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
  let positions = span[0] + group.y + 1u;
  let base = head / how.shared_by * how.capacity * how.head_dim;
  let mine = (group.y * how.heads + head) * how.capacity;
  let query = (group.y * how.heads + head) * how.head_dim;
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
@group(0) @binding(2) var<storage, read> span: array<u32>;
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
  tokens[span[0] + 1u] = mine;
}`;

/** Goes on to the next position. */
export const advance = `
@group(0) @binding(0) var<storage, read_write> span: array<u32>;
@compute @workgroup_size(1) fn main() { span[0] += 1u; }`;
