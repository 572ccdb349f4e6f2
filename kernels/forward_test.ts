/** Whole forward passes of each backend against values computed by other programs. */
import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { dataTest } from "../lab/data.ts";
import { type Backend, type Format, isRefusal, type KvShape, type Session } from "./backend.ts";
import { type Checkpoint, type Holding, readCheckpoint } from "./checkpoint.ts";
import { openCpu } from "./cpu/backend.ts";
import { BOUNDS } from "./envelope.ts";
import { LAYOUTS } from "./quant/format.ts";
import { openWasm } from "./wasm/backend.ts";

const FABLE = new URL("../corpus/models/fable/", import.meta.url);

/** Backends of this machine; each entry is opened anew by each test. */
const BACKENDS: Record<string, () => Backend> = {
  cpu: openCpu,
  wasm: () => openWasm() as Backend,
};

function floats(url: URL): Float32Array {
  return new Float32Array(Deno.readFileSync(url).buffer);
}

function session(
  backend: Backend,
  { checkpoint, element = "f32", ...holding }: Holding & {
    checkpoint: Checkpoint;
    element?: KvShape["element"];
  },
): Session {
  const model = checkpoint.load(backend, holding);
  const opened = backend.session(model, { element, positions: checkpoint.positions });
  if (isRefusal(opened)) throw new Error(opened.why);
  return opened;
}

function assertNear(got: Float32Array, want: Float32Array, bound: number, what: string): void {
  assertEquals(got.length, want.length, what);
  for (let i = 0; i < got.length; i++) {
    // a NaN must not pass
    assert(Math.abs(got[i] - want[i]) <= bound, `${what}[${i}]: ${got[i]}, not ${want[i]}`);
  }
}

interface FablePrompt {
  name: string;
  prompt_ids: number[];
  sequence_ids: number[];
  logits: { position: number; file: string }[];
  activations?: { position: number; file: string };
}

function fable(): { checkpoint: Checkpoint; prompts: FablePrompt[] } {
  return {
    checkpoint: readCheckpoint(Deno.readFileSync(new URL("fable.bin", FABLE))),
    prompts: JSON.parse(Deno.readTextFileSync(new URL("expected.json", FABLE))).prompts,
  };
}

