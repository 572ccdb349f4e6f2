/** For tests: a backend whose whole pass goes through its single operations, so that one can be spoilt. */
import type { Backend, Later, LlamaModel, Ops, Session } from "../../kernels/backend.ts";
import { openCpu } from "../../kernels/cpu/backend.ts";
import { largest } from "../../kernels/sample.ts";
import type { BackendChoice } from "../../readers/runtime/mod.ts";

/** The reference backend with some operations replaced, in sessions too. */
export function planted(name: Backend["name"], spoil: (ops: Ops) => Partial<Ops>): BackendChoice {
  return {
    name,
    open() {
      const cpu = openCpu(), ops = { ...cpu.ops, ...spoil(cpu.ops) };
      const session: Backend["session"] = (model, kv) => openSession(ops, model, kv);
      return { ...cpu, name, ops, session };
    },
  };
}

function openSession(ops: Ops, model: LlamaModel, kv: Session["kv"]): Session {
  const { layers, dim } = model.shape;
  const keys = Array.from({ length: layers }, (): Float32Array[] => []);
  const values = Array.from({ length: layers }, (): Float32Array[] => []);
  const pass = async (token: number, position: number) => {
    const trace = [await ops.row(model.tokenEmbedding, token)];
    for (const l of model.layers.keys()) {
      trace.push(await layer(ops, model, l, trace[l], position, keys[l], values[l]));
    }
    trace.push(await ops.rmsNorm(trace[layers], model.finalNorm, model.shape.normEps));
    const activations = new Float32Array((layers + 2) * dim);
    trace.forEach((row, i) => activations.set(row, i * dim));
    return { activations, logits: await ops.matvec(model.output, trace[layers + 1]) };
  };
  const refuse = () => {
    throw new Error("not for this test");
  };
  return {
    model,
    kv,
    async forward(tokens, position) {
      let logits = new Float32Array();
      for (const [i, token] of tokens.entries()) {
        logits = (await pass(token, position + i)).logits as typeof logits;
      }
      return logits;
    },
    trace: pass,
    async greedy(token, position) {
      const next = largest((await pass(token, position)).logits);
      return typeof next === "number" ? { tokens: [next], nan: false } : { tokens: [], nan: true };
    },
    readKv: refuse,
    writeKv: refuse,
    close() {},
  };
}

async function layer(
  ops: Ops,
  { shape, layers }: LlamaModel,
  l: number,
  x: Float32Array,
  position: number,
  keys: Float32Array[],
  values: Float32Array[],
): Promise<Float32Array> {
  const weights = layers[l], { kvHeads, headDim, normEps } = shape;
  const normed = await ops.rmsNorm(x, weights.attentionNorm, normEps);
  const q = await ops.rope(await ops.matvec(weights.attentionQ, normed), position, shape);
  keys[position] = await ops.rope(await ops.matvec(weights.attentionK, normed), position, shape);
  values[position] = await ops.matvec(weights.attentionV, normed);
  const byHead = (rows: Float32Array[]) => {
    const heads = Array.from({ length: kvHeads }, (_, head) => head * headDim);
    return Float32Array.from(
      heads.flatMap((at) =>
        rows.slice(0, position + 1).flatMap((row) => [...row.subarray(at, at + headDim)])
      ),
    );
  };
  const how = { ...shape, positions: position + 1 };
  const attended = await ops.attention(q, byHead(keys), byHead(values), how);
  const middle = await ops.add(x, await ops.matvec(weights.attentionOutput, attended));
  const fed = await ops.rmsNorm(middle, weights.ffnNorm, normEps);
  const active = await ops.swiglu(
    await ops.matvec(weights.ffnGate, fed),
    await ops.matvec(weights.ffnUp, fed),
  );
  return await ops.add(middle, await ops.matvec(weights.ffnDown, active));
}

/** Changes what an operation gives. */
export function after(
  result: Later<Float32Array>,
  change: (values: Float32Array) => void,
): Promise<Float32Array> {
  return Promise.resolve(result).then((values) => {
    change(values);
    return values;
  });
}
