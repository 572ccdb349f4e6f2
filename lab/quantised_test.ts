/** Quantised imports, through writer, reader and runtime, against values of other programs. */
import { assert, assertEquals } from "@std/assert";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isImportError } from "../corpus/importers/import.ts";
import { packLlama2c } from "../corpus/importers/pack_llama2c.ts";
import { quantiseTo } from "../corpus/importers/quantise.ts";
import { isWriteError } from "../corpus/writer/fault.ts";
import { isReject, logits } from "../readers/runtime/mod.ts";
import { activateNamed } from "./activation.ts";
import { dataTest } from "./data.ts";

/** Largest distance from a pass in doubles; f32 alone lies 2e-5 away (README of the data). */
const BOUND = 1e-4;

/** Packs a model into a temporary store, and gives the store and the composition's id. */
async function packed(
  model: string,
  tokenizer: string,
  store: ReturnType<typeof quantiseTo>,
  use: (store: string, composition: string) => Promise<void>,
): Promise<void> {
  const out = Deno.makeTempDirSync();
  try {
    const written = packLlama2c({ model, tokenizer, out, store: store! });
    if (isImportError(written) || isWriteError(written)) throw new Error(written.expected);
    await use(out, written.composition.identities.artifact_id);
  } finally {
    Deno.removeSync(out, { recursive: true });
  }
}

for (const [file, profile] of [["q8_0", "q8-0.b32.row"], ["q4_0", "q4-0.b32.row"]]) {
  dataTest(`stories260K packed under ${profile} gives the reference's logits`, async (data) => {
    const at = (name: string) => fileURLToPath(new URL(`models/${name}`, data));
    // rows of 172 were left in f32 there
    const store = quantiseTo(profile, ["ffn-down"]);
    await packed(at("stories260K.bin"), at("tok512.bin"), store, async (store, composition) => {
      const named = { composition, store, reader: "cursor" };
      const context = await activateNamed({ ...named, backend: "cpu" });
      assert(context !== null);
      const ids = JSON.parse(Deno.readTextFileSync(at("ref/p1.json"))).sequence_ids;
      const found = await logits(context, ids, [7, 31, 100]);
      assert(!isReject(found));
      for (const { position, logits } of found) {
        const name = `ref/p1.${file}.logits.${String(position).padStart(3, "0")}.f32`;
        const want = new Float32Array(Deno.readFileSync(at(name)).buffer);
        assertEquals(logits.length, want.length);
        for (let i = 0; i < want.length; i++) {
          assert(Math.abs(logits[i] - want[i]) <= BOUND, `${position}: ${logits[i]}, ${want[i]}`);
        }
      }
      context.release();
    });
  });
}

Deno.test("the bundled model packs under q8-row, its scales beside it, and runs", async () => {
  const at = (name: string) =>
    join(fileURLToPath(new URL("../corpus/models/fable", import.meta.url)), name);
  await packed(
    at("fable.bin"),
    at("fable-tok.bin"),
    quantiseTo("q8-row.exact"),
    async (store, composition) => {
      for (const backend of ["cpu", "wasm"]) {
        for (const reader of ["cursor", "table"]) {
          const context = await activateNamed({ composition, store, reader, backend });
          assert(context !== null);
          context.release();
        }
      }
    },
  );
});
