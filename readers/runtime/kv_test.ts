import { assert, assertEquals, assertRejects } from "@std/assert";
import { kvCache } from "../../corpus/writer/build/composition.ts";
import { openCpu } from "../../kernels/cpu/backend.ts";
import type { Context } from "./context.ts";
import { Conversation } from "./conversation.ts";
import { generate } from "./generate.ts";
import { type KvParts, restoreKv, saveKv } from "./kv.ts";
import { isReject } from "./outcome.ts";
import {
  active,
  BACKENDS,
  candidateOf,
  randomBytes,
  request,
  tinyTensors,
  world,
  type WorldParts,
  written,
} from "./testing.ts";

const PREFIX = [16, 0, 1, 2, 3, 4];

function open(context: Context): Conversation {
  const conversation = Conversation.open(context);
  if (isReject(conversation)) throw new Error(conversation.code);
  return conversation;
}

async function saved(context: Context, tokens: readonly number[] = PREFIX): Promise<KvParts> {
  using conversation = open(context);
  await conversation.feed(tokens);
  return await saveKv(conversation);
}

const asArtifact = (parts: KvParts) => candidateOf(written(kvCache(parts)));

async function restored(context: Context, parts: KvParts, tokens: readonly number[]) {
  const outcome = await restoreKv(context, asArtifact(parts), tokens);
  if ("refused" in outcome) return outcome.refused;
  if (isReject(outcome)) return outcome.code;
  return outcome;
}

const CASES = BACKENDS.flatMap((backend) =>
  (["f32", "f16", "bf16"] as const).map((element) => ({ backend, element }))
);

for (const { backend, element } of CASES) {
  Deno.test(`kv on ${backend.name}: an ${element} cache, saved and restored, gives every logit of the uncached run`, async () => {
    const element_type = { f32: 1, f16: 2, bf16: 3 }[element];
    const context = await active(
      world({ composition: { kv: { max_positions: 32, element_type } } }),
      { backend },
    );
    const parts = await saved(context);
    assertEquals(parts.element, element);
    const sequence = [...PREFIX, 7, 8, 9];
    const resumed = await restored(context, parts, sequence);
    if (typeof resumed === "string") throw new Error(resumed);
    assertEquals(resumed.tokens, PREFIX);
    using plain = open(context);
    await plain.feed(PREFIX);
    for (const token of [7, 8, 9]) {
      assertEquals(await resumed.feed([token]), await plain.feed([token]));
    }
    resumed.close();
  });

  Deno.test(`kv on ${backend.name}: generation from a restored ${element} cache is that without one, token for token`, async () => {
    const element_type = { f32: 1, f16: 2, bf16: 3 }[element];
    const context = await active(
      world({ composition: { kv: { max_positions: 32, element_type } } }),
      { backend },
    );
    const prompt = { tokens: [...PREFIX, 5] };
    const plain = await generate(context, { prompt, max_new_tokens: 15 });
    const conversation = await restored(context, await saved(context), prompt.tokens);
    if (typeof conversation === "string") throw new Error(conversation);
    const resumed = await generate(context, { prompt, max_new_tokens: 15, conversation });
    assert("tokens" in plain && "tokens" in resumed);
    assertEquals(resumed.tokens, plain.tokens);
    assertEquals(resumed.reused, PREFIX.length, "the restored positions were used");
    conversation.close();
  });
}

Deno.test("kv: a cache of exactly the prompt still gives its last logits", async () => {
  const context = await active(world());
  const conversation = await restored(context, await saved(context), PREFIX);
  if (typeof conversation === "string") throw new Error(conversation);
  const prompt = { tokens: PREFIX };
  const resumed = await generate(context, { prompt, max_new_tokens: 5, conversation });
  const plain = await generate(context, { prompt, max_new_tokens: 5 });
  assert("tokens" in plain && "tokens" in resumed);
  assertEquals([resumed.tokens, resumed.reused], [plain.tokens, PREFIX.length - 1]);
  conversation.close();
});

