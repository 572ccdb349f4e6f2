/** A report with chosen texts, for tests. Not itself a test. */
import type { CaseResult, Report, Status } from "./model.ts";

/** A text that breaks nothing. */
export const PLAIN = "plain";

/** Texts that try to break out of HTML, XML or a terminal. */
export const HOSTILE: readonly string[] = [
  `<img src=x onerror=alert(1)>`,
  `"><script>alert(1)</script>`,
  `' onmouseover='alert(1)`,
  `</style></title></textarea><h1>`,
  `]]><!--`,
  `&lt;&#0;&amp`,
  "\ud800 lone \udfff",
  "\u0000\u001b[31m\u0007\u009b\ufffe",
  "\u202egnp.exe\u2066",
  "x".repeat(100_000),
];

/** A report in which every foreign text is `text`, with a case of each status. */
export function reportWith(text: string): Report {
  const result = (status: Status, kind: CaseResult["kind"]): CaseResult => ({
    status,
    kind,
    result: text,
    differences: [{ field: "code", expected: text, actual: text }],
    why: text,
    stderr: `first\n${text}`,
  });
  const results = [
    result("pass", "accept"),
    result("fail", "reject"),
    result("fail", "crash"),
    result("known", "skip"),
    result("fixed", "reject"),
    result("changed", "hang"),
    result("out-of-scope", "none"),
    result("not-run", "none"),
  ];
  const testee = { name: text, version: text, language: text, stages: [1, 28] as const, results };
  return {
    corpus: { version: "1.0.0", content_id: "ab".repeat(32), spec: text, cases: 9 },
    selection: text,
    cases: results.map((_, i) => ({
      id: `group-${i % 3}/case-${i}`,
      group: `group-${i % 3}`,
      expected: "reject 4 BadMagic [header]",
      reason: text,
      spec: text,
      sentences: [text, text],
    })),
    testees: [{ ...testee, faults: [text], notes: [text] }, { ...testee, faults: [], notes: [] }],
    contradictions: [{
      id: "group-0/case-0",
      fields: ["code"],
      answers: [{ result: text, testees: [text, text] }, { result: text, testees: [text] }],
    }],
  };
}
