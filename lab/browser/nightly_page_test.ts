/** The nightly report in a real browser: hostile texts, offline, keyboard, and the copy button. */
import { assert, assertEquals } from "@std/assert";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { html } from "../../reports/nightly/html.ts";
import { HOSTILE, PLAIN, reportWith } from "../../reports/nightly/testing.ts";
import { Chromium } from "./chromium.ts";
import type { Tab } from "./tab.ts";
import { browserTest } from "./testing.ts";

/**
 * Elements by name in their order, attributes by name, a plot as one element: which labels are
 * drawn depends on their length.
 */
const SEE = `({
  shape: [...document.querySelectorAll(":not(svg *)")].map((one) =>
    [one.localName, ...one.getAttributeNames()].join(" ")),
  ran: "ran" in globalThis,
  fits: document.documentElement.scrollWidth <= innerWidth,
})`;

interface Seen {
  readonly shape: readonly string[];
  readonly ran: boolean;
  readonly fits: boolean;
}

/** What went wrong in a page, a line each: throws, refusals of its policy, requests, dialogs. */
async function watched(tab: Tab): Promise<string[]> {
  const seen: string[] = [];
  tab.on("Page.javascriptDialogOpening", () => seen.push("dialog"));
  tab.on("Runtime.exceptionThrown", (event) => seen.push(JSON.stringify(event)));
  tab.on("Log.entryAdded", (event) => seen.push(JSON.stringify(event)));
  tab.on("Network.requestWillBeSent", (event) => {
    const { request: { url } } = event as unknown as { request: { url: string } };
    if (!url.startsWith("file:")) seen.push(url);
  });
  for (const domain of ["Log", "Network"]) await tab.call(`${domain}.enable`);
  return seen;
}

async function withPages(
  path: string,
  use: (open: (text: string) => Promise<{ tab: Tab; wrong: string[] }>) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  const chromium = await Chromium.launch(path);
  const page = join(folder, "index.html");
  try {
    await use(async (text) => {
      await Deno.writeTextFile(page, html(reportWith(text)));
      const tab = await chromium.tab(pathToFileURL(page).href);
      const wrong = await watched(tab);
      await tab.call("Page.reload");
      await tab.evaluate("new Promise((done) => setTimeout(done, 50))");
      return { tab, wrong };
    });
  } finally {
    await chromium.close();
    await Deno.remove(folder, { recursive: true });
  }
}

browserTest(
  "hostile texts are text in the nightly report, which asks nothing of a network",
  (path) =>
    withPages(path, async (open) => {
      const see = async (text: string) => {
        const { tab, wrong } = await open(text);
        const seen: Seen[] = [];
        for (const [width, scheme] of [[390, "dark"], [1440, "light"]] as const) {
          await tab.look(width, 844, scheme);
          await tab.evaluate(`document.querySelectorAll("*").forEach((one) => {
          if (one.localName === "details") one.open = true;
          for (const kind of ["mouseover", "focus"]) one.dispatchEvent(new Event(kind));
        })`);
          seen.push(await tab.evaluate<Seen>(SEE));
        }
        assertEquals(seen.map(({ ran, fits }) => [ran, fits]), [[false, true], [false, true]]);
        assertEquals(wrong, []);
        await tab.close();
        return seen[0].shape;
      };
      const plain = await see(PLAIN);
      for (const text of [...HOSTILE, "n".repeat(1 << 16), "e".repeat(16 << 20)]) {
        assertEquals(await see(text), plain, text.slice(0, 40));
      }
    }),
);

browserTest(
  "the copy button copies the command, and all that can be used is reached by Tab",
  (path) =>
    withPages(path, async (open) => {
      const { tab, wrong } = await open(`echo '"<&' ; deno task lab replay x`);
      const key = async (name: string) => {
        for (const type of ["keyDown", "keyUp"]) {
          const more = name === "Enter" ? { text: "\r", windowsVirtualKeyCode: 13 } : {
            windowsVirtualKeyCode: 9,
          };
          await tab.call("Input.dispatchKeyEvent", { type, key: name, code: name, ...more });
        }
      };
      await tab.evaluate(`globalThis.copied = [];
      document.addEventListener("copy", () => copied.push(String(getSelection())));
      navigator.clipboard && (navigator.clipboard.writeText = (text) =>
        Promise.resolve(void copied.push(text)))`);
      const reached: string[] = [];
      const wanted = await tab.evaluate<number>(
        `[...document.querySelectorAll("a[href], button, input, summary, [tabindex='0']")]
        .filter((one) => one.checkVisibility()).length`,
      );
      for (let i = 0; i < wanted; i++) {
        await key("Tab");
        reached.push(
          await tab.evaluate<string>(`(() => {
        const { activeElement: at } = document, { outlineStyle, outlineWidth } = getComputedStyle(at);
        if (outlineStyle === "none" || parseFloat(outlineWidth) < 2) return "no outline: " + at.outerHTML;
        at.dataset.reached = "yes";
        return at.className === "skip" ? "skip" : at.localName;
      })()`),
        );
        if (reached.at(-1) === "button") await key("Enter");
      }
      assertEquals(reached[0], "skip");
      assertEquals(reached.filter((one) => one.startsWith("no outline")), []);
      assertEquals(
        await tab.evaluate(`document.querySelectorAll("[data-reached]").length`),
        wanted,
      );
      const copied = await tab.evaluate<string[]>("copied");
      assert(copied.length >= 3);
      assertEquals(new Set(copied), new Set([`echo '"<&' ; deno task lab replay x`]));
      assertEquals(wrong, []);
    }),
);
