/** The conformance report in a real browser: texts of testees stay text, and nothing runs. */
import { assertEquals } from "@std/assert";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { html } from "../../reports/conformance/html.ts";
import { HOSTILE, PLAIN, reportWith } from "../../reports/conformance/testing.ts";
import { Chromium } from "./chromium.ts";
import { browserTest } from "./testing.ts";

/** Elements by name in their order, attributes by name, and whether the page fits its window. */
const SEE = `({
  shape: [...document.querySelectorAll("*")].map((one) =>
    [one.localName, ...one.getAttributeNames()].join(" ")),
  scripts: document.scripts.length,
  fits: document.documentElement.scrollWidth <= innerWidth,
})`;

interface Seen {
  readonly shape: readonly string[];
  readonly scripts: number;
  readonly fits: boolean;
}

browserTest("hostile texts of testees are text in the conformance report", async (path) => {
  const folder = await Deno.makeTempDir();
  const chromium = await Chromium.launch(path);
  const page = join(folder, "report.html");
  const see = async (text: string) => {
    await Deno.writeTextFile(page, html(reportWith(text)));
    const tab = await chromium.tab(pathToFileURL(page).href);
    let dialogs = 0;
    tab.on("Page.javascriptDialogOpening", () => dialogs++);
    await tab.look(390, 844, "dark");
    await tab.evaluate(
      `document.querySelectorAll("*").forEach((one) => one.dispatchEvent(new Event("mouseover")))`,
    );
    const seen = await tab.evaluate<Seen>(SEE);
    assertEquals([dialogs, seen.scripts, seen.fits], [0, 0, true]);
    await tab.close();
    return seen.shape;
  };
  try {
    const plain = await see(PLAIN);
    for (const text of [...HOSTILE, "n".repeat(1 << 16), "e".repeat(16 << 20)]) {
      assertEquals(await see(text), plain);
      assertEquals((await Deno.stat(page)).size < 1 << 20, true, "bounded");
    }
  } finally {
    await chromium.close();
    await Deno.remove(folder, { recursive: true });
  }
});
