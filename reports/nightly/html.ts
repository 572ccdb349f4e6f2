/**
 * A nightly run as one HTML page without outside file: what stands first, then the gate, then what
 * was found, then how the lab itself is doing.
 */
import { Markup, markup } from "../markup.ts";
import { STYLE } from "../conformance/style.ts";
import { bars } from "./bars.ts";
import { command, COPY_POLICY, COPY_SCRIPT } from "./copy.ts";
import { findings } from "./finding.ts";
import { gate } from "./gate.ts";
import { logits } from "./logits.ts";
import { matrix } from "./matrix.ts";
import { type NightlyReport, number, type PartView, percent, short } from "./model.ts";
import { plot } from "./plot.ts";
import { NIGHTLY_STYLE } from "./style.ts";
import { summary } from "./summary.ts";

/** Lines of a list, figures of a part, and mutators that a page shows. */
const LINES = 200;

const POLICY = `default-src 'none'; style-src 'unsafe-inline'; script-src ${COPY_POLICY}; ` +
  "base-uri 'none'; form-action 'none'";

export function html(report: NightlyReport): string {
  const { started, ended, commit, clean, corpus, spec, whole } = report;
  const title = `SLM2 nightly ${minute(started)}${whole ? "" : ", not whole"}`;
  return "<!doctype html>\n" + markup`<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${title}</title>
<style>${new Markup(STYLE + NIGHTLY_STYLE)}</style>
<a class="skip" href="#main">Skip to the report</a>
<header>
<h1>${title}</h1>
${summary(report)}
<dl class="wide">
<dt>commit</dt><dd><code>${commit}</code>${
    clean ? [] : markup` <span class="bad">with changes: no evidence for the gate</span>`
  }</dd>
<dt>corpus</dt><dd><code>${corpus}</code></dd>
<dt>specification</dt><dd><code>${spec}</code></dd>
<dt>ran</dt><dd>${minute(started)} to ${minute(ended)} UTC</dd>
</dl>
</header>
<main id="main" tabindex="-1">
<h2 id="changes">Since the last run</h2>
${changes(report)}
<h2 id="gate">The release gate</h2>
${gate(report)}
<h2 id="findings">Findings</h2>
${findings(report.findings, report.moreFindings)}
<h2 id="matrix">Conformance</h2>
${report.matrix === null ? markup`<p class="bad">No run.</p>` : matrix(report.matrix)}
<h2 id="logits">Logits</h2>
${logits(report.logits)}
<h2 id="rates">Rates and their bounds</h2>
${rates(report)}
<h2 id="coverage">Coverage and stages</h2>
${coverage(report)}
<h2 id="trends">Trends</h2>
${trends(report)}
<h2 id="parts">Parts</h2>
${parts(report.parts)}
</main>
<script>${new Markup(COPY_SCRIPT)}</script>
</html>
`.text;
}

const minute = (time: string) => time.slice(0, 16).replace("T", " ");

function changes({ quiet, regressions }: NightlyReport): Markup {
  if (quiet.length + regressions.length === 0) {
    return markup`<p class="good">Nothing is quiet, and nothing is worse than in the previous run.</p>`;
  }
  return markup`${lines("Quiet: red though its part may hold", quiet)}${
    lines("Worse than in the previous run", regressions)
  }`;
}

function lines(title: string, list: readonly string[]): Markup {
  if (list.length === 0) return markup``;
  const more = list.length - LINES;
  return markup`<h3>${title}</h3>
<ul class="bad">${list.slice(0, LINES).map((line) => markup`<li>${line}</li>`)}</ul>
${more > 0 ? markup`<p class="quiet">and ${number(more)} more</p>` : []}`;
}

function parts(list: readonly PartView[]): Markup {
  return markup`${
    list.map(({ name, what, exit, seconds, fault, command: line, figures }) => {
      const good = exit === 0 && fault === null;
      return markup`<details class="part"><summary><span class="state ${good ? "good" : "bad"}">${
        good ? "✓ holds" : `✗ ${fault ?? `exit ${exit ?? "none"}`}`
      }</span> <b>${name}</b> <span class="quiet">${what}</span> <span class="time">${
        seconds.toFixed(1)
      } s</span></summary>
${
        line
          ? markup`${command(line)}<p><a href="./${
            encodeURIComponent(name.slice(0, 100).toWellFormed())
          }.log">What it printed</a></p>`
          : []
      }<dl>${
        figures.slice(0, LINES).map(([figure, value]) =>
          markup`<dt>${figure}</dt><dd>${short(value)}</dd>`
        )
      }</dl></details>
`;
    })
  }`;
}

