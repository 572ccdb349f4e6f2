/** The whole way with real models: pack, store, activate, and the reference values again. */
import { assert, assertEquals } from "@std/assert";
import type { StoreMatrix } from "../../corpus/importers/llama2c.ts";
import { packLlama2c } from "../../corpus/importers/pack_llama2c.ts";
import { dataTest } from "../../lab/data.ts";
import { encode } from "../../kernels/quant/codec.ts";
import type { Reader } from "../contract.ts";
import { cursor } from "../cursor/reader.ts";
import { fileSource } from "../source.ts";
import { table } from "../table/reader.ts";
import { activate, type BackendChoice } from "./activation.ts";
import { ActiveSlot, type Context } from "./context.ts";
import { generate } from "./generate.ts";
import { logits } from "./logits.ts";
import { isReject } from "./outcome.ts";
import { openStore } from "./store.ts";
import { BACKENDS } from "./testing.ts";

/** Both models' READMEs: a bound near 1e-4 on f32 logits is safe. */
const BOUND = 1e-4;

async function withModel(
  model: URL,
  tokenizer: URL,
  test: (context: Context) => Promise<void>,
  { store, reader = cursor, backend = BACKENDS[0] }: {
    store?: StoreMatrix;
    reader?: Reader;
    backend?: BackendChoice;
  } = {},
): Promise<void> {
  const folder = Deno.makeTempDirSync();
  try {
    const packed = packLlama2c({
      model: model.pathname,
      tokenizer: tokenizer.pathname,
      out: folder,
      store,
    });
    if ("code" in packed) throw new Error(packed.code);
    const composition = fileSource(
      `${folder}/${packed.composition.identities.artifact_id}.slm`,
    );
    const context = await activate({
      composition,
      store: openStore(folder),
      reader,
      backend,
      slot: new ActiveSlot(),
    });
    composition.close();
    if (isReject(context)) throw new Error(`${context.stage} ${context.code}`);
    await test(context);
    context.release();
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

const f32 = (url: URL) => new Float32Array(Deno.readFileSync(url).buffer);

function assertNear(actual: Float32Array, expected: Float32Array, what: string): void {
  assertEquals(actual.length, expected.length, what);
  const far = actual.findIndex((x, i) => !(Math.abs(x - expected[i]) <= BOUND));
  assert(far < 0, `${what}: ${actual[far]} at ${far}, expected ${expected[far]}`);
}

interface Prompt {
  readonly name: string;
  readonly prompt: string;
  readonly prompt_ids: number[];
  readonly sequence_ids: number[];
  /** of the whole sequence; id 1 is spelled `<s>` */
  readonly text: string;
}

async function reproduce(context: Context, one: Prompt): Promise<void> {
  const { prompt, prompt_ids, sequence_ids, text } = one;
  const generated = await generate(context, {
    prompt: { text: prompt },
    max_new_tokens: sequence_ids.length - prompt_ids.length,
    ignore_stops: true,
  });
  if (!("tokens" in generated)) throw new Error(JSON.stringify(generated));
  assertEquals(generated.prompt, prompt_ids);
  assertEquals([...generated.prompt, ...generated.tokens], sequence_ids);
  // The references drop the one space after `<s>`; here it is text like any other.
  assertEquals(prompt + generated.text, text.replaceAll("<s>", " "));
}

/** `p1.logits.008.f32`, `p2.acts.020.f32`: prompt, kind and position. */
const VALUES = /^(p\d)\.(logits|acts)\.(\d{3})\.f32$/;

async function compareValues(
  context: Context,
  folder: URL,
  prompts: readonly Prompt[],
): Promise<number> {
  let compared = 0;
  for (const { name } of Deno.readDirSync(folder)) {
    const [, prompt, kind, position] = VALUES.exec(name) ?? [];
    const one = prompts.find((p) => p.name === prompt);
    if (!one) continue;
    const [at] = await all(context, one, Number(position));
    assertNear(kind === "logits" ? at.logits : at.activations!, f32(new URL(name, folder)), name);
    compared++;
  }
  return compared;
}

async function all(context: Context, { sequence_ids }: Prompt, position: number) {
  const given = await logits(context, sequence_ids, [position], { activations: true });
  if (isReject(given)) throw new Error(given.code);
  return given;
}

const FABLE = new URL("../../corpus/models/fable/", import.meta.url);

for (const backend of BACKENDS) {
  Deno.test(`fable on ${backend.name}: all four prompts token for token, values within 1e-4`, async () => {
    const { prompts } = JSON.parse(Deno.readTextFileSync(new URL("expected.json", FABLE)));
    const files = ["fable.bin", "fable-tok.bin"].map((name) => new URL(name, FABLE));
    await withModel(files[0], files[1], async (context) => {
      assertEquals(prompts.length, 4);
      for (const prompt of prompts) await reproduce(context, prompt);
      assertEquals(await compareValues(context, FABLE, prompts), 21);

      // The third runs into the next story, where the composition's stop token stands.
      const { prompt, text } = prompts[2];
      const story = await generate(context, { prompt: { text: prompt } });
      assert("text" in story);
      assertEquals(story.stopped, "stop-token");
      assertEquals(prompt + story.text, text.split("<s>")[0]);
    }, { backend });
  });
}

Deno.test("fable: the other reader's candidate gives the same tokens", async () => {
  const { prompts } = JSON.parse(Deno.readTextFileSync(new URL("expected.json", FABLE)));
  const files = ["fable.bin", "fable-tok.bin"].map((name) => new URL(name, FABLE));
  await withModel(files[0], files[1], (context) => reproduce(context, prompts[0]), {
    reader: table,
  });
});

for (const backend of BACKENDS) {
  dataTest(`stories260K on ${backend.name}: token for token, values within 1e-4`, async (data) => {
    const ref = new URL("models/ref/", data);
    const prompts = ["p1", "p2", "p3"].map((name) => ({
      name,
      ...JSON.parse(Deno.readTextFileSync(new URL(`${name}.json`, ref))),
    })).map((one) => ({ ...one, text: one.full_text }));
    const files = ["stories260K.bin", "tok512.bin"].map((name) => new URL(`models/${name}`, data));
    await withModel(files[0], files[1], async (context) => {
      for (const prompt of prompts) await reproduce(context, prompt);
      assert(await compareValues(context, ref, prompts) > 10);
    }, { backend });
  });
}

/** As the references were made: matrices whose rows are whole blocks are quantised. */
const wholeBlocks = (format: "q8-0.b32" | "q4-0.b32"): StoreMatrix => ({ shape, values }) => {
  const [rows, columns] = shape;
  if (columns % 32 !== 0) return { type: "f32", payload: values };
  const bytes = new Uint8Array(values.size());
  values.read(0, bytes);
  const stored = encode({ format, tail: "row", rows, columns }, new Float32Array(bytes.buffer));
  if ("refused" in stored) throw new Error(stored.refused);
  return { type: `${format}.row`, payload: stored.bytes };
};

for (const [name, format] of [["q8_0", "q8-0.b32"], ["q4_0", "q4-0.b32"]] as const) {
  dataTest(
    `stories260K in ${format}: logits of the dequantised weights within 1e-4`,
    async (data) => {
      const ref = new URL("models/ref/", data);
      const { sequence_ids } = JSON.parse(Deno.readTextFileSync(new URL("p1.json", ref)));
      const files = ["stories260K.bin", "tok512.bin"].map((file) =>
        new URL(`models/${file}`, data)
      );
      await withModel(files[0], files[1], async (context) => {
        const given = await logits(context, sequence_ids, [7, 31, 100]);
        if (isReject(given)) throw new Error(given.code);
        for (const { position, logits } of given) {
          const file = `p1.${name}.logits.${String(position).padStart(3, "0")}.f32`;
          assertNear(logits, f32(new URL(file, ref)), file);
        }
      }, { store: wholeBlocks(format) });
    },
  );
}
