/** A rejection that a limit is passed names the limit, as `--policy` takes it. */
import { assert, assertStringIncludes } from "@std/assert";
import { parseIndex } from "../corpus/index.ts";
import { LIMITS } from "../readers/contract.ts";
import { memorySource } from "../readers/source.ts";
import { loadReaders } from "./readers.ts";

const GOLDEN = new URL("../corpus/golden/", import.meta.url);
const index = parseIndex(Deno.readTextFileSync(new URL("index.json", GOLDEN)));

Deno.test("each reader names the limit that is passed", async () => {
  const readers = await loadReaders("cursor,table"), named = new Set<string>();
  for (const { id, file, request, expected } of index.entries) {
    const policy = request && "policy" in request ? request.policy : undefined;
    const [name, ...rest] = Object.keys(policy ?? {});
    const passed = expected.verdict === "reject" && expected.code === "PolicyLimitExceeded";
    if (!passed || rest.length > 0 || file === undefined) continue;
    const source = memorySource(Deno.readFileSync(new URL(file, GOLDEN)));
    for (const reader of readers) {
      const { verdict } = reader.read({ source, policy, pieces: false });
      assert(verdict.verdict === "reject", id);
      assertStringIncludes(verdict.expected ?? "", `${name} of at most`, `${reader.name}: ${id}`);
    }
    named.add(name);
  }
  assert(named.size === LIMITS.length, `${[...named]}`);
});
