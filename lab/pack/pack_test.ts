/** Chat templates, adapters and compositions, packed and run as programs. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import { seededRandom } from "../../kernels/sample.ts";
import { readFloats } from "../floats.ts";
import { FABLE, FABLE_TOKENIZER, inFolder, lab, packFable } from "../testing.ts";

const DIM = 96, RANK = 2, ALPHA = 3;
const LORA = "base_model.model.model.layers.1.self_attn.q_proj.lora_";

function safetensors(tensors: Record<string, { shape: number[]; values: Float32Array }>) {
  const header: Record<string, unknown> = { __metadata__: { format: "pt" } };
  let end = 0;
  for (const [name, { shape, values }] of Object.entries(tensors)) {
    header[name] = { dtype: "F32", shape, data_offsets: [end, end += values.byteLength] };
  }
  const text = new TextEncoder().encode(JSON.stringify(header));
  const bytes = new Uint8Array(8 + text.length + end);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(text.length), true);
  bytes.set(text, 8);
  let at = 8 + text.length;
  for (const { values } of Object.values(tensors)) {
    bytes.set(new Uint8Array(values.buffer), at);
    at += values.byteLength;
  }
  return bytes;
}

const random = seededRandom(7);
const noise = (count: number) => Float32Array.from({ length: count }, () => random() - 0.5);
const A = noise(RANK * DIM), B = noise(DIM * RANK);

/** Rows of B, in each head the even ones first. */
function halfSplit(b: Float32Array, headDim: number): Float32Array {
  const out = new Float32Array(b.length);
  for (let row = 0; row < DIM; row++) {
    const i = row % headDim, to = row - i + (i % 2) * headDim / 2 + (i - i % 2) / 2;
    out.set(b.subarray(row * RANK, (row + 1) * RANK), to * RANK);
  }
  return out;
}

/** The bundled checkpoint, with W + alpha / rank x (B A) in the place of q of layer 1. */
function merged(): Uint8Array {
  const bytes = Deno.readFileSync(FABLE), weights = new Float32Array(bytes.buffer, 28);
  const [dim, , layers, , , vocab] = new Int32Array(bytes.buffer, 0, 7);
  const q = weights.subarray(vocab * dim + layers * dim + dim * dim);
  for (let i = 0; i < dim * dim; i++) {
    const row = Math.floor(i / dim), column = i % dim;
    const product = B[row * RANK] * A[column] + B[row * RANK + 1] * A[dim + column];
    q[i] += ALPHA / RANK * product;
  }
  return bytes;
}

async function packed(...args: string[]): Promise<string> {
  const { code, out, err } = await lab(["pack", ...args, "--json"]);
  if (code !== 0) throw new Error(err);
  return JSON.parse(out.trim().split("\n").at(-1)!).artifact_id;
}

async function logitsOf(composition: string, store: string): Promise<Float32Array> {
  const out = join(store, "logits");
  const { code, err } = await lab([
    ...["logits", composition, "--store", store, "--tokens", "1,340,450,334"],
    ...["--positions", "3", "--out", out],
  ]);
  assertEquals([code, err], [0, ""]);
  return readFloats(join(out, "pos-3.f32"));
}