for (const [name, open] of Object.entries(BACKENDS)) {
  Deno.test(`${name}: fable's logits, activations and greedy ids`, async () => {
    const { checkpoint, prompts } = fable(), s = session(open(), { checkpoint });
    for (const { sequence_ids: ids, prompt_ids, logits, activations } of prompts) {
      for (let position = 0; position < ids.length; position++) {
        const traced = await s.trace(ids[position], position);
        const stored = logits.find((l) => l.position === position)?.file;
        if (stored) assertNear(traced.logits, floats(new URL(stored, FABLE)), 1e-4, stored);
        if (activations?.position === position) {
          const want = floats(new URL(activations.file, FABLE));
          assertNear(traced.activations, want, 1e-4, activations.file);
        }
      }
      // the same from the prompt alone, chosen on the device
      const rest = prompt_ids.slice(0, -1), count = ids.length - prompt_ids.length;
      if (rest.length > 0) await s.forward(rest, 0);
      const chosen = await s.greedy(prompt_ids.at(-1)!, rest.length, count);
      assertEquals(chosen, { tokens: ids.slice(prompt_ids.length), nan: false });
    }
  });

  dataTest(`${name}: stories260K against llama2.c and a pass in doubles`, async (data) => {
    const at = (file: string) => new URL(`models/${file}`, data);
    const checkpoint = readCheckpoint(Deno.readFileSync(at("stories260K.bin")));
    const s = session(open(), { checkpoint });
    for (const prompt of ["p1", "p2", "p3"]) {
      const ids = JSON.parse(Deno.readTextFileSync(at(`ref/${prompt}.json`))).sequence_ids;
      for (let position = 0; position <= 100; position++) {
        const { logits, activations } = await s.trace(ids[position], position);
        const stem = String(position).padStart(3, "0");
        if ([0, 1, 7, 31, 100].includes(position)) {
          assertNear(logits, floats(at(`ref/${prompt}.logits.${stem}.f32`)), 1e-4, prompt);
        }
        if (prompt === "p1" && position === 7) {
          assertNear(activations, floats(at("ref/p1.acts.007.f32")), 1e-4, "acts");
        }
      }
    }
  });

  for (const [file, format] of [["q8_0", "q8-0.b32"], ["q4_0", "q4-0.b32"]] as const) {
    dataTest(`${name}: stories260K in ${format} against a pass in doubles`, async (data) => {
      const at = (file: string) => new URL(`models/${file}`, data);
      const checkpoint = readCheckpoint(Deno.readFileSync(at("stories260K.bin")));
      // rows of 172, which fill no whole block, were left in f32 there
      const choose = (columns: number) => columns === 64 ? format : "f32";
      const s = session(open(), { checkpoint, choose });
      const ids = JSON.parse(Deno.readTextFileSync(at("ref/p1.json"))).sequence_ids;
      for (let position = 0; position <= 100; position++) {
        const logits = await s.forward([ids[position]], position);
        if (![7, 31, 100].includes(position)) continue;
        const want = `ref/p1.${file}.logits.${String(position).padStart(3, "0")}.f32`;
        assertNear(logits, floats(at(want)), 1e-4, want);
      }
    });
  }

  for (const element of ["f32", "f16", "bf16"] as const) {
    Deno.test(`${name}: a ${element} cache, taken out and put back, answers the same`, async () => {
      const { checkpoint, prompts } = fable(), ids = prompts[0].sequence_ids.slice(0, 40);
      const backend = open(), first = session(backend, { checkpoint, element });
      const again = session(backend, { checkpoint, element });
      await first.forward(ids, 0);
      for (let layer = 0; layer < checkpoint.shape.layers; layer++) {
        const cached = await first.readKv(layer, ids.length);
        const bytes = checkpoint.shape.kvHeads * ids.length * checkpoint.shape.headDim;
        assertEquals(cached.keys.length, bytes * (element === "f32" ? 4 : 2));
        await again.writeKv(layer, ids.length, cached);
        assertEquals(await again.readKv(layer, ids.length), cached);
      }
      const next = prompts[0].sequence_ids.slice(40, 42);
      const want = await first.forward(next, 40);
      assertEquals(await again.forward(next, 40), want);
      // rounding the cache must matter, and must not matter much
      const exact = await session(backend, { checkpoint }).forward([...ids, ...next], 0);
      const bound = { f32: 0, f16: 0.05, bf16: 0.5 }[element];
      assertNear(want, exact, bound, element);
      if (element !== "f32") assertNotEquals(want, exact);
    });
  }

  Deno.test(`${name}: half-split rotation of reordered rows gives the same logits`, async () => {
    const { checkpoint, prompts } = fable(), ids = prompts[1].sequence_ids.slice(0, 30);
    const [pairs, split] = await Promise.all(
      ([0, 1] as const).map((ropeStyle) =>
        session(open(), { checkpoint, ropeStyle }).forward(ids, 0)
      ),
    );
    assertNear(split, pairs, 1e-4, "half split");
  });

  Deno.test(`${name}: tokens and positions that do not exist are bugs`, () => {
    const { checkpoint } = fable(), s = session(open(), { checkpoint });
    assertThrows(() => s.forward([512], 0), RangeError, "token 512");
    assertThrows(() => s.forward([-1], 0), RangeError, "token -1");
    assertThrows(() => s.forward([1], 256), RangeError, "position 256");
    assertThrows(() => s.forward([1, 2], 255), RangeError, "position 256");
    assertThrows(() => s.trace(1, -1), RangeError, "position -1");
    assertThrows(() => s.forward([], 0), RangeError, "no token");
  });
}

for (const format of Object.keys(LAYOUTS) as Format[]) {
  // rows of 96 and 200: blocks of 32 are filled in some, and under `pad` straddled in others
  for (const tail of LAYOUTS[format].quantised ? ["row", "pad"] as const : ["row"] as const) {
    Deno.test(`wasm keeps to its envelope of cpu: fable in ${format}, ${tail}`, async () => {
      const { checkpoint, prompts } = fable(), ids = prompts[0].sequence_ids.slice(0, 24);
      const held = { checkpoint, choose: () => format, tail };
      const reference = session(openCpu(), held), backend = openWasm() as Backend;
      const fast = session(backend, held);
      for (const [position, id] of ids.entries()) {
        const want = await reference.forward([id], position);
        const bound = BOUNDS.logits(want, checkpoint.shape.layers) * backend.envelopes.logits;
        assertNear(await fast.forward([id], position), want, bound, `position ${position}`);
      }
    });
  }
}
