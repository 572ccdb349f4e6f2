/** Tests in a real browser. Not itself a test. */
import { findChromium } from "./chromium.ts";

/**
 * `Deno.test` for a test that needs Chromium: ignored, under a name that says so, where there is
 * none; a failure instead in CI (`CI=true`).
 */
export function browserTest(name: string, fn: (chromium: string) => Promise<void>): void {
  const path = findChromium();
  if (path === null && Deno.env.get("CI") !== "true") {
    Deno.test({ name: `${name} [skipped: no Chromium]`, ignore: true, fn() {} });
    return;
  }
  Deno.test(name, () => {
    if (path === null) throw new Error("Chromium is not there, and in CI nothing is skipped");
    return fn(path);
  });
}
