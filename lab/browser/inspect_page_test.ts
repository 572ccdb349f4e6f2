/** The inspect page in a real browser: what it shows, and that nothing of a file runs there. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { announcement } from "../../corpus/recipes/library.ts";
import type { AnnouncementBody } from "../../corpus/writer/bodies.ts";
import { assemble } from "../../corpus/writer/write.ts";
import { memorySource } from "../../readers/source.ts";
import { cursor } from "../../readers/cursor/reader.ts";
import { inspection } from "../../reports/inspection.ts";
import { rows } from "../../reports/inspection_rows.ts";
import { Chromium } from "./chromium.ts";
import { inspectPage } from "./inspect_page.ts";
import type { Tab } from "./tab.ts";
import { browserTest } from "./testing.ts";

/** What the page is asked for after a file. */
interface Seen {
  readonly state: string;
  readonly elements: number;
  readonly facts: readonly string[];
  readonly text: string;
  /** what hostile texts would set */
  readonly ran: boolean;
  readonly title: string;
}

const SEE = `new Promise((resolve) => {
  const look = () => {
    if (document.getElementById("result").hidden) return setTimeout(look, 20);
    resolve({
      state: document.getElementById("state").textContent,
      elements: document.querySelectorAll("*").length,
      facts: [...document.querySelectorAll("dl.facts > *")].map((one) => one.textContent),
      text: document.body.innerText,
      ran: "ran" in globalThis,
      title: document.title,
    });
  };
  look();
})`;

const HOSTILE: readonly string[] = [
  `<img src=x onerror="globalThis.ran = 1">`,
  `</code></dl><script>globalThis.ran = 1</script>`,
  `\`\${globalThis.ran = 1}\``,
  `javascript:globalThis.ran=1//`,
  "MIT \u202e\u2066 gnp.exe \u200f",
];

/** An announcement whose every free text is one of these. */
function announcementOf(display_name: string, licenses: readonly string[]) {
  const { description } = announcement();
  const body = description.body as AnnouncementBody;
  return assemble({ ...description, body: { ...body, display_name, licenses: [...licenses] } })
    .bytes;
}

/** A folder with the page, open in a tab, and a way to give it bytes. */
async function withPage(
  path: string,
  use: (tab: Tab, inspect: (bytes: Uint8Array) => Promise<Seen>) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  const chromium = await Chromium.launch(path);
  try {
    const page = join(folder, "inspect.html");
    await Deno.writeTextFile(page, await inspectPage());
    const tab = await chromium.tab(pathToFileURL(page).href);
    await tab.evaluate(`addEventListener("securitypolicyviolation", () => globalThis.ran = 1)`);
    let count = 0;
    await use(tab, async (bytes) => {
      const file = join(folder, `${count++}.slm`);
      await Deno.writeFile(file, bytes);
      await tab.chooseFiles("#file", [file]);
      return await tab.evaluate<Seen>(SEE);
    });
  } finally {
    await chromium.close();
    await Deno.remove(folder, { recursive: true });
  }
}

browserTest("the inspect page shows the facts and both verdicts, and no name", async (path) => {
  await withPage(path, async (tab, inspect) => {
    const bytes = announcementOf("A name", ["Apache-2.0", "MIT"]);
    const { verdict, candidate } = cursor.read({ source: memorySource(bytes) });
    assert(verdict.verdict === "accept");
    const wanted = rows(inspection(verdict, candidate!()));
    const seen = await inspect(bytes);
    assertEquals(seen.state, "Accepted by both readers.");
    assertEquals(
      seen.facts,
      wanted.flatMap(({ label, text, items }) => [label, text + items.join("")]),
    );
    assertEquals(/A name|0\.slm/.test(seen.text), false);

    bytes[0] ^= 1;
    const rejected = await inspect(bytes);
    assertEquals(rejected.state, "Rejected by both readers: BadMagic, at stage 4.");
    assertEquals(rejected.facts, []);

    await tab.evaluate(`{
      const dropped = new DataTransfer();
      dropped.items.add(new File([Uint8Array.fromHex("${bytes.toHex()}")], "x"));
      dispatchEvent(new DragEvent("drop", { dataTransfer: dropped, cancelable: true }));
    }`);
    assertEquals((await tab.evaluate<Seen>(SEE)).state, rejected.state, "a dropped file");

    const connects = await tab.evaluate(`fetch("http://127.0.0.1/").then(() => true, () => false)`);
    assertEquals(connects, false);
    const { ran } = await tab.evaluate<{ ran: boolean }>(`({ ran: "ran" in globalThis })`);
    assertEquals(ran, true, "a breach of the page's policy is noticed");
  });
});