function rates({ rates }: NightlyReport): Markup {
  if (rates.length === 0) return markup`<p class="bad">Nothing was measured.</p>`;
  const missed = rates.filter(({ holds }) => !holds), held = rates.filter(({ holds }) => holds);
  return markup`${
    missed.length === 0
      ? markup`<p class="good">All ${rates.length} bounds hold.</p>`
      : rateTable(missed)
  }${
    held.length === 0
      ? []
      : markup`<details class="group"><summary><h3>${held.length} hold</h3></summary>${
        rateTable(held)
      }</details>`
  }`;
}

function rateTable(list: NightlyReport["rates"]): Markup {
  return markup`<div class="scroll" tabindex="0" role="region" aria-label="Rates"><table><thead><tr><th scope="col">what</th><th scope="col">measured</th><th scope="col">bound</th></tr></thead><tbody>${
    list.slice(0, LINES).map(({ name, value, unit, bound, holds }) =>
      markup`<tr><th scope="row">${name}</th><td class="${holds ? "good" : "bad"}">${
        holds ? "✓" : "✗"
      } ${short(value)} ${unit}</td><td>${bound}</td></tr>\n`
    )
  }</tbody></table></div>`;
}

function coverage({ campaign, stages }: NightlyReport): Markup {
  if (campaign === null) return markup`<p class="bad">No campaign ran.</p>`;
  const { executions, perSecond, edges, allEdges, entries, yields } = campaign;
  return markup`<dl>
<dt>inputs</dt><dd>${number(executions)}, ${number(Math.round(perSecond))} a second</dd>
<dt>edges</dt><dd>${number(edges)} of ${number(allEdges)}, ${percent(edges, allEdges)}</dd>
<dt>kept</dt><dd>${number(entries)} inputs, each for something that no other reaches</dd>
</dl>
<div class="meter" role="img" aria-label="${`${
    percent(edges, allEdges)
  } of all edges are reached`}"><span style="width:${percent(edges, allEdges)}"></span></div>
<h3>Verdicts by the stage that gave them</h3>
<p class="quiet">The length of a bar is the logarithm of its count.</p>
${
    bars(
      stages.map(([name, count]) => ({ name, count, text: number(count), bad: count === 0 })),
      ["stage", "verdicts"],
    )
  }
${
    yields.length === 0
      ? []
      : markup`<details class="group"><summary><h3>What each mutator brought</h3></summary>
<p class="quiet">Inputs that were kept, of a thousand tries.</p>
${
        bars(
          yields.slice(0, LINES).map(([name, share]) => ({
            name,
            count: 1000 * share,
            text: short(1000 * share),
            bad: share === 0,
          })),
          ["mutator", "of 1,000"],
        )
      }</details>`
  }`;
}

function trends({ trends }: NightlyReport): Markup {
  if (trends.every(({ points }) => points.length < 2)) {
    return markup`<p class="quiet">This is the first run of this budget: trends begin with the next one.</p>`;
  }
  const [first, ...others] = Map.groupBy(trends, ({ part }) => part);
  return markup`<p class="quiet">Runs of the same budget. The shaded area is the band of a figure's own history, from three runs on.</p>
${plots(first[1])}${
    others.map(([part, list]) =>
      markup`<details class="group"><summary><h3>${part}, ${list.length} figures</h3></summary>${
        plots(list)
      }</details>`
    )
  }`;
}

function plots(list: NightlyReport["trends"]): Markup {
  return markup`<div class="plots">${
    list.map(({ part, figure, points, band }) =>
      plot({
        title: `${part}: ${figure}`,
        kind: "line",
        labels: points.map(({ started }) => started.slice(5, 16).replace("T", " ")),
        series: [{ name: figure, values: points.map(({ value }) => value) }],
        band,
      })
    )
  }</div>`;
}
