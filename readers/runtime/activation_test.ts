/** Activation: the whole way, and the code of each thing that can be wrong. */
import { assert, assertEquals } from "@std/assert";
import { composition } from "../../corpus/writer/build/composition.ts";
import { llama, tensorPack } from "../../corpus/writer/build/model.ts";
import type { Reject, Source } from "../contract.ts";
import { memorySource } from "../source.ts";
import { activate, type ActivationRequest } from "./activation.ts";
import type { Context } from "./context.ts";
import { generate } from "./generate.ts";
import { isReject } from "./outcome.ts";
import { weightBytes } from "./resources.ts";
import type { State } from "./states.ts";
import {
  active,
  bytesOf,
  request,
  testStore,
  TINY,
  tinyTensors,
  tinyTokenizer,
  type World,
  world,
  written,
} from "./testing.ts";

/** Another composition than the one that is tried: it must stay active. */
const OLD = world({ composition: { generation: { max_new_tokens: 5 } } });

async function textOf(context: Context): Promise<string> {
  const generation = await generate(context, { prompt: { text: "abc" } });
  if (!("tokens" in generation)) throw new Error("no generation");
  return generation.text;
}

/** Tries `it` over an active old context, which must go on as before. */
async function rejected(it: World, more: Partial<ActivationRequest>): Promise<Reject> {
  const old = request(OLD);
  const before = await activate(old);
  if (isReject(before)) throw new Error(before.code);
  const text = await textOf(before);
  const outcome = await activate(request(it, { ...more, slot: old.slot }));
  assert(isReject(outcome), "it was activated");
  assert(old.slot.active === before, "the old context is not active any more");
  assertEquals(await textOf(before), text);
  assertEquals(it.store.open_files, 0, "files are left open");
  return outcome;
}

const codeOf = ({ stage, code, section }: Reject) => `${stage} ${code} [${section}]`;

Deno.test("activation: every state, one after the other, and then it works", async () => {
  const seen: State[] = [];
  const it = world();
  const context = await active(it, { observe: (state) => seen.push(state) });
  assertEquals(seen.length, 8);
  assertEquals(seen.at(-1), "ACTIVE");
  assertEquals(it.store.open_files, 0);
  assert((await textOf(context)).length > 0);
});

Deno.test("activation: a q8-0 block with an infinite scale fails the smoke check", async () => {
  const parameters = { dim: 32, head_dim: 8, heads: 4, hidden_dim: 32, kv_heads: 2 };
  const shape = { ...TINY, ...parameters };
  const tensors = tinyTensors(shape, "q8-0.b32.row");
  const poisoned = tensors.map((tensor) => {
    if (tensor.role !== "ffn-up" || !(tensor.payload instanceof Uint8Array)) return tensor;
    const payload = tensor.payload.slice();
    payload.set([0x00, 0x7c]);
    return { ...tensor, payload };
  });
  assert(!isReject(await activate(request(world({ parameters: shape, tensors })))));
  const reject = await rejected(world({ parameters: shape, tensors: poisoned }), {});
  assertEquals(codeOf(reject), "31 SmokeCheckFailed [none]");
});

Deno.test("activation: a stored file that was damaged is DependencyWholeFile", async () => {
  for (const part of ["base", "tokenizer"] as const) {
    const it = world();
    const bytes = it[part].bytes.slice();
    bytes[bytes.length - 1] ^= 1;
    it.store.sources.set(it[part].identities.artifact_id, memorySource(bytes));
    assertEquals(codeOf(await rejected(it, {})), "25 DependencyWholeFile [manifest]");
  }
});

Deno.test("activation: the first dependency at fault decides, missing or damaged", async () => {
  const it = world();
  const damaged = it.tokenizer.bytes.slice();
  damaged[300] ^= 1;
  it.store.sources.set(it.tokenizer.identities.artifact_id, memorySource(damaged));
  it.store.sources.delete(it.base.identities.artifact_id);
  assertEquals(codeOf(await rejected(it, {})), "25 DependencyMissing [manifest]");
});

