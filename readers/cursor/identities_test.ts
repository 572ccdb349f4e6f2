/** Identities (section 9): what they bind, and that nothing reads between the lines. */
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { composition } from "../../corpus/writer/build/composition.ts";
import { tensorPack } from "../../corpus/writer/build/model.ts";
import type { Description } from "../../corpus/writer/description.ts";
import { assemble } from "../../corpus/writer/write.ts";
import type { Identities } from "../contract.ts";
import { memorySource } from "../source.ts";
import { domain, SlmHash } from "./slm_hash.ts";
import { cursor } from "./reader.ts";
import { PACK } from "./testing.ts";

function identities(description: Description): Identities {
  const { verdict } = cursor.read({ source: memorySource(assemble(description).bytes) });
  assert(verdict.verdict === "accept");
  return verdict.identities;
}

Deno.test("identities: a byte moved from the role to the name shows everywhere", () => {
  const of = (role: string, name: string) =>
    identities(tensorPack([{ role, name, shape: [1], type: "u8", payload: new Uint8Array(1) }]));
  const [one, other] = [of("ab", "c"), of("a", "bc")];
  for (const key of ["tensor_layout", "artifact_id", "whole_file"] as const) {
    assertNotEquals(one[key], other[key], key);
  }
  assertNotEquals(one.tensors, other.tensors);
  assertEquals(one.semantic_manifest, other.semantic_manifest);
});

Deno.test("identities: an absent digest is not 32 zero bytes", () => {
  const reference = (artifact_class: number) => ({
    class: artifact_class,
    artifact_id: "00".repeat(32),
    whole_file: "01".repeat(32),
  });
  const parts = { base: reference(1), tokenizer: reference(4), kv: { max_positions: 1 } };
  const without = identities(composition(parts));
  const zero = identities(composition({ ...parts, chat_template: reference(5) }));
  assertNotEquals(without.artifact_id, zero.artifact_id);
});

Deno.test("identities: a noncritical extension changes the file, not what it is", () => {
  const payload = { text: "\u00e9" };
  const extensions = [{ id: "note", version: 1, critical: false, payload }];
  const [bare, dressed] = [identities(PACK), identities({ ...PACK, extensions })];
  for (const key of ["semantic_manifest", "tensor_layout", "artifact_id"] as const) {
    assertEquals(bare[key], dressed[key], key);
  }
  assertNotEquals(bare.manifest, dressed.manifest);
  assertNotEquals(bare.whole_file, dressed.whole_file);
});

Deno.test("identities: pieces are left out where they are not asked for", () => {
  const source = memorySource(assemble(PACK).bytes);
  const { verdict } = cursor.read({ source, pieces: false });
  assert(verdict.verdict === "accept");
  assertEquals("piece_count" in verdict.identities || "piece_root" in verdict.identities, false);
});

Deno.test("SLM_HASH: appended in any parts, it is the same", () => {
  const bytes = Uint8Array.from({ length: 5000 }, (_, i) => 7 * i);
  const head = domain("test", 2);
  const whole = new SlmHash().begin(head).u64(2n ** 64n - 1n).raw(bytes).end();
  const hash = new SlmHash();
  for (const step of [1, 7, 96, 97, 1000, 1024, 1025, 5000]) {
    hash.begin(head).u64(2n ** 64n - 1n).openRaw(bytes.length);
    for (let at = 0; at < bytes.length; at += step) {
      hash.append(bytes, at, Math.min(bytes.length, at + step));
    }
    assertEquals(hash.end(), whole, `${step}`);
  }
});
