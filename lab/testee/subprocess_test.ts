import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fileURLToPath } from "node:url";
import { isFault, type Outcome, STDERR_TAIL, type Testee } from "./testee.ts";
import { type NoTestee, startTestee } from "./subprocess.ts";
import { RSS_WATCHED } from "./rss.ts";

const HOSTILE = fileURLToPath(new URL("hostile.ts", import.meta.url));
const LIMITS = { milliseconds: 10_000, memory: 2 ** 30 };

function start(mode: string, limits = LIMITS): Promise<Testee | NoTestee> {
  return startTestee([Deno.execPath(), "run", "--quiet", "-A", HOSTILE, mode], limits);
}

/** Runs `use` on the stand-in of that name, and closes it. */
async function withTestee(
  mode: string,
  use: (testee: Testee) => Promise<void>,
  limits = LIMITS,
): Promise<string | null> {
  const testee = await start(mode, limits);
  if (!("ask" in testee)) throw new Error(`no testee: ${testee.why}\n${testee.stderr}`);
  let end: string | null = null;
  try {
    await use(testee);
  } finally {
    end = await testee.close();
  }
  return end;
}

const ask = (testee: Testee, length: number): Promise<Outcome> =>
  testee.ask({ op: "read", artifact: { bytes: new Uint8Array(length) } });

const good = (offset: number): Outcome => ({
  verdict: "reject",
  stage: 3,
  code: "TruncatedHeader",
  section: "header",
  offset,
});

Deno.test("a good testee is asked many times and ends well", async () => {
  const end = await withTestee("good", async (testee) => {
    assertEquals(testee.info.name, "stand-in");
    assertEquals(testee.info.ops, ["read"]);
    for (let length = 0; length < 50; length++) {
      assertEquals(await ask(testee, length), good(length));
    }
  });
  assertEquals(end, null);
});

for (const mode of ["byte-by-byte", "long-line", "windows-lines", "two-in-one-write"]) {
  Deno.test(`output is read whole from a testee: ${mode}`, async () => {
    await withTestee(mode, async (testee) => {
      assertEquals(await ask(testee, 5), good(5));
    });
  });
}

Deno.test("a name with characters beyond ASCII survives any chunking", async () => {
  await withTestee("byte-by-byte", (testee) => {
    assertEquals(testee.info.name, "caf\u00e9 \u{1f600}");
    return Promise.resolve();
  });
});

Deno.test("lines that nobody asked for are read in order, and found out", async () => {
  await withTestee("two-in-one-write", async (testee) => {
    assertEquals(await ask(testee, 5), good(5));
    // the second object answers the second request ahead; the third finds the leftover
    assertEquals(await ask(testee, 6), good(5));
    const third = await ask(testee, 7);
    assert(isFault(third));
    assertMatch(third.why, /answer to request 3 carries the id 2/);
    assertEquals(await ask(testee, 8), good(8));
  });
});

Deno.test("a lone surrogate in a name is kept and does no harm", async () => {
  await withTestee("lone-surrogate", async (testee) => {
    assertEquals(testee.info.name, "\ud800 \u00e9");
    assertEquals(JSON.stringify(testee.info.name), '"\\ud800 \u00e9"');
    assertEquals(await ask(testee, 1), good(1));
  });
});

const FAULTS: readonly [mode: string, verdict: string, why: RegExp][] = [
  ["wrong-id", "protocol", /carries the id 999/],
  ["text-id", "protocol", /carries the id "1"/],
  ["repeated-key", "protocol", /repeats a key/],
  ["nan-stage", "protocol", /not JSON/],
  ["huge-stage", "protocol", /stage must be/],
  ["unknown-code", "protocol", /code is none that the spec has: "Truncatedheader"/],
  ["accept-without-identities", "protocol", /'identities'/],
  ["verdict-and-skip", "protocol", /both/],
  ["not-utf8", "protocol", /not UTF-8/],
  ["not-json", "protocol", /not JSON: accept/],
  ["blank-line", "protocol", /not JSON/],
  ["endless-line", "protocol", /more than 67108864 bytes/],
  ["exits-on-request", "crash", /exited with 7/],
  ["half-a-line", "crash", /exited with 0/],
  ["killed", "crash", /SIGKILL/],
  ["leaves-a-child", "crash", /exited with 1/],
];

