/** A whole token of `llama/1` (classes.md section 2) in one call. */
import { add, attention, rmsNorm, rope, swiglu } from "./ops";
import { multiply, prepare } from "./multiply";
import { sizeOf } from "./lanes";
import { F16, F32, Layer, Plan } from "./layout";

/**
 * Feeds the embedding that stands at plan.x at `position`. `output`: whether logits are wanted.
 * `trace`: where to put [layers + 2, dim] activations, or 0.
 */
export function forward(plan: Plan, position: i32, output: bool, trace: usize): void {
  const x = plan.x, normed = plan.normed, delta = plan.delta, dim = plan.dim;
  const headDim = plan.headDim, heads = plan.heads, kvHeads = plan.kvHeads;
  const quantised = plan.quantised != 0;
  trace = note(trace, x, dim);
  for (let l = 0; l < plan.layers; l++) {
    const layer = changetype<Layer>(plan.layer + <usize>l * offsetof<Layer>());
    rmsNorm(normed, x, layer.attentionNorm, dim, plan.normEps);
    if (quantised) prepare(normed, dim);
    multiply(layer.attentionQ, plan.q, normed);
    multiply(layer.attentionK, plan.k, normed);
    multiply(layer.attentionV, plan.v, normed);
    rope(plan.q, heads, headDim, plan.ropeStyle, plan.cos, plan.sin);
    rope(plan.k, kvHeads, headDim, plan.ropeStyle, plan.cos, plan.sin);
    remember(plan, layer.keys, plan.k, position);
    remember(plan, layer.values, plan.v, position);
    attention(
      plan.cacheKind, plan.attended, plan.q, layer.keys, layer.values, plan.scores,
      heads, kvHeads, headDim, position + 1, plan.positions,
    );
    if (quantised) prepare(plan.attended, heads * headDim);
    multiply(layer.attentionOutput, delta, plan.attended);
    add(x, delta, dim);
    rmsNorm(normed, x, layer.ffnNorm, dim, plan.normEps);
    if (quantised) prepare(normed, dim);
    multiply(layer.ffnGate, plan.gate, normed);
    multiply(layer.ffnUp, plan.up, normed);
    swiglu(plan.gate, plan.up, plan.hiddenDim);
    if (quantised) prepare(plan.gate, plan.hiddenDim);
    multiply(layer.ffnDown, delta, plan.gate);
    add(x, delta, dim);
    trace = note(trace, x, dim);
  }
  if (!output) return;
  rmsNorm(normed, x, plan.finalNorm, dim, plan.normEps);
  note(trace, normed, dim);
  if (quantised) prepare(normed, dim);
  multiply(plan.output, plan.logits, normed);
}

/** Copies x [n] to the trace, if there is one, and moves on. */
function note(trace: usize, x: usize, n: i32): usize {
  if (trace == 0) return 0;
  memory.copy(trace, x, <usize>n << 2);
  return trace + (<usize>n << 2);
}

/** Puts the heads of one position into a cache, rounded to its element type. */
function remember(plan: Plan, cache: usize, heads: usize, position: i32): void {
  const headDim = plan.headDim, kind = plan.cacheKind;
  for (let head = 0; head < plan.kvHeads; head++) {
    const at = (<usize>head * <usize>plan.positions + <usize>position) * <usize>headDim;
    let to = cache + at * sizeOf(kind);
    for (let i = 0; i < headDim; i++) {
      const value = load<f32>(heads);
      if (kind == F32) store<f32>(to, value);
      else store<u16>(to, kind == F16 ? toHalf(value) : toBrain(value));
      heads += 4;
      to += sizeOf(kind);
    }
  }
}

/** The nearest binary16, ties to even. */
function toHalf(x: f32): u16 {
  const bits = reinterpret<u32>(x), sign = <u16>((bits >> 16) & 0x8000), magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;
  if (magnitude >= 0x477ff000) return sign | 0x7c00; // 65520 and up
  if (magnitude < 0x38800000) {
    // below 2^-14: adding 1/2 rounds to steps of 2^-24, the last place of 0.5's f32
    return sign | <u16>(reinterpret<u32>(reinterpret<f32>(magnitude) + 0.5) - 0x3f000000);
  }
  return sign | <u16>((magnitude - 0x38000000 + 0xfff + ((magnitude >> 13) & 1)) >> 13);
}

/** The nearest bfloat16, ties to even. */
function toBrain(x: f32): u16 {
  const bits = reinterpret<u32>(x);
  if ((bits & 0x7fffffff) > 0x7f800000) return <u16>((bits >> 16) | 0x40);
  return <u16>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}
