import { assert, assertEquals } from "@std/assert";
import { write } from "../../corpus/writer/write.ts";
import type { Flaw } from "../campaign/subject.ts";
import { cursor } from "../../readers/cursor/reader.ts";
import { seedRequests } from "../campaign/requests.ts";
import { askOfInput } from "../testee/input.ts";
import { askReader } from "../testee/open.ts";
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

Deno.test("a request gets smaller by what it asks, and by each artifact that others name", async () => {
  const files = seedRequests(8192);
  // a composition whose adapter is not of its base: nothing else of either is needed
  const start = files.find((file) => codeOf(file) === "BaseMismatch")!;
  const { input } = await minimize(start, {
    key: "BaseMismatch",
    tries: 2500,
    judge: (one) => Promise.resolve([{ class: "crash", key: codeOf(one), detail: "" }]),
  });
  assertEquals(codeOf(input), "BaseMismatch");
  assert(input.length < 0.8 * start.length, `${start.length} -> ${input.length}`);
});

Deno.test("a fault of one artifact needs no request", async () => {
  const [start] = seedRequests(8192);
  const magic = (bytes: Uint8Array) => bytes[0] === 0x53 ? "magic" : "none";
  const { input } = await minimize(start, {
    key: "magic",
    tries: 3000,
    judge: (one) => Promise.resolve([{ class: "crash", key: magic(one), detail: "" }]),
  });
  assertEquals(input, Uint8Array.of(0x53));
});

function codeOf(input: Uint8Array): string {
  const ask = askOfInput(input);
  const answer = ask && askReader(cursor, ask);
  return answer?.verdict === "reject" ? answer.code : "none";
}
