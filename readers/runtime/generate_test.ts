import { assert, assertEquals } from "@std/assert";
import { template } from "../../corpus/writer/build/template.ts";
import type { Context } from "./context.ts";
import { Conversation } from "./conversation.ts";
import { generate, type GenerateRequest, type Generation } from "./generate.ts";
import { logits } from "./logits.ts";
import { isReject } from "./outcome.ts";
import { active, floats, TINY, tinyTensors, tinyTokenizer, world } from "./testing.ts";

async function run(context: Context, request: GenerateRequest): Promise<Generation> {
  const generation = await generate(context, request);
  if (!("tokens" in generation)) throw new Error(JSON.stringify(generation));
  return generation;
}

const LETTERS = "abcdefghijklmnop";
const spelled = (tokens: readonly number[]) => tokens.map((id) => LETTERS[id] ?? "").join("");

Deno.test("generate: greedy is the arg max of the logits before each token", async () => {
  const context = await active(world());
  const { prompt, tokens } = await run(context, { prompt: { text: "abc" }, max_new_tokens: 10 });
  assertEquals(prompt, [16, 0, 1, 2]);
  const sequence = [...prompt, ...tokens];
  const positions = tokens.map((_, i) => prompt.length - 1 + i);
  const all = await logits(context, sequence, positions);
  if (isReject(all)) throw new Error(all.code);
  assertEquals(all.map((at) => at.logits.indexOf(Math.max(...at.logits))), [...tokens]);
});

Deno.test("generate: stops at the count asked for, the policy's, and at the last position", async () => {
  const context = await active(
    world({ composition: { generation: { max_new_tokens: 6 }, kv: { max_positions: 8 } } }),
  );
  const lengths = async (request: GenerateRequest) => {
    const { tokens, stopped } = await run(context, { ignore_stops: true, ...request });
    return [tokens.length, stopped];
  };
  assertEquals(await lengths({ prompt: { text: "a" }, max_new_tokens: 3 }), [3, "max-new-tokens"]);
  assertEquals(await lengths({ prompt: { text: "a" }, max_new_tokens: 99 }), [6, "max-new-tokens"]);
  assertEquals(await lengths({ prompt: { text: "a" }, max_new_tokens: 0 }), [0, "max-new-tokens"]);
  // Five positions are fed; the token chosen after the eighth has no position of its own.
  assertEquals(await lengths({ prompt: { text: "abcd" } }), [4, "max-positions"]);
});

Deno.test("generate: stop tokens of the composition and the tokenizer end it, and are not shown", async () => {
  const free = await run(await active(world()), {
    prompt: { text: "abc" },
    max_new_tokens: 12,
    ignore_stops: true,
  });
  const stop = free.tokens[3];
  const expected = free.tokens.slice(0, free.tokens.indexOf(stop));
  for (
    const parts of [
      { composition: { generation: { stop_tokens: [stop] } } },
      { tokenizer: tinyTokenizer({ stop_tokens: [stop] }) },
    ]
  ) {
    const context = await active(world(parts));
    const { tokens, stopped } = await run(context, { prompt: { text: "abc" }, max_new_tokens: 12 });
    assertEquals([tokens, stopped], [expected, "stop-token"]);
    const on = { prompt: { text: "abc" }, max_new_tokens: 12, ignore_stops: true };
    assertEquals((await run(context, on)).tokens, free.tokens);
  }
});

Deno.test("generate: text is streamed as it becomes certain, and ends before stop bytes", async () => {
  const prompt = { tokens: [16, 0] };
  const free = await run(await active(world()), { prompt, max_new_tokens: 12 });
  assertEquals(free.text, spelled(free.tokens));
  const stop = free.text.slice(4, 6);
  const context = await active(
    world({ tokenizer: tinyTokenizer({ stop_bytes: [new TextEncoder().encode(stop)] }) }),
  );
  const pieces: string[] = [];
  const cut = await run(context, {
    prompt,
    max_new_tokens: 12,
    onText: (text) => void pieces.push(text),
  });
  assertEquals(cut.stopped, "stop-bytes");
  assertEquals(cut.text, free.text.slice(0, free.text.indexOf(stop)));
  assertEquals(pieces.join(""), cut.text);
});

Deno.test("generate: the caller may end it", async () => {
  const context = await active(world());
  const { tokens, stopped } = await run(context, {
    prompt: { text: "ab" },
    ignore_stops: true,
    onText: () => false,
  });
  assertEquals(stopped, "caller");
  assert(tokens.length >= 1 && tokens.length < 5);
});