Deno.test("activation: what is no composition, or no artifact, is refused by its stage", async () => {
  const it = world();
  const whole = async (composition: Source) => codeOf(await rejected(it, { composition }));
  assertEquals(await whole(memorySource(it.base.bytes)), "25 DependencyClass [manifest]");
  assertEquals(await whole(memorySource(new Uint8Array(300))), "4 BadMagic [header]");
  assertEquals(
    await whole(memorySource(it.composition.bytes.subarray(0, 100))),
    "3 TruncatedHeader [header]",
  );
});

Deno.test("activation: memory: what is required, and what is predicted", async () => {
  const asking = world({ composition: { requirements: { memory_bytes: 1 << 30 } } });
  assertEquals(
    codeOf(await rejected(asking, { memory: 1 << 29 })),
    "25 RuntimeCapability [manifest]",
  );
  assertEquals(codeOf(await rejected(world(), { memory: 1000 })), "31 ResourceLimit [none]");
});

Deno.test("activation: no kernel for a profile on this backend: refused before it is opened", async () => {
  const shape = { ...TINY, dim: 32, head_dim: 8, heads: 4, hidden_dim: 32 };
  const it = world({ parameters: shape, tensors: tinyTensors(shape, "q8-0.b32.row") });
  const open = () => {
    throw new Error("it was opened");
  };
  const backend = { name: "elsewhere" as "cpu", open };
  assertEquals(codeOf(await rejected(it, { backend })), "25 UnsupportedQuantProfile [quant]");
});

Deno.test("activation: a base that is no model that runs is refused", async () => {
  const pack = written(tensorPack(tinyTensors(), 2));
  const tokenizer = written(tinyTokenizer());
  const root = written(composition({
    base: pack.identities,
    tokenizer: tokenizer.identities,
    kv: { max_positions: 8 },
  }));
  const it = { ...world(), composition: root, store: testStore([pack, tokenizer]) };
  assertEquals(codeOf(await rejected(it, {})), "25 UnsupportedArchitecture [manifest]");
});

Deno.test("activation: an adapter whose sparse index falls is ResourceConstruction", async () => {
  const target = tinyTensors().find(({ role }) => role === "ffn-norm")!;
  const operand = (name: string, type: string, payload: Uint8Array) => ({
    role: "operand",
    name,
    shape: [2],
    type,
    payload,
  });
  const sparse = (index: bigint[]) =>
    world({
      adapters: [[{
        op: "sparse-delta/1",
        target,
        tensors: {
          index: operand("index", "u64", new Uint8Array(BigUint64Array.from(index).buffer)),
          value: operand("value", "f32", new Uint8Array(8)),
        },
      }]],
    });
  const good = await active(sparse([2n, 7n]));
  good.release();
  for (const index of [[7n, 2n], [3n, 3n], [0n, 8n]]) {
    assertEquals(codeOf(await rejected(sparse(index), {})), "31 ResourceConstruction [none]");
  }
});

Deno.test("activation: what is too large for a composition is still judged by the reader", async () => {
  const large = memorySource(new Uint8Array(5 << 20));
  assertEquals(codeOf(await rejected(world(), { composition: large })), "4 BadMagic [header]");
});

Deno.test("activation: a model of per-row scales works", async () => {
  const parameters = { ...TINY, dim: 32, head_dim: 8, heads: 4, hidden_dim: 32, layers: 1 };
  const stored = tinyTensors(parameters, "q8-row.exact");
  const owners = stored.filter(({ type }) => type !== "f32");
  const scales = owners.map(({ name, layer, shape }) => ({
    role: "scale",
    name: `${name}.scale`,
    layer,
    shape: [shape[0]],
    type: "f32",
    payload: bytesOf(new Array(shape[0]).fill(0.01)),
  }));
  const base = written({
    ...llama(parameters, [...stored, ...scales]),
    auxiliaries: owners.map(({ name }) => ({ owner: name, target: `${name}.scale` })),
  });
  const tokenizer = written(tinyTokenizer());
  const root = written(composition({
    base: base.identities,
    tokenizer: tokenizer.identities,
    kv: { max_positions: 8 },
  }));
  const it = { ...world(), composition: root, store: testStore([base, tokenizer]) };
  const context = await active(it);
  assertEquals(context.resources.W, weightBytes(context.model));
  assertEquals((await textOf(context)).length > 0, true);
});
