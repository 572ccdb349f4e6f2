/**
 * The Wasm backend: 128-bit SIMD without relaxed instructions, so that every engine computes
 * the same bits; one thread, up to 4 GiB. `assembly/` has the kernels and `build.ts` compiles
 * them; the other files here are the host's side.
 */
import type {
  AttentionShape,
  Backend,
  Envelopes,
  Fill,
  KvShape,
  LlamaModel,
  LlamaShape,
  MatrixSpec,
  Ops,
  Refusal,
  Session,
  Weight,
} from "../backend.ts";
import { storedBytes } from "../quant/format.ts";
import { ropeTurns } from "../rope.ts";
import type { Arena } from "./arena.ts";
import { instantiate, type Kernels, supported } from "./module.ts";
import { WasmSession, wasmWeight } from "./session.ts";
import { loadWeight, type WasmWeight } from "./weight.ts";

/**
 * The bits of the reference, but where exp or fixed-point activations come in. Quantised
 * products: the reference adds n / 4 times in a lane and the kernels n / 32, or n / 64 and 16
 * (nf4), which with the few other steps stays below 3 / 8 of n + 32.
 */
const ENVELOPES: Envelopes = {
  rmsNorm: 0,
  rope: 0,
  dense: 0,
  row: 0,
  add: 0,
  quantised: 3 / 8,
  attention: 1,
  swiglu: 1,
  softmax: 1,
  logits: 1,
};

/** So that the kernels' 32-bit sum of `roomFor`, 13 bytes a column, does not wrap. */
const MOST_COLUMNS = 2 ** 28;

/** Room for one operation's operands, given back with it. */
class Scratch {
  readonly #taken: number[] = [];
  constructor(readonly arena: Arena) {}

  /** Room for `count` floats, up to a whole number of vectors. */
  room(count: number): number {
    const at = this.arena.take(4 * count + 16);
    if (at === null) throw new RangeError(`no room for ${count} floats`);
    this.#taken.push(at);
    return at;
  }

  put(x: Float32Array): number {
    const at = this.room(x.length);
    this.arena.floats(at, x.length).set(x);
    return at;
  }

  get(at: number, count: number): Float32Array {
    return this.arena.floats(at, count).slice();
  }

  close(): void {
    this.#taken.forEach((at) => this.arena.give(at));
  }
}

function operations(kernels: Kernels, arena: Arena): Ops {
  function within<T>(op: (scratch: Scratch) => T): T {
    const scratch = new Scratch(arena);
    try {
      return op(scratch);
    } finally {
      scratch.close();
    }
  }

  function multiplyAll(weight: Weight, xs: Float32Array, count: number): Float32Array {
    const { rows, columns } = weight.spec, stride = Math.ceil(rows / 4) * 4;
    if (xs.length !== count * columns) throw new RangeError(`${xs.length} values for ${columns}`);
    return within((scratch) => {
      const x = scratch.put(xs), y = scratch.room(count * stride);
      kernels.multiplyAll(wasmWeight(weight).record, y, x, count);
      const out = new Float32Array(count * rows);
      for (let i = 0; i < count; i++) out.set(arena.floats(y + 4 * i * stride, rows), i * rows);
      return out;
    });
  }

  return {
    rmsNorm: (x, weight, eps) =>
      within((scratch) => {
        const w = scratch.room(x.length), at = scratch.put(x), out = scratch.room(x.length);
        wasmWeight(weight).row(0, arena.floats(w, x.length));
        kernels.rmsNorm(out, at, w, x.length, eps);
        return scratch.get(out, x.length);
      }),
    rope: (x, position, shape: Pick<LlamaShape, "headDim" | "ropeTheta" | "ropeStyle">) =>
      within((scratch) => {
        const { headDim, ropeStyle } = shape, turn = ropeTurns(shape)(position);
        const at = scratch.put(x), cos = scratch.put(turn.cos), sin = scratch.put(turn.sin);
        kernels.rope(at, x.length / headDim, headDim, ropeStyle, cos, sin);
        return scratch.get(at, x.length);
      }),
    matvec: (weight, x) => multiplyAll(weight, x, 1),
    matmul: multiplyAll,
    row: (weight, row) => {
      const out = new Float32Array(weight.spec.columns);
      wasmWeight(weight).row(row, out);
      return out;
    },
    attention: (q, keys, values, { heads, kvHeads, headDim, positions }: AttentionShape) =>
      within((scratch) => {
        const out = scratch.room(q.length), scores = scratch.room(positions);
        const at = [scratch.put(q), scratch.put(keys), scratch.put(values)] as const;
        const shape = [heads, kvHeads, headDim, positions, positions] as const;
        kernels.attention(0, out, ...at, scores, ...shape);
        return scratch.get(out, q.length);
      }),
    swiglu: (gate, up) =>
      within((scratch) => {
        const at = scratch.put(gate);
        kernels.swiglu(at, scratch.put(up), gate.length);
        return scratch.get(at, gate.length);
      }),
    add: (a, b) =>
      within((scratch) => {
        const at = scratch.put(a);
        kernels.add(at, scratch.put(b), a.length);
        return scratch.get(at, a.length);
      }),
    softmax: (x) =>
      within((scratch) => {
        const at = scratch.put(x);
        kernels.softmax(at, x.length);
        return scratch.get(at, x.length);
      }),
  };
}

/**
 * Opens the backend. `reserve` bytes are left unused at the start of its memory; `module` stands
 * in for the built one. Refused where the engine has no SIMD.
 */
export function openWasm(reserve = 0, module?: WebAssembly.Module): Backend | Refusal {
  if (!supported()) return { refused: "RuntimeCapability", why: "no 128-bit SIMD in this engine" };
  const straddling = new Map<number, WasmWeight>();
  const { kernels, arena } = instantiate((record, row, into) => {
    const weight = straddling.get(record >>> 0)!;
    weight.row(row, arena.floats(into >>> 0, weight.spec.columns));
  }, module);
  if (reserve > 0 && arena.take(reserve) === null) {
    return { refused: "ResourceLimit", why: `no room: ${reserve} bytes in reserve` };
  }
  const room = { at: arena.take(0)!, columns: 0 };

  /** Room for the forms of x that a weight of `columns` columns wants. */
  function makeRoom(columns: number): boolean {
    if (columns <= room.columns) return true;
    const at = columns > MOST_COLUMNS ? null : arena.take(kernels.roomFor(columns));
    if (at === null) return false;
    arena.give(room.at);
    Object.assign(room, { at, columns });
    kernels.setRoom(at, columns);
    return true;
  }

  return {
    name: "wasm",
    ops: operations(kernels, arena),
    envelopes: ENVELOPES,
    load(spec: MatrixSpec, fill: Fill, scales?: Float32Array): Weight | Refusal {
      const weight = makeRoom(spec.columns) ? loadWeight(kernels, arena, spec, fill, scales) : null;
      if (weight === null) {
        return { refused: "ResourceLimit", why: `no room: ${storedBytes(spec)} bytes of weights` };
      }
      if (weight.quantised && weight.layout === null) straddling.set(weight.record, weight);
      return weight;
    },
    session(model: LlamaModel, kv: KvShape): Session | Refusal {
      return WasmSession.open(kernels, arena, model, kv) ??
        { refused: "ResourceLimit", why: `no room: a cache of ${kv.positions} positions` };
    },
    close() {
      straddling.clear();
    },
  };
}
