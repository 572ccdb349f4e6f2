import { assertEquals } from "@std/assert";
import { llama } from "../../corpus/writer/build/model.ts";
import type { Candidate, QuantProfile } from "../contract.ts";
import { unsupportedProfile } from "./capability.ts";
import { candidateOf, TINY, tinyTensors, written } from "./testing.ts";

const parameters = { ...TINY, dim: 32, head_dim: 8, heads: 4, hidden_dim: 64 };
const base = candidateOf(written(llama(parameters, tinyTensors(parameters, "q8-0.b32.row"))));

function withProfile(change: Partial<QuantProfile>): Candidate {
  return { ...base, profiles: [{ ...base.profiles[0], ...change }] };
}

const code = (candidate: Candidate, kernels?: Parameters<typeof unsupportedProfile>[2]) => {
  const reject = unsupportedProfile(candidate, "cpu", kernels);
  return reject && `${reject.stage} ${reject.code} [${reject.section}]`;
};

const UNSUPPORTED = "25 UnsupportedQuantProfile [quant]";

Deno.test("capability: a registered profile with a kernel on this backend is supported", () => {
  assertEquals(code(base), null);
  assertEquals(code({ ...base, profiles: [] }), null);
});

Deno.test("capability: no kernel on this backend is no support, whatever others have", () => {
  assertEquals(code(base, { "q8-0.b32": ["wasm"] }), UNSUPPORTED);
  assertEquals(code(base, {}), UNSUPPORTED);
});

Deno.test("capability: id, name and every byte of the record must be the registry's", () => {
  assertEquals(code(withProfile({ profile_id: "ab".repeat(32) })), UNSUPPORTED);
  assertEquals(code(withProfile({ name: "q8-0.b32.pad" })), UNSUPPORTED);
  for (let at = 36; at < 128; at++) {
    const record = base.profiles[0].record.slice();
    record[at] ^= 1;
    assertEquals(code(withProfile({ record })), UNSUPPORTED, `byte ${at}`);
  }
});
