/** Findings as SARIF 2.1.0 (OASIS), for code-scanning views. */
import type { FindingView, NightlyReport } from "./model.ts";

/** Characters of a message: viewers cut long ones. */
const MOST = 1000;

const text = (value: string) => ({
  text: value.length > MOST ? `${value.slice(0, MOST)}…`.toWellFormed() : value.toWellFormed(),
});

/** An id of a rule. */
const rule = (name: string) => name.slice(0, 100).toWellFormed();

const LEVELS: Readonly<Record<string, string>> = { fixed: "note", known: "warning" };

export function sarif({ findings, commit, quiet }: NightlyReport): string {
  const rules = [...new Set(findings.map((one) => rule(one.class))), "quiet"];
  const log = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [{
      tool: {
        driver: {
          name: "SLM2 lab",
          rules: rules.map((id) => ({ id, shortDescription: { text: `${id} of a reader` } })),
        },
      },
      versionControlProvenance: /^[0-9a-f]{40}$/.test(commit)
        ? [{ repositoryUri: "https://example.org/slm2-lab", revisionId: commit }]
        : [],
      results: [
        ...findings.map((one) => ({
          ruleId: rule(one.class),
          level: LEVELS[one.state] ?? "error",
          message: text(`${one.state}: ${one.key}\n${one.detail}\n${one.replay}`),
          partialFingerprints: { "bucket/v1": one.name.slice(0, 200).toWellFormed() },
          locations: [location(one)],
        })),
        ...quiet.slice(0, 100).map((line) => ({
          ruleId: "quiet",
          level: "error",
          message: text(line),
          locations: [{ physicalLocation: { artifactLocation: { uri: "lab/nightly/bands.ts" } } }],
        })),
      ],
    }],
  };
  return JSON.stringify(log, null, 1) + "\n";
}

/** The contract stands for both readers where a verdict names no place in the source. */
function location({ rows, name }: FindingView) {
  const marked = rows.find(({ mark }) => mark === "fault" || mark === "differs");
  return {
    physicalLocation: {
      artifactLocation: { uri: "readers/contract.ts" },
      region: { startLine: 1 },
    },
    logicalLocations: [{
      name: (marked?.name || name).slice(0, 200).toWellFormed(),
      kind: "member",
    }],
  };
}
