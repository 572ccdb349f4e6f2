import { assert, assertEquals } from "@std/assert";
import { Conversation } from "./conversation.ts";
import { isReject } from "./outcome.ts";
import { measure, weightBytes } from "./resources.ts";
import { active, bytesOf, TINY, tinyTensors, world, type WorldParts } from "./testing.ts";

const WIDE = { ...TINY, dim: 32, head_dim: 8, heads: 4, hidden_dim: 64 };

const delta = (): WorldParts["adapters"] => {
  const target = tinyTensors(WIDE, "q8-0.b32.row").find(({ role }) => role === "ffn-down")!;
  const payload = bytesOf(new Array(32 * 64).fill(0));
  const tensor = { role: "operand", name: "delta", shape: [32, 64], type: "f32", payload };
  return [[{ op: "additive-delta/1", target, tensors: { delta: tensor } }]];
};

Deno.test("resources: predicted weights are the weights as built", async () => {
  for (
    const parts of [
      {},
      { parameters: { ...TINY, tied_output: false } },
      { parameters: WIDE, tensors: tinyTensors(WIDE, "q8-0.b32.row") },
      { parameters: WIDE, tensors: tinyTensors(WIDE, "q4-1.b32.pad") },
      { parameters: WIDE, tensors: tinyTensors(WIDE, "q8-0.b32.row"), adapters: delta() },
    ]
  ) {
    const { resources, model } = await active(world(parts));
    assertEquals(resources.W, weightBytes(model));
  }
});

Deno.test("resources: predicted cache is that of all positions; saved, it takes its element type", async () => {
  for (const [element_type, bytes] of [[1, 4], [2, 2], [3, 2]]) {
    const kv = { max_positions: 20, element_type };
    const context = await active(world({ composition: { kv } }));
    const conversation = Conversation.open(context);
    if (isReject(conversation)) throw new Error(conversation.code);
    await conversation.feed(new Array(20).fill(0));
    let held = 0;
    for (let layer = 0; layer < TINY.layers; layer++) {
      const { keys, values } = await conversation.session.readKv(layer, 20);
      held += keys.length + values.length;
    }
    assertEquals(held, 2 * TINY.layers * TINY.kv_heads * 20 * TINY.head_dim * bytes);
    assertEquals(context.resources.K, held * 4 / bytes, "the reference keeps f32");
    conversation.close();
  }
});

Deno.test("resources: the parts add up, and files are counted whole", async () => {
  const it = world();
  const { resources: r } = await active(it);
  const files = [it.composition, it.base, it.tokenizer].reduce((sum, f) => sum + f.bytes.length, 0);
  assertEquals(r.F, files);
  assertEquals(r.host_peak, r.H + r.B + r.J + r.S + r.W + r.conversion + r.A + r.K + r.Q);
  assertEquals([r.G, r.device_steady], [0, 0]);
  assert(r.H > 0 && r.H < r.F);
});

Deno.test("resources: what the process holds can be measured", () => {
  const { rss, heap, external } = measure();
  assert(rss > heap && heap > 0 && external >= 0);
});
