import { assertEquals } from "@std/assert";
import type { Reading, ReadRequest } from "../contract.ts";
import { table } from "./reader.ts";
import { build, memory } from "./testing.ts";
import { SAMPLES } from "./testing_samples.ts";

function read(bytes: Uint8Array, request: Omit<ReadRequest, "source"> = {}): Reading {
  return table.read({ ...request, source: memory(bytes) });
}

for (const draft of SAMPLES) {
  Deno.test(`class ${draft.artifactClass} is accepted`, () => {
    const { verdict } = read(build(draft));
    assertEquals(verdict.verdict, "accept", JSON.stringify(verdict));
  });
}