browserTest("the inspect page by keyboard and for a screen reader", async (path) => {
  await withPage(path, async (tab, inspect) => {
    await inspect(announcementOf("A name", ["MIT"]));
    const { nodes } = await tab.call("Accessibility.getFullAXTree") as {
      nodes: { role: { value: string }; name?: { value: string }; ignored: boolean }[];
    };
    const named = (role: string) =>
      nodes.filter((node) => !node.ignored && node.role.value === role)
        .map((node) => node.name?.value);
    // the tree lists level by level
    assertEquals(named("heading"), [
      "Inspect an SLM2 file",
      "Verdicts",
      "Facts",
      "Reader cursor",
      "Reader table",
    ]);
    assertEquals(named("status").length, 1);
    const stops: unknown[] = [];
    for (let i = 0; i < 3; i++) {
      for (const type of ["rawKeyDown", "keyUp"]) {
        await tab.call("Input.dispatchKeyEvent", { type, key: "Tab", windowsVirtualKeyCode: 9 });
      }
      stops.push(await tab.evaluate("document.activeElement.localName"));
    }
    assertEquals(stops, ["input", "input", "summary"]);
  });
});

browserTest("extensions are shown where they are asked for, as text", async (path) => {
  const { description } = announcement();
  const extension = (text: string) => {
    return { id: "lab/note", version: 1, critical: false, payload: { text, [text]: 1 } };
  };
  const file = (payload: string) =>
    assemble({ ...description, extensions: [extension(payload)] }).bytes;
  await withPage(path, async (tab, inspect) => {
    const without = await inspect(file(HOSTILE[0]));
    assertEquals(without.facts.includes("extensions"), false);
    const tick = async () => {
      await tab.evaluate(`document.getElementById("extensions").click()`);
      return await tab.evaluate<Seen>(SEE);
    };
    const calm = await inspect(file("calm")), calmShown = await tick();
    assertEquals(calmShown.elements, calm.elements + 5);
    for (const text of [...HOSTILE, "z".repeat(60_000)]) {
      const seen = await inspect(file(text));
      assertEquals([seen.ran, seen.elements], [false, calmShown.elements]);
      assertEquals(seen.facts.includes("extensions") && seen.text.length < 20_000, true);
    }
    assertEquals((await tick()).facts.includes("extensions"), false, "unticked");
  });
});

browserTest("hostile texts of a file are text in the inspect page", async (path) => {
  const plain = HOSTILE.map((_, i) => `License ${i}`);
  await withPage(path, async (_, inspect) => {
    const calm = await inspect(announcementOf("A name", plain));
    assertStringIncludes(calm.text, "License 4");
    for (const name of HOSTILE) {
      const seen = await inspect(announcementOf(name, HOSTILE.toSorted(byBytes)));
      assertEquals(seen.ran, false);
      assertEquals(seen.elements, calm.elements);
      assertEquals(seen.title, calm.title);
      assertEquals(seen.facts.length, calm.facts.length);
      assertStringIncludes(seen.text, HOSTILE[0]);
      assertStringIncludes(seen.text, "MIT \\u{202e}\\u{2066} gnp.exe \\u{200f}");
    }
    const long = await inspect(announcementOf("x".repeat(60_000), ["y".repeat(60_000)]));
    assertEquals(long.state, "Accepted by both readers.");
    assertEquals(long.text.length < 20_000, true);
  });
});

/** Sets of texts stand in a file by length, then bytes. */
function byBytes(a: string, b: string): number {
  const [x, y] = [a, b].map((one) => new TextEncoder().encode(one));
  return x.length - y.length || (x.toHex() < y.toHex() ? -1 : 1);
}
