/** A report with chosen texts, for tests. Not itself a test. */
import type { FindingView, NightlyReport, RequirementView } from "./model.ts";

/** A text that breaks nothing. */
export const PLAIN = "plain";
/** Texts that try to break out of HTML, XML, a workflow command or a terminal. */
export const HOSTILE: readonly string[] = [
  `<img src=x onerror=alert(1)>`,
  `"><script>alert(1)</script>`,
  `' onmouseover='alert(1)`,
  `</style></title></svg><h1>`,
  `]]><!--`,
  "\ud800 lone \udfff",
  "\u0000\u001b[31m\u0007\u009b\ufffe",
  "\u202egnp.exe\u2066",
  "\n::error title=x::y",
  `javascript:alert(1)//</script><script>globalThis.ran = 1</script>`,
  `<svg onload="globalThis.ran = 1"><foreignObject><img src=x onerror="globalThis.ran = 1">`,
  "x".repeat(100_000),
];

function finding(text: string): FindingView {
  const row = { offset: 40, name: text, hex: "00 ff", value: text, marked: [1], was: "00 fe" };
  return {
    name: text,
    class: text,
    key: text,
    detail: text,
    state: "new",
    note: text,
    firstSeen: text,
    replay: text,
    asked: text,
    size: 300,
    verdicts: [{ reader: text, result: text }, { reader: "table", result: text }],
    fields: [text],
    sentences: [text],
    parent: text,
    rows: [
      { ...row, mark: "fault" },
      { ...row, mark: "sealed", was: text },
      { ...row, mark: "", marked: [], was: null },
    ],
    moreRows: 3,
  };
}

/** A report in which every text is `text`. */
export function reportWith(text: string): NightlyReport {
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
    gate: {
      exit: 1,
      evidence: [requirement, waiting],
      stopRules: [requirement],
      withoutVector: [text],
      unreached: [text, "b"],
    },
    matrix: {
      testees: [text, "b"],
      cases: 2,
      rows: [{
        group: text,
        cells: [{ pass: 1, wrong: 1, asked: 2 }, { pass: 2, wrong: 0, asked: 2 }],
      }],
    },
    findings: [finding(text)],
    moreFindings: 999_999,
    campaign: {
      executions: 5,
      perSecond: 1,
      edges: 3,
      allEdges: 4,
      entries: 2,
      yields: [[text, 0.5], ["b", 0]],
    },
    stages: [[text, 4], ["accept", 0]],
    logits: [
      {
        group: text,
        subject: text,
        backend: text,
        verdict: text,
        points: [{ position: 0, share: 0 }, { position: 1, share: 2 }],
        layers: [{ name: text, error: 1 }, { name: "b", error: 2 }],
      },
      {
        group: text,
        subject: text,
        backend: "b",
        verdict: text,
        points: [{ position: 0, share: 0.1 }],
        layers: [],
      },
    ],
    rates: [
      { name: text, value: 0.5, unit: text, bound: text, holds: false },
      { name: text, value: 2, unit: text, bound: text, holds: true },
    ],
    trends: [{
      part: text,
      figure: text,
      points: [{ started: text, value: 1 }, { started: text, value: 2 }],
      band: { low: 0.5, high: Infinity },
    }],
  };
}
