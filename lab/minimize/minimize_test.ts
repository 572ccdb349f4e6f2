import { assert, assertEquals } from "@std/assert";
import { write } from "../../corpus/writer/write.ts";
import type { Flaw } from "../campaign/subject.ts";
import { minimize } from "./minimize.ts";

Deno.test("a finding gets smaller by parts, and what else shows is told of", async () => {
  const written = write({
    artifact_class: 2,
    body: { architecture: { id: "tensor-pack/1", parameters: {} }, dependents: true },
    tensors: ["a", "b", "c"].map((name) => ({
      role: "weights",
      name,
      type: "f32",
      shape: [8, 8],
      payload: new Uint8Array(256).fill(7),
    })),
  });
  assert("bytes" in written);
  const flaw = (key: string): Flaw => ({ class: "crash", key, detail: "" });
  const slips: string[] = [];
  const { input } = await minimize(written.bytes, {
    key: "sevens",
    tries: 5000,
    judge: (bytes) =>
      Promise.resolve([
        ...bytes[0] === 0x53 && bytes.includes(7) ? [flaw("sevens")] : [],
        ...bytes.length < 300 ? [flaw("short")] : [],
      ]),
    slip: (one) => void slips.push(one.key),
  });
  assert(input[0] === 0x53 && input.includes(7) && input.length <= 8, `${input.length} bytes`);
  assertEquals(new Set(slips), new Set(["short"]));
});
