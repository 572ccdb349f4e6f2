/** The nightly's reports hold whatever texts are in them, and stay bounded. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type DefaultTreeAdapterTypes as Tree, parse } from "parse5";
import { SaxesParser } from "saxes";
import { escape } from "../markup.ts";
import { annotations } from "./annotations.ts";
import { html } from "./html.ts";
import { junit } from "./junit.ts";
import type { FindingView, NightlyReport, RequirementView } from "./model.ts";
import { sarif } from "./sarif.ts";

const PLAIN = "plain";
const HOSTILE: readonly string[] = [
  `<img src=x onerror=alert(1)>`,
  `"><script>alert(1)</script>`,
  `' onmouseover='alert(1)`,
  `</style></title></svg><h1>`,
  `]]><!--`,
  "\ud800 lone \udfff",
  "\u0000\u001b[31m\u0007\u009b\ufffe",
  "\u202egnp.exe\u2066",
  "x".repeat(100_000),
];

function finding(text: string): FindingView {
  const row = { offset: 40, name: text, hex: "00 ff", value: text, marked: true };
  return {
    name: text,
    class: text,
    key: text,
    detail: text,
    state: "new",
    note: text,
    firstSeen: text,
    replay: text,
    size: 300,
    verdicts: [{ reader: text, result: text }, { reader: "table", result: text }],
    fields: [text],
    sentences: [text],
    rows: [row, { ...row, marked: false }],
    moreRows: 3,
  };
}

/** A report in which every text is `text`. */
function reportWith(text: string): NightlyReport {
  const requirement: RequirementView = {
    id: "E1",
    sentence: text,
    state: "broken",
    judgements: [{ state: "broken", why: text, command: text }],
  };
  const waiting: RequirementView = {
    ...requirement,
    id: "E2",
    state: "waiting",
    judgements: [{ state: "waiting", why: text, command: text }],
  };
  return {
    started: "2026-01-02T03:04:05.000Z",
    ended: "2026-01-02T03:05:05.000Z",
    commit: "c".repeat(40),
    clean: false,
    corpus: "a".repeat(64),
    spec: "5".repeat(64),
    whole: false,
    exit: 3,
    quiet: [text],
    regressions: [text],
    parts: [
      {
        name: text,
        what: text,
        exit: 1,
        seconds: 1,
        fault: text,
        command: text,
        figures: [[text, 1]],
      },
      { name: "b", what: text, exit: null, seconds: 0, fault: null, command: "", figures: [] },
    ],
    gate: { exit: 1, evidence: [requirement, waiting], stopRules: [requirement] },
    matrix: {
      testees: [text, "b"],
      rows: [{
        group: text,
        cells: [{ pass: 1, wrong: 1, asked: 2 }, { pass: 2, wrong: 0, asked: 2 }],
      }],
    },
    findings: [finding(text)],
    moreFindings: 999_999,
    stages: [[text, 4], ["accept", 0]],
    logits: [{
      name: text,
      verdict: text,
      points: [{ position: 0, share: 0 }, { position: 1, share: 2 }],
    }],
    trends: [{ title: text, points: [{ started: text, value: 1 }, { started: text, value: 2 }] }],
  };
}

/** What the plotting library draws with; which labels it leaves out depends on their length. */
const DRAWN = new Set(["svg", "rect", "path", "text", "g", "defs", "clipPath", "style"]);

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
  assert(plain.filter((one) => one === "svg").length === 2, "plots are drawn");
  for (const text of HOSTILE) {
    assertEquals(skeleton(parse(html(reportWith(text)))), plain, text.slice(0, 40));
  }
});

Deno.test("the page has no script, no outside address, and a policy that forbids both", () => {
  const page = html(reportWith(PLAIN));
  assertStringIncludes(page, `content="default-src 'none'; style-src 'unsafe-inline'"`);
  assertEquals(/<script|<link|<iframe|<img| on[a-z]+=/i.test(page), false);
  const addresses = [...page.matchAll(/https?:\/\/[^"' <]+/g)].map(([address]) => address);
  assertEquals(addresses.filter((one) => !one.startsWith("http://www.w3.org/")), []);
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
      title: "t",
      points: Array.from({ length: 100_000 }, (_, i) => ({ started: "2026", value: i })),
    }],
  };
  for (const report of [long, many]) {
    assert(html(report).length < 1 << 20, `page: ${html(report).length}`);
    assert(sarif(report).length < 1 << 20, `sarif: ${sarif(report).length}`);
    assert(annotations(report).join("\n").length < 1 << 16, "annotations");
  }
  assert(escape("z".repeat(1 << 24)).length < 5000);
});
