/** The worked example, held against the table of faults that the tiny corpus is made of. */
import { assert, assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { applyPatch } from "../index.ts";
import type { Policy } from "../../readers/contract.ts";
import { goodHeader, HEADER_FAULTS, u64Hex } from "../../lab/conform/tiny_corpus.ts";
import { startTestee } from "../../lab/testee/subprocess.ts";
import type { Testee } from "../../lab/testee/testee.ts";

const READER = fileURLToPath(new URL("reader.py", import.meta.url));
const LIMITS = { milliseconds: 10_000, memory: 2 ** 30 };

function hasPython(): boolean {
  try {
    return new Deno.Command("python3", { args: ["--version"] }).outputSync().success;
  } catch {
    return false;
  }
}

function pythonTest(name: string, use: (testee: Testee) => Promise<void>): void {
  const ignore = !hasPython() && Deno.env.get("CI") !== "true";
  Deno.test({
    name: ignore ? `${name} [skipped: no python3]` : name,
    ignore,
    fn: async () => {
      const testee = await startTestee(["python3", READER], LIMITS);
      if (!("ask" in testee)) throw new Error(`${testee.why} ${testee.stderr}`);
      let end: string | null = "not closed";
      try {
        await use(testee);
      } finally {
        end = await testee.close();
      }
      assertEquals(end, null);
    },
  });
}

const read = (testee: Testee, bytes: Uint8Array, policy?: Policy) =>
  testee.ask({ op: "read", artifact: { bytes }, policy });

pythonTest("the example reader finds each fault of stages 1 to 16", async (testee) => {
  for (const [name, edit, stage, code, section] of HEADER_FAULTS) {
    const { offset: _, ...answer } = await read(testee, applyPatch(goodHeader(), [edit])) as {
      offset?: number;
    };
    assertEquals(answer, { verdict: "reject", stage, code, section }, name);
  }
});

pythonTest("the example reader skips what its stages let through", async (testee) => {
  for (const manifest of [1, 63, 64, 65, 4 << 20]) {
    assertEquals((await read(testee, goodHeader(manifest))).verdict, "skip");
  }
  const dense = applyPatch(goodHeader(), [{ offset: 48, hex: u64Hex(256n) }]);
  assertEquals((await read(testee, dense)).verdict, "skip");
});

pythonTest(
  "the example reader holds policies, and skips those that it does not know",
  async (testee) => {
    const code = async (policy: Policy) => {
      const answer = await read(testee, goodHeader(), policy);
      return answer.verdict === "reject" ? answer.code : answer.verdict;
    };
    assertEquals(await code({ manifest_length: 99 }), "PolicyLimitExceeded");
    assertEquals(await code({ manifest_length: 100 }), "skip");
    assertEquals(await code({ tensor_count: 0 }), "PolicyLimitExceeded");
    assertEquals(await code({ file_size: 576 }), "PolicyLimitExceeded");
    assertEquals(await code({ file_size: 2 ** 53 - 1, cbor_depth: 0 }), "skip");
    const unknown = await read(testee, goodHeader(), { depth: 1 } as Policy);
    assertEquals(unknown, { verdict: "skip", why: "unknown policy depth" });
  },
);

pythonTest("the example reader answers SourceIo for what is no file", async (testee) => {
  for (const path of ["/no/such/file", fileURLToPath(new URL(".", import.meta.url)), "a\0b"]) {
    const answer = await testee.ask({ op: "read", artifact: { path } });
    assert(answer.verdict === "reject");
    assertEquals([answer.stage, answer.code, answer.section], [1, "SourceIo", "none"]);
  }
});
