/** The suite can say no: wrong backends are planted, and each is found under its own name. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { Ops } from "../../kernels/backend.ts";
import { openCpu } from "../../kernels/cpu/backend.ts";
import type { BackendChoice } from "../../readers/runtime/mod.ts";
import { loadReaders } from "../readers.ts";
import { type Case, isLogits } from "./case.ts";
import { allCases } from "./cases.ts";
import { isBreach, isOperations, isRejected, isSkipped, type Outcome, runCases } from "./run.ts";
import { after, planted } from "./testing.ts";

const CPU: BackendChoice = { name: "cpu", open: openCpu };
const [reader] = await loadReaders("cursor");

/** One case of the suite at a position or two, with a backend under the name `wasm`. */
async function outcome(name: string, wasm: BackendChoice): Promise<Outcome> {
  const found = allCases().find((one) => one.name === name)!;
  const short: Case = isLogits(found) && "backend" in found.reference
    ? { ...found, positions: [0, 5], tokens: found.tokens.slice(0, 6) }
    : found;
  for await (const one of runCases([short], reader, { cpu: CPU, wasm })) return one;
  throw new Error("no outcome");
}

async function culprits(name: string, wasm: BackendChoice) {
  const one = await outcome(name, wasm);
  assert(!isSkipped(one) && !isRejected(one) && isBreach(one), "the plant was not found");
  return one.culprits.map(({ backend, at }) => `${backend}: ${at}`);
}

/** Faults of one operation, and the first place at which each shows. */
const wrong: Record<string, { spoil: (ops: Ops) => Partial<Ops>; first: string }> = {
  "rope of the other style": {
    spoil: (ops) => ({
      rope: (x, position, shape) => ops.rope(x, position, { ...shape, ropeStyle: 1 }),
    }),
    first: "wasm: rope of q of layer 0",
  },
  "silu without its sign": {
    spoil: (ops) => ({ swiglu: (gate, up) => ops.swiglu(gate.map(Math.abs), up) }),
    first: "wasm: swiglu of layer 0",
  },
  "a product that drops its last column": {
    spoil: (ops) => ({
      matvec: (weight, x) => {
        if (x.length !== 200) return ops.matvec(weight, x);
        const cut = x.slice();
        cut[199] = 0;
        return ops.matvec(weight, cut);
      },
    }),
    first: "wasm: ffn-down of layer 0",
  },
  "a NaN, once there are three positions": {
    spoil: (ops) => ({
      attention: (q, keys, values, how) =>
        after(ops.attention(q, keys, values, how), (out) => {
          if (how.positions > 2) out[95] = NaN;
        }),
    }),
    first: "wasm: attention of layer 0",
  },
};

for (const [what, { spoil, first }] of Object.entries(wrong)) {
  Deno.test(`planted: ${what}`, async () => {
    for (const name of ["backend/fable/wasm", "operations/fable/wasm"]) {
      assertEquals((await culprits(name, planted("wasm", spoil)))[0], first, name);
    }
  });
}

Deno.test("planted: right operations, put together wrongly, is the pass's fault", async () => {
  const choice = planted("wasm", () => ({}));
  const broken: BackendChoice = {
    name: "wasm",
    open: () => {
      const backend = choice.open() as ReturnType<typeof openCpu>;
      return {
        ...backend,
        session(model, kv) {
          // layer 2's residual loses its attention where the layers are swapped
          const layers = [...model.layers];
          [layers[2], layers[3]] = [layers[3], layers[2]];
          return backend.session({ ...model, layers }, kv);
        },
      };
    },
  };
  assertEquals(await culprits("backend/fable/wasm", broken), ["wasm: the pass: layer 2"]);
});

Deno.test("unspoilt, the same pass holds: what is found was planted", async () => {
  const choice = planted("wasm", () => ({}));
  for (const name of ["backend/fable/wasm", "operations/fable/wasm"]) {
    const one = await outcome(name, choice);
    assert(!isSkipped(one) && !isRejected(one) && !isBreach(one), name);
    if (isOperations(one)) assertEquals(one.same, one.steps.length);
  }
});

Deno.test("planted: a backend on which nothing activates is a breach, not a crash", async () => {
  const one = await outcome(
    "backend/fable/wasm",
    planted("wasm", (ops) => ({ add: (a, b) => after(ops.add(a, b), (out) => out[0] = NaN) })),
  );
  assert(isRejected(one) && isBreach(one));
  assertStringIncludes(one.rejected, "SmokeCheckFailed");
});

Deno.test("a backend with wrong bits, or none, is never believed: skipped with the reason", async () => {
  const inexact = planted("wasm", (ops) => ({
    matvec: (weight, x) => after(ops.matvec(weight, x), (out) => out[0] += 2 ** -20),
  }));
  const doubted = await outcome("backend/fable/wasm", inexact);
  assert(isSkipped(doubted));
  assertMatch(doubted.skipped, /the bits c10bffff .*, not c10c0000/);
  const absent: BackendChoice = {
    name: "wasm",
    open: () => ({ refused: "RuntimeCapability", why: "no adapter" }),
  };
  const skipped = await outcome("resumed/wasm", absent);
  assert(isSkipped(skipped));
  assertStringIncludes(skipped.skipped, "no adapter");
});

Deno.test("every case has a name of its own, and every bound a derivation", () => {
  const cases = allCases(), names = new Set(cases.map(({ name }) => name));
  assertEquals(names.size, cases.length);
  for (const one of cases) if (isLogits(one)) assert(one.envelope.derivation.length > 20, one.name);
});