for (const [mode, verdict, why] of FAULTS) {
  Deno.test(`a testee that misbehaves is a ${verdict}: ${mode}`, async () => {
    await withTestee(mode, async (testee) => {
      const outcome = await ask(testee, 1);
      assertEquals(outcome.verdict, verdict);
      assert(isFault(outcome));
      assertMatch(outcome.why, why);
    });
  });
}

Deno.test({
  name: "a testee that closes its output and lives on breaks the protocol",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    const greeting = '{"testee":{"name":"n","version":"1","language":"sh","stages":[1,26]}}';
    const script = `read hello; echo '${greeting}'; read request; exec >&-; exec sleep 1000`;
    const testee = await startTestee(["sh", "-c", script], LIMITS);
    assert("ask" in testee);
    const outcome = await ask(testee, 1);
    assert(isFault(outcome));
    assertEquals(outcome.verdict, "protocol");
    assertMatch(outcome.why, /closed its standard output/);
    await testee.close();
  },
});

for (const mode of ["hangs", "ignores-sigterm"]) {
  Deno.test(`no answer in time is a hang, and the testee is gone: ${mode}`, async () => {
    const limits = { ...LIMITS, milliseconds: 300 };
    await withTestee(mode, async (testee) => {
      assertEquals((await ask(testee, 1)).verdict, "hang");
    }, limits);
  });
}

Deno.test({
  name: "a testee past its memory is stopped, and that is no crash",
  ignore: !RSS_WATCHED,
  fn: async () => {
    const limits = { ...LIMITS, memory: 2 ** 29 };
    await withTestee("grows", async (testee) => {
      assertEquals((await ask(testee, 1)).verdict, "memory");
    }, limits);
  },
});

Deno.test("after a crash the testee is started again, and ids go on", async () => {
  await withTestee("crashes-on-even", async (testee) => {
    const verdicts = [];
    for (let length = 0; length < 5; length++) verdicts.push((await ask(testee, length)).verdict);
    assertEquals(verdicts, ["crash", "reject", "crash", "reject", "crash"]);
  });
});

Deno.test("standard error is kept, the last of it and no more", async () => {
  await withTestee("noisy", async (testee) => {
    assertEquals(await ask(testee, 1), good(1));
    const outcome = await ask(testee, 0);
    assert(isFault(outcome));
    assert(outcome.stderr.endsWith("the last word\n"));
    assertEquals(outcome.stderr.length, STDERR_TAIL);
  });
});

const ENDS: readonly [mode: string, end: RegExp][] = [
  ["stays-after-end", /did not exit/],
  ["fails-after-end", /exited with 3/],
];
for (const [mode, end] of ENDS) {
  Deno.test(`an end that is not clean is told: ${mode}`, async () => {
    assertMatch(String(await withTestee(mode, () => Promise.resolve())), end);
  });
}

const NO_TESTEES: readonly [mode: string, why: string][] = [
  ["exits-at-once", "exited with 0 without an answer to the greeting"],
  ["output-before-greeting", "greeting: the line is not JSON: loading model..."],
  ["wrong-hello", "greeting: testee must have required property"],
];
for (const [mode, why] of NO_TESTEES) {
  Deno.test(`a program that does not greet is no testee: ${mode}`, async () => {
    const testee = await start(mode);
    assert("why" in testee);
    assertStringIncludes(testee.why, why);
  });
}

Deno.test("a program that is not there is no testee", async () => {
  const testee = await startTestee(["./no-such-program"], LIMITS);
  assert("why" in testee);
  assertStringIncludes(testee.why, "could not start");
});
