/** The reports hold whatever testees call themselves, and say the same for the same results. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { type DefaultTreeAdapterTypes as Tree, parse } from "parse5";
import { SaxesParser } from "saxes";
import { escape } from "../markup.ts";
import { badge } from "./badge.ts";
import { html } from "./html.ts";
import { reportJson, reportLines } from "./json.ts";
import { junit } from "./junit.ts";
import type { Report } from "./model.ts";
import { summary } from "./terminal.ts";
import { HOSTILE, PLAIN, reportWith } from "./testing.ts";

/** The names of all elements and attributes of an HTML page, in order. */
function shape(page: string): string[] {
  const seen: string[] = [];
  const open: Tree.Node[] = [parse(page)];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if ("attrs" in node) seen.push(node.tagName, ...node.attrs.map(({ name }) => `@${name}`));
    if ("childNodes" in node) open.push(...node.childNodes.toReversed());
  }
  return seen;
}

/** The names of all elements of an XML document, which must be well-formed. */
function xmlShape(text: string): string[] {
  const names: string[] = [];
  const parser = new SaxesParser();
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ name }) => names.push(name));
  parser.write(text).close();
  return names;
}

for (const text of HOSTILE) {
  const name = escape(text, 30);
  Deno.test(`foreign text is shown as text in HTML: ${name}`, () => {
    assertEquals(shape(html(reportWith(text))), shape(html(reportWith(PLAIN))));
  });
  Deno.test(`foreign text is shown as text in JUnit XML and in the badge: ${name}`, () => {
    assertEquals(xmlShape(junit(reportWith(text))), xmlShape(junit(reportWith(PLAIN))));
    const facts = { corpusVersion: text, contentId: "", reader: text, passed: 1, asked: 2 };
    assertEquals(xmlShape(badge(facts)), xmlShape(badge({ ...facts, corpusVersion: PLAIN })));
  });
  Deno.test(`foreign text moves nothing on a terminal: ${name}`, () => {
    const shown = summary(reportWith(text), { colour: false, cases: 9 });
    assertEquals(/[\p{Cc}\p{Cf}\p{Cs}]/u.test(shown.replaceAll("\n", "")), false);
    assertEquals(shown.isWellFormed(), true);
    assertEquals(shown.split("\n").every((line) => line.length < 1500), true);
  });
  Deno.test(`foreign text comes back from JSON as it was: ${name}`, () => {
    assertEquals(JSON.parse(reportJson(reportWith(text))).testees[0].name, text);
    for (const line of reportLines(reportWith(text))) {
      assertEquals(JSON.stringify(line).includes("\n"), false);
    }
  });
}

Deno.test("reports stay bounded however long a testee talks", () => {
  const length = (make: (report: Report) => string) =>
    make(reportWith("y".repeat(2_000_000))).length;
  assertEquals(length(html) < 1_000_000, true);
  assertEquals(length(junit) < 1_000_000, true);
});

Deno.test("the page loads nothing and runs nothing", () => {
  const page = html(reportWith(PLAIN));
  assertEquals(shape(page).some((name) => ["script", "link", "img", "@src"].includes(name)), false);
  assertStringIncludes(page, "default-src 'none'");
});

Deno.test("every link of the page has its place", () => {
  const page = html(reportWith(PLAIN));
  const ids = [...page.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]);
  const links = [...page.matchAll(/href="#([^"]+)"/g)].map((match) => match[1]);
  assertEquals(links.length > 2, true);
  assertEquals(links.filter((link) => !ids.includes(link)), []);
  assertEquals(new Set(ids).size, ids.length);
});

Deno.test("JUnit counts what it lists", () => {
  const text = junit(reportWith(PLAIN));
  assertStringIncludes(text, 'tests="9" failures="2" errors="3" skipped="3"');
  assertEquals(xmlShape(text).filter((name) => name === "testcase").length, 17);
  assertStringIncludes(text, `<property name="corpus.content_id" value="${"ab".repeat(32)}"/>`);
});

Deno.test("a badge names the corpus version and what was met", () => {
  const facts = {
    corpusVersion: "1.2.0",
    contentId: "ab",
    reader: "r 1",
    passed: 1999,
    asked: 2000,
  };
  assertStringIncludes(badge(facts), "SLM2 corpus 1.2.0: 1,999 of 2,000 hold");
  assertStringIncludes(badge({ ...facts, passed: 2000 }), "2,000 cases hold");
});
