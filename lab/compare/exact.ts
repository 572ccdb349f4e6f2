/**
 * A pass through a `llama/1` model (classes.md section 2) in doubles, operation by operation: each
 * takes f32 values, is evaluated in f64 from the formula, and its result is rounded to f32 for
 * the next. It shares no arithmetic with the backends, so that it can tell which of two is wrong.
 */
import type { Envelopes, LlamaModel, Ops, Weight } from "../../kernels/backend.ts";
import { BOUNDS } from "../../kernels/envelope.ts";
import { LAYOUTS } from "../../kernels/quant/format.ts";
import { ropeTurns } from "../../kernels/rope.ts";

/** One operation of the last token's pass. */
export interface Step {
  /** as `ffn-up of layer 2` */
  readonly name: string;
  readonly kind: keyof Envelopes;
  /** The same operation on the same values by a backend, with its own weights. */
  readonly apply: (ops: Ops, model: LlamaModel) => ReturnType<Ops["add"]>;
  readonly want: Float32Array;
  /** how far an honest f32 evaluation may lie from `want`, element by element */
  readonly budget: (i: number) => number;
}

export interface ExactPass {
  readonly steps: readonly Step[];
  /** [layers + 2, dim], as `Session.trace` has it */
  readonly activations: Float32Array;
  readonly logits: Float32Array;
}

/** A weight's values, row-major, whatever it is stored as. */
export type Values = (weight: Weight) => Float32Array;

type Get = (model: LlamaModel) => Weight;

/** One rounding of an f64 result to f32, beside the bounds on f32 evaluations. */
const HALF_ULP = 2 ** -24;

/** Feeds `tokens` from position 0 on, with an f32 cache; the steps are the last token's. */
export function exactPass(
  model: LlamaModel,
  values: Values,
  tokens: readonly number[],
): ExactPass {
  const { shape } = model, { dim, headDim, heads, kvHeads, normEps } = shape;
  const caches = model.layers.map(() => ({
    keys: [] as Float32Array[],
    values: [] as Float32Array[],
  }));
  let steps: Step[] = [];
  let activations: Float32Array[] = [];

  const note = (
    name: string,
    kind: Step["kind"],
    result: Float64Array,
    bound: (i: number) => number,
    apply: Step["apply"],
  ): Float32Array => {
    const want = Float32Array.from(result);
    const budget = (i: number) => bound(i) + HALF_ULP * Math.abs(result[i]);
    steps.push({ name, kind, apply, want, budget });
    return want;
  };
  const multiply = (name: string, get: Get, x: Float32Array) => {
    const weight = get(model), { rows, columns, format } = weight.spec;
    const kind = LAYOUTS[format].quantised ? "quantised" : "dense";
    const w = values(weight), row = (i: number) => w.subarray(i * columns, (i + 1) * columns);
    const result = Float64Array.from({ length: rows }, (_, i) => dot(row(i), x));
    const bound = (i: number) => BOUNDS[kind](row(i), x);
    return note(name, kind, result, bound, (ops, it) => ops.matvec(get(it), x));
  };
  const norm = (name: string, get: Get, x: Float32Array) => {
    const w = values(get(model)), root = Math.sqrt(dot(x, x) / dim + Math.fround(normEps));
    const result = Float64Array.from(x, (value, i) => value * w[i] / root);
    const bound = (i: number) => BOUNDS.rmsNorm(result[i], dim);
    return note(name, "rmsNorm", result, bound, (ops, it) => ops.rmsNorm(x, get(it), normEps));
  };
  const add = (name: string, a: Float32Array, b: Float32Array) => {
    const result = Float64Array.from(a, (value, i) => value + b[i]);
    return note(name, "add", result, () => 0, (ops) => ops.add(a, b));
  };
  const rope = (name: string, x: Float32Array, position: number) => {
    const result = turn(x, position, shape), most = largest(x);
    const bound = () => BOUNDS.rope(most, most);
    return note(name, "rope", result, bound, (ops) => ops.rope(x, position, shape));
  };

  for (const [position, token] of tokens.entries()) {
    steps = [];
    const embedding = values(model.tokenEmbedding).subarray(token * dim, (token + 1) * dim);
    let x = note(
      "token-embedding",
      "row",
      Float64Array.from(embedding),
      () => 0,
      (ops, it) => ops.row(it.tokenEmbedding, token),
    );
    activations = [x];
    for (const l of model.layers.keys()) {
      const of = (name: string) => `${name} of layer ${l}`;
      const normed = norm(of("attention-norm"), (it) => it.layers[l].attentionNorm, x);
      const q = multiply(of("attention-q"), (it) => it.layers[l].attentionQ, normed);
      const k = multiply(of("attention-k"), (it) => it.layers[l].attentionK, normed);
      const v = multiply(of("attention-v"), (it) => it.layers[l].attentionV, normed);
      const turned = rope(of("rope of q"), q, position);
      caches[l].keys.push(rope(of("rope of k"), k, position));
      caches[l].values.push(v);
      const how = { heads, kvHeads, headDim, positions: position + 1 };
      const keys = byHead(caches[l].keys, how), cached = byHead(caches[l].values, how);
      const bound = BOUNDS.attention(turned, keys, cached, how);
      const attended = note(
        of("attention"),
        "attention",
        attend(turned, keys, cached, how),
        () => bound,
        (ops) => ops.attention(turned, keys, cached, how),
      );
      const out = multiply(of("attention-output"), (it) => it.layers[l].attentionOutput, attended);
      const middle = add(of("residual after attention"), x, out);
      const fed = norm(of("ffn-norm"), (it) => it.layers[l].ffnNorm, middle);
      const gate = multiply(of("ffn-gate"), (it) => it.layers[l].ffnGate, fed);
      const up = multiply(of("ffn-up"), (it) => it.layers[l].ffnUp, fed);
      const silu = Float64Array.from(gate, (g, i) => g / (1 + Math.exp(-g)) * up[i]);
      const active = note(
        of("swiglu"),
        "swiglu",
        silu,
        (i) => BOUNDS.swiglu(silu[i]),
        (ops) => ops.swiglu(gate, up),
      );
      const down = multiply(of("ffn-down"), (it) => it.layers[l].ffnDown, active);
      x = add(of("residual after ffn"), middle, down);
      activations.push(x);
    }
    const final = norm("final-norm", (it) => it.finalNorm, x);
    activations.push(final);
    if (position === tokens.length - 1) multiply("output", (it) => it.output, final);
  }
  const all = new Float32Array(activations.length * dim);
  activations.forEach((row, i) => all.set(row, i * dim));
  return { steps, activations: all, logits: steps[steps.length - 1].want };
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < b.length; i++) sum += a[i] * b[i];
  return sum;
}

