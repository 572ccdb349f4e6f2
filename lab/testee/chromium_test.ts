/** A reader in Chromium fails as any testee does, and goes on after it. */
import { assertEquals } from "@std/assert";
import { Chromium } from "../browser/chromium.ts";
import { DevtoolsError } from "../browser/devtools.ts";
import { PageError } from "../browser/tab.ts";
import { browserTest } from "../browser/testing.ts";
import { resultLine } from "../conform/judge.ts";
import { startInChromium } from "./chromium.ts";
import { startReader } from "./house.ts";
import type { Ask } from "./testee.ts";

browserTest("files by path, and paths with nothing behind them", async () => {
  const path = await Deno.makeTempFile();
  const sparse: Ask = { op: "read", artifact: { path } };
  const absent: Ask = { op: "read", artifact: { path: `${path}.absent` } };
  const [here, there] = await Promise.all(
    ["table", "table@chromium"].map((name) => startReader(name, { milliseconds: 30_000 })),
  );
  try {
    await Deno.truncate(path, 64 * 2 ** 20);
    for (const ask of [sparse, absent, sparse]) {
      assertEquals(resultLine(await there.ask(ask)), resultLine(await here.ask(ask)));
    }
  } finally {
    await there.close();
    await Deno.remove(path);
  }
});

browserTest(
  "an answer that does not come in time is a hang, and the next ask is answered",
  async () => {
    const limits = { milliseconds: 0 };
    const testee = await startInChromium("cursor", limits);
    const ask: Ask = { op: "read", artifact: { bytes: new Uint8Array(256) } };
    try {
      assertEquals((await testee.ask(ask)).verdict, "hang");
      limits.milliseconds = 30_000;
      assertEquals((await testee.ask(ask)).verdict, "reject");
    } finally {
      await testee.close();
    }
  },
);

browserTest("a throw, a crash and the end of the browser are told apart", async (path) => {
  const chromium = await Chromium.launch(path);
  const blank = () => chromium.tab("about:blank");
  const failure = (work: Promise<unknown>) => work.then(() => null, (error: unknown) => error);
  try {
    const thrown = await failure((await blank()).evaluate("Promise.reject(new Error('no'))"));
    assertEquals(thrown instanceof PageError && thrown.message.startsWith("Error: no"), true);
    const crashing = await blank();
    const waiting = failure(crashing.evaluate("new Promise(() => {})"));
    crashing.call("Page.crash").catch(() => {});
    const crash = await waiting;
    assertEquals(crash instanceof DevtoolsError && crash.message, "the page crashed");
    const last = failure((await blank()).evaluate("new Promise(() => {})"));
    await chromium.close();
    assertEquals(await last instanceof DevtoolsError, true);
  } finally {
    await chromium.close();
  }
});
