/** A fault planted into each backend is named by its first operation, and both tensors are kept. */
import { assert, assertEquals } from "@std/assert";
import { join } from "node:path";
import type { AnyBackend } from "../../kernels/backend.ts";
import { isRefusal } from "../../kernels/backend.ts";
import { openWasm } from "../../kernels/wasm/backend.ts";
import { BINARY } from "../../kernels/wasm/module.ts";
import { openWebGpu } from "../../kernels/webgpu/backend.ts";
import type { BackendChoice } from "../../readers/runtime/mod.ts";
import { loadBackend } from "../backends.ts";
import { loadReaders } from "../readers.ts";
import { inFolder } from "../testing.ts";
import type { LogitCase } from "./case.ts";
import { allCases } from "./cases.ts";
import { Evidence } from "./evidence.ts";
import { asJson } from "./json.ts";
import { runCases } from "./run.ts";

const [reader] = await loadReaders("table");
const gpu = await (await loadBackend("webgpu")).open();
const absent = isRefusal(gpu) ? gpu.why : null;
if (!isRefusal(gpu)) gpu.close();

interface Breach {
  readonly verdict: string;
  readonly layers: { at: string; absolute: number }[];
  readonly culprits: { backend: string; at: string; got: string; want: string }[];
}

/** A case of the suite at its first two positions, on backends of which some are spoilt. */
async function judged(
  name: string,
  backends: Readonly<Record<string, BackendChoice>>,
  folder: string,
): Promise<Breach> {
  const found = allCases().find((one) => one.name === name) as LogitCase;
  const positions = found.positions.slice(0, 2), end = positions[1] + 1;
  const files = "files" in found.reference ? { files: found.reference.files.slice(0, 2) } : null;
  const short = {
    ...found,
    positions,
    tokens: found.tokens.slice(0, end),
    reference: files ?? found.reference,
  };
  for await (const outcome of runCases([short], reader, backends)) {
    return await asJson(outcome, new Evidence(folder)) as Breach;
  }
  throw new Error("no outcome");
}

/** The backend itself, which takes over one weight wrongly: the largest byte of each row is lost. */
function misloading({ name, open }: BackendChoice, rows: number, columns: number): BackendChoice {
  return {
    name,
    async open() {
      const backend = await open();
      if (isRefusal(backend)) return backend;
      let spoilt = false;
      const load: AnyBackend["load"] = (spec, fill, scales) => {
        const chosen = !spoilt && spec.rows === rows && spec.columns === columns;
        spoilt ||= chosen;
        if (!chosen) return backend.load(spec, fill, scales);
        return backend.load(spec, (into, offset) => {
          fill(into, offset);
          for (let i = 0; i < into.length; i++) if ((offset + i) % 64 < 4) into[i] = 0;
        }, scales);
      };
      return { ...backend, load };
    },
  };
}

/** ffn-down of the bundled model. */
const DOWN = [96, 200] as const;

for (const backend of ["cpu", "wasm", "webgpu"]) {
  for (const [name, model] of [["source/fable-p1", "f32"], ["profile/q8-0.b32.row", "q8"]]) {
    Deno.test({
      name: `planted: a weight that ${backend} takes over wrongly, ${model}` +
        (backend === "webgpu" && absent ? ` [skipped: ${absent}]` : ""),
      ignore: backend === "webgpu" && absent !== null,
      fn: () =>
        inFolder(async (folder) => {
          const cpu = await loadBackend("cpu"), good = await loadBackend(backend);
          const backends = { cpu, [backend]: misloading(good, ...DOWN) };
          const { verdict, culprits, layers } = await judged(
            `${name}/${backend}`,
            backends,
            folder,
          );
          assertEquals(verdict, "breach");
          assertEquals([culprits[0].backend, culprits[0].at], [backend, "ffn-down of layer 0"]);
          assert(layers.length === 6 && layers[1].absolute > 0);
          for (const hash of [culprits[0].got, culprits[0].want]) {
            const bytes = Deno.readFileSync(join(folder, `${hash}.f32`));
            assertEquals(bytes.length, 4 * DOWN[0]);
            assertEquals(
              new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex(),
              hash,
            );
          }
          assert(culprits[0].got !== culprits[0].want);
        }),
    });
  }
}

Deno.test({
  name: `planted: a kernel of webgpu with a wrong sign${absent ? ` [skipped: ${absent}]` : ""}`,
  ignore: absent !== null,
  fn: () =>
    inFolder(async (folder) => {
      const webgpu: BackendChoice = {
        name: "webgpu",
        async open() {
          const backend = await openWebGpu();
          if (isRefusal(backend)) return backend;
          const { gpu } = backend, pipeline = gpu.pipeline.bind(gpu);
          gpu.pipeline = (code) => pipeline(code.replace("a * c - b * s", "a * c + b * s"));
          return backend;
        },
      };
      const backends = { cpu: await loadBackend("cpu"), webgpu };
      const { verdict, culprits } = await judged("backend/fable/webgpu", backends, folder);
      assertEquals(verdict, "breach");
      assertEquals(culprits.map(({ backend, at }) => `${backend}: ${at}`), [
        "webgpu: rope of q of layer 0",
      ]);
    }),
});

/** `f32x4.div` and `f32x4.mul` of the Wasm specification, behind the prefix of vector instructions. */
const DIVIDE = [0xfd, 0xe7, 0x01], MULTIPLY = 0xe6;

Deno.test("planted: a kernel of wasm that multiplies where it should divide", () =>
  inFolder(async (folder) => {
    const binary = BINARY.slice();
    const at = binary.findIndex((_, i) => DIVIDE.every((byte, j) => binary[i + j] === byte));
    binary[at + 1] = MULTIPLY;
    const module = new WebAssembly.Module(binary);
    const wasm: BackendChoice = { name: "wasm", open: () => openWasm(0, module) };
    const backends = { cpu: await loadBackend("cpu"), wasm };
    const { verdict, culprits } = await judged("backend/fable/wasm", backends, folder);
    assertEquals(verdict, "breach");
    assertEquals(culprits.map(({ backend, at }) => `${backend}: ${at}`), [
      "wasm: attention-norm of layer 0",
    ]);
  }));
