/** Campaigns whole: what they keep, what ends their workers, what makes a finding smaller. */
import { assert, assertEquals } from "@std/assert";
import { write } from "../../corpus/writer/write.ts";
import { Campaign } from "./campaign.ts";
import { fileFinding, readFinding } from "./findings.ts";
import { minimize } from "./minimize.ts";
import type { Flaw } from "./subject.ts";

function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = Deno.makeTempDirSync();
  return use(folder).finally(() => Deno.removeSync(folder, { recursive: true }));
}

const BUDGET = { seed: 3, executions: 600 };

Deno.test("readers count where they go, and the number of workers changes no input", () =>
  inFolder(async (out) => {
    const run = async (name: string, options: { workers?: number }) => {
      const campaign = await Campaign.open({
        ...BUDGET,
        workers: 1,
        ...options,
        out: `${out}/${name}`,
        resume: false,
      });
      const { digest, edges, entries, executions } = await campaign.run();
      return { digest, edges, entries, executions };
    };
    const one = await run("one", {});
    assertEquals(one, await run("two", { workers: 2 }));
    assert(one.edges > 500, "a quiet lab is a red lab");
  }));

Deno.test("a finding is filed once, whole", () =>
  inFolder(async (folder) => {
    const flaw: Flaw = { class: "crash", key: "k", detail: "d" };
    const first = await fileFinding(folder, flaw, Uint8Array.of(1));
    const second = await fileFinding(folder, flaw, Uint8Array.of(2));
    assertEquals([first.fresh, second.fresh, first.path], [true, false, second.path]);
    const { input, finding } = readFinding(first.path);
    assertEquals([input, finding?.key], [Uint8Array.of(1), "k"]);
    assertEquals([...Deno.readDirSync(folder)].length, 1, "no draft is left");
  }));

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