const largest = (x: Float32Array) => x.reduce((most, value) => Math.max(most, Math.abs(value)), 0);

function turn(x: Float32Array, position: number, shape: LlamaModel["shape"]): Float64Array {
  const { headDim, ropeStyle } = shape,
    half = headDim / 2,
    { cos, sin } = ropeTurns(shape)(position);
  const out = new Float64Array(x.length);
  for (let at = 0; at < x.length; at += headDim) {
    for (let i = 0; i < half; i++) {
      const [a, b] = ropeStyle === 0 ? [at + 2 * i, at + 2 * i + 1] : [at + i, at + i + half];
      out[a] = x[a] * cos[i] - x[b] * sin[i];
      out[b] = x[a] * sin[i] + x[b] * cos[i];
    }
  }
  return out;
}

type Heads = Parameters<Ops["attention"]>[3];

/** [positions] of [kvHeads x headDim] as [kvHeads, positions, headDim]. */
function byHead(rows: readonly Float32Array[], { kvHeads, headDim }: Heads): Float32Array {
  const out = new Float32Array(kvHeads * rows.length * headDim);
  for (let head = 0; head < kvHeads; head++) {
    rows.forEach((row, t) =>
      out.set(
        row.subarray(head * headDim, (head + 1) * headDim),
        (head * rows.length + t) * headDim,
      )
    );
  }
  return out;
}

function attend(
  q: Float32Array,
  keys: Float32Array,
  values: Float32Array,
  how: Heads,
): Float64Array {
  const { heads, kvHeads, headDim, positions } = how, out = new Float64Array(q.length);
  for (let head = 0; head < heads; head++) {
    const base = Math.floor(head / (heads / kvHeads)) * positions * headDim;
    const query = q.subarray(head * headDim, (head + 1) * headDim);
    const scores = Float64Array.from(
      { length: positions },
      (_, t) => dot(keys.subarray(base + t * headDim), query) / Math.sqrt(headDim),
    );
    const most = scores.reduce((a, b) => Math.max(a, b), -Infinity);
    const weights = scores.map((score) => Math.exp(score - most));
    const sum = weights.reduce((a, b) => a + b, 0);
    for (let t = 0; t < positions; t++) {
      for (let i = 0; i < headDim; i++) {
        out[head * headDim + i] += weights[t] / sum * values[base + t * headDim + i];
      }
    }
  }
  return out;
}
