/** The suite's own cases that need no data and no device: they hold. The rest is `lab compare`. */
import { assert, assertEquals } from "@std/assert";
import { loadBackend } from "../backends.ts";
import { loadReaders } from "../readers.ts";
import { allCases } from "./cases.ts";
import { isBreach, isOperations, isSkipped, runCases } from "./run.ts";

const CHOSEN =
  /^(source\/fable-p4|operations\/fable|backend\/.*q4-[01]\.b32\.pad|profile\/.*\.row|adapter)/;

Deno.test("sources, operations, profiles and adapters hold on cpu and wasm", async () => {
  const [reader] = await loadReaders("table");
  const backends = { cpu: await loadBackend("cpu"), wasm: await loadBackend("wasm") };
  const cases = allCases().filter(({ name, backend }) => backend !== "webgpu" && CHOSEN.test(name));
  assert(cases.length > 20);
  for await (const outcome of runCases(cases, reader, backends)) {
    const { name } = outcome.case;
    assert(!isSkipped(outcome) && !isBreach(outcome), name);
    // what the reference declares of itself is true
    if (isOperations(outcome) && outcome.case.backend === "cpu") {
      assertEquals(outcome.same, outcome.steps.length, name);
    }
  }
});