const lora = (numerator: number, fill = 0.5): WorldParts["adapters"] => {
  const target = tinyTensors().find(({ role, layer }) => role === "attention-q" && layer === 0)!;
  const tensor = (name: string, shape: number[]) => ({
    role: "operand",
    name,
    shape,
    type: "f32",
    payload: new Uint8Array(new Float32Array(8).fill(fill).buffer),
  });
  const tensors = { a: tensor("a", [1, 8]), b: tensor("b", [8, 1]) };
  return [[{ op: "lora/1", target, tensors, scale: [1, numerator] }]];
};

const otherTensors = tinyTensors().map((tensor) =>
  tensor.role === "ffn-up" ? { ...tensor, payload: randomBytes(12 * 8, 99) } : tensor
);

Deno.test("kv: a cache of another adapter scale, other adapter bytes or other weights is refused", async () => {
  const parts = await saved(await active(world({ adapters: lora(1) })));
  for (
    const other of [
      world({ adapters: lora(2) }),
      world({ adapters: lora(1, 0.25) }),
      world(),
      world({ adapters: lora(1), tensors: otherTensors }),
      world({ adapters: lora(1), composition: { kv: { max_positions: 31 } } }),
    ]
  ) {
    assertEquals(await restored(await active(other), parts, PREFIX), "composition");
  }
  const same = await restored(await active(world({ adapters: lora(1) })), parts, PREFIX);
  assert(typeof same !== "string");
  same.close();
});

Deno.test("kv: one other token in the prefix, or too few tokens, is refused", async () => {
  const context = await active(world());
  const parts = await saved(context);
  for (const at of PREFIX.keys()) {
    const tokens = PREFIX.with(at, 15);
    assertEquals(await restored(context, parts, tokens), "prefix-tokens");
  }
  assertEquals(await restored(context, parts, PREFIX.slice(0, -1)), "positions");
});

Deno.test("kv: another abi, rotary base, element or shape is refused", async () => {
  const context = await active(world());
  const parts = await saved(context);
  const refused = (change: Partial<KvParts>) => restored(context, { ...parts, ...change }, PREFIX);
  assertEquals(await refused({ abi: "llama-kv/2" }), "abi");
  assertEquals(await refused({ rope_base: 1 }), "rope-base");
  assertEquals(await refused({ layers: parts.layers.slice(1) }), "shape");
  assertEquals(await refused({ kv_heads: 2, head_dim: 2 }), "shape");
  const halved = parts.layers.map(({ key, value }) => ({
    key: key.subarray(0, key.length / 2),
    value: value.subarray(0, value.length / 2),
  }));
  assertEquals(await refused({ element: "f16", layers: halved }), "element-type");
});

Deno.test("kv: bytes that changed since the reader saw them are refused", async () => {
  const context = await active(world());
  const candidate = asArtifact(await saved(context));
  const { source } = candidate;
  const flipping = {
    size: source.size,
    read(offset: number, into: Uint8Array) {
      const filled = source.read(offset, into);
      into[0] ^= 1;
      return filled;
    },
  };
  const outcome = await restoreKv(context, { ...candidate, source: flipping }, PREFIX);
  assert(isReject(outcome) && outcome.code === "PayloadHashMismatch");
});

Deno.test("kv: a conversation of one context cannot be used in another", async () => {
  const [one, other] = [await active(world()), await active(world({ adapters: lora(1) }))];
  using conversation = open(one);
  await assertRejects(
    () => generate(other, { prompt: { tokens: PREFIX }, conversation }),
    Error,
    "belongs to",
  );
});

Deno.test("kv: an empty conversation has nothing to save", async () => {
  using conversation = open(await active(world()));
  await assertRejects(() => saveKv(conversation), RangeError);
});

Deno.test("kv: a context lives for as long as a conversation uses it", async () => {
  let closed = 0;
  const choice = {
    name: "cpu" as const,
    open() {
      const cpu = openCpu();
      return { ...cpu, close: () => void closed++ };
    },
  };
  const it = request(world(), { backend: choice });
  const context = await active(world(), { backend: choice, slot: it.slot });
  const conversation = open(context);
  assert(it.slot.commit(context, null));
  assertEquals(closed, 0);
  await conversation.feed([16]);
  conversation.close();
  conversation.close();
  assertEquals(closed, 1);
});
