/** `run --stats`: the peak that was predicted is the peak that is measured, so no weight is held twice. */
import { assert, assertEquals } from "@std/assert";
import { join } from "node:path";
import { checkpoint } from "../corpus/importers/llama2c_testing.ts";
import { packLlama2c } from "../corpus/importers/pack_llama2c.ts";
import { isRefusal } from "../kernels/backend.ts";
import { loadBackend } from "./backends.ts";
import type { ResourceLine } from "./stats.ts";
import { RSS_WATCHED } from "./testee/rss.ts";
import { FABLE, FABLE_TOKENIZER, inFolder, lab } from "./testing.ts";

/** How far a measured peak may lie from the predicted one. */
const WITHIN = 0.15;

/** 47 MiB: as large again beside 110 MiB of engine would be seen. */
const LARGE = { dim: 512, hidden: 1376, layers: 4, heads: 8, kv_heads: 4, vocab: 512, max_seq: 64 };

async function lines(store: string, id: string, backend: string): Promise<ResourceLine[]> {
  const { code, out, err } = await lab([
    ...["run", id, "--store", store, "--prompt", "Once upon", "--max-tokens", "4"],
    ...["--ignore-stops", "--backend", backend, "--stats", "--json"],
  ]);
  assertEquals([code, err], [0, ""]);
  return JSON.parse(out).resources;
}

function found(lines: readonly ResourceLine[], begins: string): ResourceLine {
  return lines.find(({ name }) => name.startsWith(begins))!;
}

function assertPredicted({ name, predicted, measured }: ResourceLine): void {
  const off = measured! / predicted! - 1;
  assert(Math.abs(off) <= WITHIN, `${name}: ${measured} for ${predicted}`);
}

function packed(store: string, model: string): string {
  const result = packLlama2c({ model, tokenizer: FABLE_TOKENIZER, out: store });
  if ("code" in result) throw new Error(result.expected);
  return result.composition.identities.artifact_id;
}

Deno.test({
  name: "the peak is as predicted on cpu and wasm, of a small model and of a large one",
  ignore: !RSS_WATCHED,
  fn: () =>
    inFolder(async (store) => {
      const model = join(store, "large.bin");
      Deno.writeFileSync(model, small(checkpoint(LARGE)));
      const large = packed(store, model);
      for (const id of [packed(store, FABLE), large]) {
        for (const backend of ["cpu", "wasm"]) {
          const report = await lines(store, id, backend), peak = found(report, "process, peak");
          assertPredicted(peak);
          const weights = found(report, "weights on the host");
          assertEquals(weights.measured, weights.predicted);
          if (id !== large) continue;
          assert(weights.predicted! > 1.5 * WITHIN * peak.predicted!, "twice would be seen");
        }
      }
    }),
});

/** A checkpoint's weights, small enough to stay finite through all layers. */
function small(bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  for (let at = 28; at < bytes.length; at += 4) view.setFloat32(at, (at % 64 - 32) / 512, true);
  return bytes;
}

const webgpu = await (await loadBackend("webgpu")).open();
const absent = isRefusal(webgpu) ? webgpu.why : null;
if (!isRefusal(webgpu)) webgpu.close();

Deno.test({
  name: `webgpu: bytes on the device are as predicted${absent ? ` [skipped: ${absent}]` : ""}`,
  ignore: absent !== null,
  fn: () =>
    inFolder(async (store) => {
      const report = await lines(store, packed(store, FABLE), "webgpu");
      for (const name of ["device, steady", "device, peak", "process, peak"]) {
        assertPredicted(found(report, name));
      }
    }),
});