Deno.test("a LoRA adapter: packed, composed and run, it is the merged weights", () =>
  inFolder(async (store) => {
    const { base, tokenizer, composition } = await packFable(store);
    const file = (name: string, bytes: Uint8Array) => {
      Deno.writeFileSync(join(store, name), bytes);
      return join(store, name);
    };
    const a = { shape: [RANK, DIM], values: A }, b = { shape: [DIM, RANK], values: B };
    const good = file("good", safetensors({ [`${LORA}A.weight`]: a, [`${LORA}B.weight`]: b }));
    const [, , , heads] = new Int32Array(Deno.readFileSync(FABLE).buffer, 0, 7);
    const turned = { shape: [DIM, RANK], values: halfSplit(B, DIM / heads) };
    const hugging = file(
      "hugging",
      safetensors({ [`${LORA}A.weight`]: a, [`${LORA}B.weight`]: turned }),
    );
    const half = file("half", safetensors({ [`${LORA}A.weight`]: a }));
    const other = file("other", safetensors({ "lm_head.lora_A.weight": a }));
    const onto = ["--base", base.id, "--out", store];

    const adapter = await packed("lora", good, ...onto, "--alpha", "3", "--rank", "2");
    const same = await packed("lora", hugging, ...onto, "--alpha", "3", "--half-split");
    assertEquals(same, adapter, "the same adapter, had with its rows in another order");
    const root = await packed(
      ...["composition", ...onto, "--tokenizer", tokenizer.id, "--adapter", adapter],
    );
    const model = file("merged.bin", merged());
    const [got, want, before] = [
      await logitsOf(root, store),
      await logitsOf(
        await packed("llama2c", model, "--tokenizer", FABLE_TOKENIZER, "--out", store),
        store,
      ),
      await logitsOf(composition.id, store),
    ];
    const apart = (x: Float32Array) => Math.max(...x.map((value, i) => Math.abs(value - want[i])));
    assert(apart(got) < 1e-4, `${apart(got)}`);
    assert(apart(before) > 0.1, "the adapter changes something");

    const [rank, missing, foreignName, noBase] = await Promise.all([
      lab(["pack", "lora", good, ...onto, "--rank", "3"]),
      lab(["pack", "lora", half, ...onto]),
      lab(["pack", "lora", other, ...onto]),
      lab(["pack", "lora", good, "--base", tokenizer.id, "--out", store]),
    ]);
    assertEquals([rank, missing, foreignName, noBase].map(({ code }) => code), [1, 1, 1, 2]);
    assertStringIncludes(rank.err, `${LORA}A.weight at byte`);
    assertStringIncludes(rank.err, "expected [3, 96] (BadDimension); nothing was written");
    assertStringIncludes(missing.err, "expected both lora_A and lora_B");
    assertStringIncludes(foreignName.err, "expected layers.N.MODULE.lora_A");
    assertStringIncludes(noBase.err, "is of class tokenizer: immutable_base is expected");
  }));

Deno.test("any operations: written down, packed and run; order matters, and mistakes are named", () =>
  inFolder(async (store) => {
    const { base, tokenizer, composition } = await packFable(store);
    const onto = ["--base", base.id, "--out", store];
    const spec = (operations: unknown) => {
      const path = join(store, "operations.json");
      Deno.writeTextFileSync(path, JSON.stringify(operations));
      return path;
    };
    const after = async (...operations: unknown[]) => {
      const adapter = await packed("adapter", spec(operations), ...onto);
      const root = ["composition", ...onto, "--tokenizer", tokenizer.id, "--adapter", adapter];
      return await logitsOf(await packed(...root), store);
    };
    const target = "attention-q.0", vector = (x: number) => new Array(DIM).fill(x);
    const sparse = {
      op: "sparse-delta/1",
      target,
      scale: 0.5,
      tensors: { index: [0, 97], value: [1, -2] },
    };
    const scaled = (x: number) => {
      return { op: "multiplicative-vector/1", target, axis: 0, tensors: { v: vector(x) } };
    };
    const delta = new Array(DIM * DIM).fill(0);
    [delta[0], delta[97]] = [0.5, -1];
    const plain = await logitsOf(composition.id, store);
    const added = await after(sparse);
    assert(added.some((x, i) => x !== plain[i]));
    assertEquals(await after({ op: "additive-delta/1", target, tensors: { delta } }), added);
    const first = await after(sparse, scaled(3)), last = await after(scaled(3), sparse);
    assert(first.some((x, i) => x !== last[i]), "the order of operations");

    const refused = async (...operations: unknown[]) => {
      const { code, err } = await lab(["pack", "adapter", spec(operations), ...onto]);
      assertEquals(code, 2);
      return err;
    };
    assertStringIncludes(
      await refused({ op: "nosuch/1" }),
      "operation 0: an op of lora/1, additive",
    );
    assertStringIncludes(
      await refused({ ...sparse, target: "x" }),
      "the name of a tensor of the base",
    );
    const short = { op: "additive-delta/1", target, tensors: { delta: [1] } };
    assertStringIncludes(await refused(sparse, short), "operation 1: delta: [96, 96] values");
    const falling = { ...sparse, tensors: { index: [97, 0], value: [1, 2] } };
    assertStringIncludes(await refused(falling), "whole numbers that rise, from 0 to 9215");
    assertStringIncludes(await refused({ ...sparse, Scale: 2 }), "in place of Scale");
    assertStringIncludes(await refused({ ...sparse, axis: 2 }), "an axis from 0 to 1");
  }));

