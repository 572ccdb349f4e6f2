/** The worked example, held against the table of faults that the tiny corpus is made of. */
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { fileURLToPath } from "node:url";
import { applyPatch } from "../index.ts";
import type { Policy } from "../../readers/contract.ts";
import { memorySource } from "../../readers/source.ts";
import { goodHeader, HEADER_FAULTS, u64Hex } from "../../lab/conform/tiny_corpus.ts";
import { compare } from "../../lab/oracle/verdicts.ts";
import { loadReaders } from "../../lab/readers.ts";
import { startTestee } from "../../lab/testee/subprocess.ts";
import type { Testee } from "../../lab/testee/testee.ts";

const READER = fileURLToPath(new URL("reader.py", import.meta.url));
/** Offsets of header fields (slm2.md section 2). */
const FIELDS = [
  ...[0, 8, 24, 28, 30, 32, 36, 38, 40, 48, 56, 64, 72, 80, 88, 92, 96, 104, 108, 112, 120, 124],
  ...[128, 136, 140, 144, 152, 160],
];
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

/** A header field by its offset and width, set to a value that tends to matter. */
const change = fc.record({
  offset: fc.oneof(fc.constantFrom(...FIELDS), fc.nat({ max: 600 })),
  value: fc.oneof(
    fc.constantFrom(0n, 1n, 63n, 64n, 256n, 2n ** 32n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 64n - 1n),
    fc.bigInt({ min: 0n, max: 700n }),
  ),
  width: fc.constantFrom(1, 2, 4, 8),
});

pythonTest("the example and our readers agree on headers broken at random", async (testee) => {
  const readers = await loadReaders("cursor,table");
  let rejected = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { minLength: 1, maxLength: 3 }),
      fc.nat({ max: 3 }),
      async (changes, cut) => {
        const file = goodHeader();
        for (const { offset, value, width } of changes) {
          file.set(
            Uint8Array.fromHex(u64Hex(value)).subarray(0, width),
            Math.min(offset, file.length - 8),
          );
        }
        const bytes = cut === 0 ? file.subarray(0, file.length - 1) : file;
        const side = { outcome: await read(testee, bytes), stages: testee.info.stages };
        if (side.outcome.verdict === "reject") rejected++;
        for (const reader of readers) {
          const outcome = reader.read({ source: memorySource(bytes) }).verdict;
          const { result } = compare(side, { outcome });
          assertEquals(result === "disagree" && [reader.name, outcome, side.outcome], false);
        }
      },
    ),
    { numRuns: 2000 },
  );
  assert(rejected > 1000, `only ${rejected} of 2,000 were rejected before stage 17`);
});
