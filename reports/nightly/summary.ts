/** The head of the nightly page: what a person has to know before the first coffee. */
import { type Markup, markup } from "../markup.ts";
import { countIn, isOpen } from "./gate.ts";
import { type NightlyReport, number, percent } from "./model.ts";

const EXIT_WORDS = ["Holds", "Does not hold", "Could not be run", "Two readers disagree"];

interface Tile {
  readonly href: string;
  readonly name: string;
  readonly verdict: string;
  readonly good: boolean;
  readonly more: string;
}

export function summary(report: NightlyReport): Markup {
  return markup`<nav class="tiles" aria-label="Summary">${
    tiles(report).map(({ href, name, verdict, good, more }) =>
      markup`<a class="tile ${
        good ? "holds" : "fails"
      }" href="#${href}"><span>${name}</span> <strong class="${good ? "good" : "bad"}">${
        good ? "✓" : "✗"
      } ${verdict}</strong> <span class="quiet">${more}</span></a>\n`
    )
  }</nav>`;
}

function tiles(report: NightlyReport): Tile[] {
  const { exit, parts, whole, findings, moreFindings, matrix, campaign } = report;
  const { quiet, regressions } = report;
  const ran = parts.filter((one) => one.exit === 0 && one.fault === null).length;
  const open = findings.filter(({ state }) => state !== "fixed").length + moreFindings;
  const states = ["regressed", "new", "known"].map((name) =>
    [findings.filter(({ state }) => state === name).length, name] as const
  ).filter(([count]) => count > 0).map((pair) => pair.join(" ")).join(", ");
  const holding =
    matrix?.testees.filter((_, t) =>
      matrix.rows.every(({ cells }) => cells[t].pass === cells[t].asked)
    ).length ?? 0;
  return [
    {
      href: "parts",
      name: "Night",
      verdict: whole || exit > 2 ? EXIT_WORDS[exit] ?? `Exit ${exit}` : "Not whole",
      good: exit === 0,
      more: `${ran} of ${parts.length} parts hold${whole ? "" : "; not all ran to their end"}`,
    },
    {
      href: "gate",
      name: "Release gate",
      verdict: isOpen(report) ? "Open" : "Shut",
      good: isOpen(report),
      more: `${countIn(report, "held")} held, ${countIn(report, "waiting")} waiting, ${
        countIn(report, "missing")
      } missing, ${countIn(report, "broken")} broken`,
    },
    {
      href: "findings",
      name: "Findings",
      verdict: open === 0 ? "None open" : `${number(open)} open`,
      good: open === 0,
      more: states || (findings.length > 0 ? `${number(findings.length)} fixed` : "none filed"),
    },
    {
      href: "matrix",
      name: "Conformance",
      verdict: matrix === null ? "No run" : `${holding} of ${matrix.testees.length} testees`,
      good: matrix !== null && holding === matrix.testees.length,
      more: matrix === null ? "" : `${number(matrix.cases)} cases each`,
    },
    {
      href: "coverage",
      name: "Campaign",
      verdict: campaign === null ? "No run" : `${number(campaign.executions)} inputs`,
      good: campaign !== null && campaign.executions > 0,
      more: campaign === null ? "" : `${percent(campaign.edges, campaign.allEdges)} of all edges`,
    },
    {
      href: "changes",
      name: "Since the last run",
      verdict: quiet.length > 0
        ? `${number(quiet.length)} quiet`
        : regressions.length > 0
        ? `${number(regressions.length)} worse`
        : "Nothing worse",
      good: regressions.length + quiet.length === 0,
      more: quiet.length === 0
        ? "no figure left its band"
        : `cut off or out of its band; ${number(regressions.length)} worse`,
    },
  ];
}
