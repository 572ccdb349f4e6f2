/** The nightly's reports hold whatever texts are in them, and stay bounded. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type DefaultTreeAdapterTypes as Tree, parse } from "parse5";
import { createHash } from "node:crypto";
import { SaxesParser } from "saxes";
import { escape } from "../markup.ts";
import { annotations } from "./annotations.ts";
import { COPY_SCRIPT } from "./copy.ts";
import { html } from "./html.ts";
import { junit } from "./junit.ts";
import type { NightlyReport } from "./model.ts";
import { sarif } from "./sarif.ts";
import { HOSTILE, PLAIN, reportWith } from "./testing.ts";

/** What the plotting library draws with; which labels it leaves out depends on their length. */
const DRAWN = new Set(["svg", "rect", "path", "text", "g", "defs", "clipPath", "style", "polygon"]);

/** Elements and attribute names of a page, texts left out; of a plot only that it draws. */
function skeleton(node: Tree.Node): string[] {
  const children = "childNodes" in node ? node.childNodes.flatMap(skeleton) : [];
  if (!("tagName" in node)) return children;
  if (!node.namespaceURI.endsWith("svg")) {
    return [`${node.tagName} ${node.attrs.map(({ name }) => name).join(" ")}`, ...children];
  }
  assert(DRAWN.has(node.tagName), node.tagName);
  assertEquals(node.attrs.filter(({ name }) => /^on|href/.test(name)), []);
  return node.tagName === "svg" ? ["svg"] : children;
}

Deno.test("no text changes the shape of the page", () => {
  const plain = skeleton(parse(html(reportWith(PLAIN))));
  assertEquals(plain.filter((one) => one === "svg").length, 4, "plots are drawn");
  for (const text of HOSTILE) {
    assertEquals(skeleton(parse(html(reportWith(text)))), plain, text.slice(0, 40));
  }
});

Deno.test("the page has one script, named by its hash, and no outside address", () => {
  const page = html(reportWith(PLAIN));
  assertStringIncludes(page, `content="default-src &#39;none&#39;; style-src`);
  const scripts = [...page.matchAll(/<script>(.*?)<\/script>/gs)].map((match) => match[1]);
  assertEquals(scripts, [COPY_SCRIPT]);
  const hash = createHash("sha256").update(scripts[0]).digest("base64");
  assertStringIncludes(page, `script-src &#39;sha256-${escape(hash)}&#39;;`);
  assertEquals(/<link|<iframe|<img| on[a-z]+=/i.test(page), false);
  const addresses = [...page.matchAll(/https?:\/\/[^"' <]+/g)].map(([address]) => address);
  assertEquals(addresses.filter((one) => !one.startsWith("http://www.w3.org/")), []);
});

Deno.test("every link of the page has its place, every table its headers, every plot its words", () => {
  const page = html(reportWith(PLAIN));
  const ids = [...page.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]);
  const links = [...page.matchAll(/href="#([^"]+)"/g)].map((match) => match[1]);
  assertEquals(new Set(ids).size, ids.length);
  assertEquals(links.filter((link) => !ids.includes(link)), []);
  const count = (pattern: RegExp) => [...page.matchAll(pattern)].length;
  assertEquals(count(/<table/g), count(/<thead><tr>(<td><\/td>)?<th scope="col">/g));
  assertEquals(count(/<svg /g), count(/<div role="img" aria-label="[^"]+"><svg/g));
  const levels = [...page.matchAll(/<h([1-6])/g)].map((match) => Number(match[1]));
  assert(levels.every((level, i) => level <= (levels[i - 1] ?? 0) + 1), levels.join(""));
});

Deno.test("JUnit is XML whatever the texts, and counts what failed", () => {
  for (const text of [PLAIN, ...HOSTILE]) {
    const parser = new SaxesParser();
    const seen: string[] = [];
    parser.on("error", (error) => {
      throw error;
    });
    parser.on("opentag", ({ name }) => seen.push(name));
    parser.write(junit(reportWith(text))).close();
    assertEquals(seen.filter((name) => name === "testcase").length, 8);
    assertEquals(seen.filter((name) => name === "failure").length, 7);
  }
});

Deno.test("SARIF parses and names the findings; annotations are one line each", () => {
  for (const text of [PLAIN, ...HOSTILE]) {
    const log = JSON.parse(sarif(reportWith(text)));
    assertEquals([log.version, log.runs[0].results.length], ["2.1.0", 2]);
    assert(log.runs[0].results[0].message.text.length <= 1001);
    for (const line of annotations(reportWith(`${text}\n::set-output name=x::y`))) {
      assert(/^::(error|warning) title=[^\n:]*::[^\n\r]*$/.test(line), line.slice(0, 80));
      assert(line.length < 4000);
    }
  }
});

Deno.test("endless texts, names and lists make no endless page", () => {
  const long = reportWith("y".repeat(16 << 20));
  const many: NightlyReport = {
    ...reportWith(PLAIN),
    quiet: Array.from({ length: 1_000_000 }, () => "line"),
    trends: [{
      part: "t",
      figure: "t",
      points: Array.from({ length: 100_000 }, (_, i) => ({ started: "2026", value: i })),
      band: null,
    }],
  };
  for (const report of [long, many]) {
    assert(html(report).length < 1 << 20, `page: ${html(report).length}`);
    assert(sarif(report).length < 1 << 20, `sarif: ${sarif(report).length}`);
    assert(annotations(report).join("\n").length < 1 << 16, "annotations");
  }
  assert(escape("z".repeat(1 << 24)).length < 5000);
});