Deno.test("generate: a seed decides every draw", async () => {
  const context = await active(world());
  const draw = async (seed: number) =>
    (await run(context, { prompt: { text: "a" }, temperature: 2, seed, max_new_tokens: 20 }))
      .tokens.join();
  assertEquals(await draw(1), await draw(1));
  assert(new Set([await draw(1), await draw(2), await draw(3)]).size > 1);
});

Deno.test("generate: a prompt that cannot be fed is a value", async () => {
  const context = await active(
    world({ tokenizer: tinyTokenizer({ bos: { auto: false, id: 16 } }) }),
  );
  const fault = async (prompt: GenerateRequest["prompt"]) => {
    const outcome = await generate(context, { prompt });
    return "fault" in outcome ? outcome.fault : outcome;
  };
  assertEquals(await fault({ text: "xyz" }), "encode");
  assertEquals(await fault({ text: "" }), "empty");
  assertEquals(await fault({ tokens: [0, 18] }), "token-out-of-range");
  assertEquals(await fault({ tokens: [-1] }), "token-out-of-range");
  assertEquals(await fault({ tokens: new Array(33).fill(0) }), "too-long");
});

Deno.test("generate: a NaN among the logits ends it, greedy or drawn", async () => {
  const parameters = { ...TINY, tied_output: false };
  const tensors = tinyTensors(parameters).map((tensor) => {
    if (tensor.role !== "token-embedding") return tensor;
    const values = floats(tensor.payload as Uint8Array);
    values[5 * parameters.dim] = NaN;
    return { ...tensor, payload: new Uint8Array(values.buffer) };
  });
  const context = await active(world({ parameters, tensors }));
  for (const temperature of [0, 1]) {
    const prompt = { tokens: [16, 5] };
    const { tokens, stopped } = await run(context, { prompt, temperature });
    assertEquals([tokens, stopped], [[], "nan-logits"]);
  }
});

Deno.test("generate: messages go through the composition's chat template", async () => {
  const plain = world();
  const chat = template(plain.tokenizer.identities, [
    { token: 16 },
    { for_each_message: ["a", { do: "content" }, "b"] },
    { do: "generation_marker" },
  ], { roles: ["user"], generation_marker: 17, stop_tokens: [3] });
  const context = await active(world({ template: chat }));
  const messages = [{ role: "user", content: "pp" }];
  const { prompt } = await run(context, { prompt: { messages }, max_new_tokens: 1 });
  assertEquals(prompt, [16, 0, 15, 15, 1, 17]);
  assert(context.stop_tokens.has(3));
  const fault = async (of: Context, role: string) => {
    const outcome = await generate(of, { prompt: { messages: [{ role, content: "p" }] } });
    return "fault" in outcome ? outcome.fault : outcome;
  };
  assertEquals(await fault(context, "constructor"), "render");
  assertEquals(await fault(await active(plain), "user"), "no-template");
});

Deno.test("generate: a conversation computes only what it has not seen", async () => {
  const context = await active(world());
  const conversation = Conversation.open(context);
  if (isReject(conversation)) throw new Error(conversation.code);
  const first = await run(context, {
    prompt: { tokens: [16, 0, 1] },
    max_new_tokens: 4,
    conversation,
  });
  assertEquals(first.reused, 0);
  const prompt = { tokens: [...first.prompt, ...first.tokens, 5, 6] };
  const second = await run(context, { prompt, max_new_tokens: 4, conversation });
  // All but the last chosen token, which was never fed.
  assertEquals(second.reused, first.prompt.length + 3);
  const fresh = await run(context, { prompt, max_new_tokens: 4 });
  assertEquals(second.tokens, fresh.tokens);
  const other = await run(context, {
    prompt: { tokens: [16, 3] },
    max_new_tokens: 4,
    conversation,
  });
  assertEquals(other.reused, 1);
  assertEquals(
    other.tokens,
    (await run(context, { prompt: { tokens: [16, 3] }, max_new_tokens: 4 })).tokens,
  );
  conversation.close();
});

Deno.test("generate: the cost of a token does not grow with recomputation", async () => {
  const context = await active(world());
  let fed = 0;
  const session = context.backend.session;
  const counting: Context = {
    ...context,
    backend: {
      ...context.backend,
      session(model, kv) {
        const real = session(model, kv);
        if ("refused" in real) return real;
        return {
          ...real,
          model,
          kv,
          forward: (tokens, position) => (fed += tokens.length, real.forward(tokens, position)),
          greedy: (token, position, count) => (fed += count, real.greedy(token, position, count)),
          close: () => real.close(),
        };
      },
    },
  };
  const { tokens } = await run(counting, {
    prompt: { text: "abc" },
    max_new_tokens: 20,
    ignore_stops: true,
  });
  assertEquals(tokens.length, 20);
  assertEquals(fed, 4 + 19);
});
