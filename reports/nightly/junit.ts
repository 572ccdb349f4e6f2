/** A nightly run as JUnit XML: suites for parts, the gate, and findings. */
import { type Markup, markup } from "../markup.ts";
import type { NightlyReport } from "./model.ts";

interface Test {
  readonly name: string;
  readonly failure: string | null;
  readonly skipped?: string;
}

export function junit(report: NightlyReport): string {
  const { parts, gate, findings, moreFindings, quiet } = report;
  const suites: [string, Test[]][] = [
    [
      "parts",
      parts.map(({ name, exit, fault }) => ({
        name,
        failure: exit === 0 && fault === null ? null : fault ?? `ended with exit code ${exit}`,
      })),
    ],
    ["quiet", quiet.map((line) => ({ name: line, failure: line }))],
    [
      "gate",
      [...gate.evidence, ...gate.stopRules].map(({ id, sentence, state, judgements }) => {
        const why = judgements.filter((one) => one.state === state).map((one) => one.why)
          .join("\n");
        const name = `${id} ${sentence}`;
        if (state === "waiting") return { name, failure: null, skipped: why };
        return { name, failure: state === "held" ? null : `${state}: ${why}` };
      }),
    ],
    [
      "findings",
      [
        ...findings.map(({ name, state, class: kind, key, detail, replay }) => ({
          name: `${kind} ${name}`,
          failure: state === "fixed" ? null : `${state}: ${key}\n${detail}\n${replay}`,
        })),
        ...(moreFindings > 0
          ? [{ name: "more", failure: `${moreFindings} findings are not listed` }]
          : []),
      ],
    ],
  ];
  return '<?xml version="1.0" encoding="UTF-8"?>\n' +
    markup`<testsuites name="SLM2 nightly">
${suites.map(([name, tests]) => suite(name, tests))}</testsuites>
`.text;
}

function suite(name: string, tests: readonly Test[]): Markup {
  const failures = tests.filter(({ failure }) => failure !== null).length;
  const skipped = tests.filter(({ skipped }) => skipped !== undefined).length;
  return markup`  <testsuite name="${name}" tests="${tests.length}" failures="${failures}" errors="0" skipped="${skipped}">
${
    tests.map((test) =>
      markup`    <testcase classname="${name}" name="${test.name}">${
        test.failure !== null
          ? markup`<failure message="${test.failure.split("\n")[0]}">${test.failure}</failure>`
          : test.skipped !== undefined
          ? markup`<skipped message="${test.skipped}"/>`
          : []
      }</testcase>\n`
    )
  }  </testsuite>
`;
}