Deno.test("a chat template: packed, composed and run on messages with declared roles", () =>
  inFolder(async (store) => {
    const { base, tokenizer, composition } = await packFable(store);
    const chat = await packed(
      ...["chat", "zephyr", "--tokenizer", tokenizer.id, "--token", "eos=2", "--out", store],
    );
    const root = await packed(
      ...["composition", "--base", base.id, "--tokenizer", tokenizer.id, "--chat", chat],
      ...["--out", store, "--stop", "1"],
    );
    const beyond = await Promise.all([
      lab([
        "pack",
        "chat",
        "zephyr",
        ...["--tokenizer", tokenizer.id, "--out", store],
        "--token",
        "eos=512",
      ]),
      ...[["--stop", "1,512"], ["--positions", "257"]].map((more) =>
        lab([
          "pack",
          "composition",
          "--base",
          base.id,
          "--tokenizer",
          tokenizer.id,
          "--out",
          store,
          ...more,
        ])
      ),
    ]);
    assertEquals(beyond.map(({ code, err }) => [code, err]), [
      [2, "lab: --token eos=512: an id from 0 to 511 is expected, as the tokenizer has them\n"],
      [2, "lab: --stop 512: ids from 0 to 511 are expected, as the model has\n"],
      [2, "lab: --positions 257: at most 256 is expected, as the model has\n"],
    ]);
    const messages = (value: unknown) => {
      const path = join(store, "messages.json");
      Deno.writeTextFileSync(path, JSON.stringify(value));
      return path;
    };
    const run = (id: string, path: string) =>
      lab(["run", id, "--store", store, "--max-tokens", "3", "--messages", path, "--json"]);
    const said = await run(root, messages([{ role: "user", content: "Once" }]));
    assertEquals(said.code, 0);
    const { prompt } = JSON.parse(said.out);
    assertEquals(prompt.filter((id: number) => id === 2).length, 1, "one message is closed");
    const none = await run(composition.id, messages([{ role: "user", content: "Once" }]));
    assertEquals([none.code, none.out], [1, ""]);
    assertStringIncludes(none.err, "the composition has no chat template");
    const tool = await run(root, messages([{ role: "tool", content: "Once" }]));
    assertEquals([tool.code, tool.out], [1, ""]);
    assertStringIncludes(
      tool.err,
      "UndeclaredRole in message 0: the template has the roles user, system, assistant",
    );
    const wrong = await run(root, messages([{ role: "user", content: 1 }]));
    assertEquals(wrong.code, 2);
    assertStringIncludes(wrong.err, "message 0: a text is expected as its content");
  }));

Deno.test("a composition of files that no store has: they are copied in, and it runs", () =>
  inFolder(async (folder) => {
    const { base, tokenizer } = await packFable(join(folder, "from"));
    const store = join(folder, "to");
    const root = await packed(
      ...["composition", "--base", base.path, "--tokenizer", tokenizer.path, "--out", store],
    );
    const ran = await lab(["run", root, "--store", store, "--prompt", "Once", "--max-tokens", "1"]);
    assertEquals([ran.code, ran.err], [0, ""]);
    const cut = join(folder, "cut.slm");
    Deno.writeFileSync(cut, Deno.readFileSync(base.path).subarray(0, -1));
    const bad = await lab([
      ...["pack", "composition", "--base", cut, "--tokenizer", tokenizer.path, "--out", store],
    ]);
    assertEquals(bad.code, 1);
    assertStringIncludes(bad.err, "is rejected at stage 11");
    assertEquals([...Deno.readDirSync(store)].length, 3);
  }));
