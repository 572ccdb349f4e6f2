/**
 * A nightly run as one HTML page without script or outside file: what stands first, then the gate,
 * then what was found, then how the lab itself is doing.
 */
import { Markup, markup } from "../markup.ts";
import { STYLE } from "../conformance/style.ts";
import { findings } from "./finding.ts";
import type { MatrixView, NightlyReport, PartView, RequirementView, State } from "./model.ts";
import { plot } from "./plot.ts";
import { NIGHTLY_STYLE } from "./style.ts";

const EXIT_WORDS = ["Holds", "Does not hold", "Could not be run in full", "Two readers disagree"];

const TONES: Readonly<Record<State, string>> = {
  held: "good",
  waiting: "aside",
  missing: "bad",
  broken: "bad",
};

/** Lines of a list that a page shows. */
const LINES = 200;

export function html(report: NightlyReport): string {
  const { started, ended, commit, clean, corpus, spec, exit, quiet, regressions } = report;
  const title = `SLM2 nightly ${started.slice(0, 16).replace("T", " ")}`;
  return "<!doctype html>\n" + markup`<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${title}</title>
<style>${new Markup(STYLE + NIGHTLY_STYLE)}</style>
<a class="skip" href="#findings">Skip to findings</a>
<header>
<h1>${title}</h1>
<p class="verdict ${exit === 0 ? "good" : "bad"}"><strong>${
    EXIT_WORDS[exit] ?? `Exit ${exit}`
  }</strong> ${gateWords(report)}</p>
<dl class="wide">
<dt>commit</dt><dd><code>${commit}</code>${
    clean ? [] : markup` <span class="bad">with changes: no evidence for the gate</span>`
  }</dd>
<dt>corpus</dt><dd><code>${corpus}</code></dd>
<dt>specification</dt><dd><code>${spec}</code></dd>
<dt>ran</dt><dd>${started.slice(0, 19)} to ${ended.slice(0, 19)} UTC</dd>
</dl>
<nav aria-label="On this page"><a href="#gate">Gate</a> <a href="#parts">Parts</a> <a href="#matrix">Conformance</a> <a href="#findings">Findings</a> <a href="#logits">Logits</a> <a href="#coverage">Coverage</a> <a href="#trends">Trends</a></nav>
</header>
<main>
${lines("Quiet: red though the parts held", quiet)}${
    lines("Worse than the previous run", regressions)
  }
<h2 id="gate">The release gate</h2>
${requirements("Evidence required", report.gate.evidence)}
${requirements("Stop rules", report.gate.stopRules)}
<h2 id="parts">Parts</h2>
${parts(report.parts)}
<h2 id="matrix">Conformance</h2>
${report.matrix === null ? markup`<p class="bad">No run.</p>` : matrix(report.matrix)}
<h2 id="findings">Findings</h2>
${findings(report.findings, report.moreFindings)}
<h2 id="logits">Logits</h2>
${logits(report)}
<h2 id="coverage">Coverage and stages</h2>
${stages(report)}
<h2 id="trends">Trends</h2>
${trends(report)}
</main>
</html>
`.text;
}

function gateWords({ gate }: NightlyReport): string {
  const all = [...gate.evidence, ...gate.stopRules];
  const count = (state: State) => all.filter((one) => one.state === state).length;
  return `Gate: ${count("held")} held, ${count("waiting")} waiting for a person, ${
    count("missing")
  } missing, ${count("broken")} broken of ${all.length}.`;
}

function lines(title: string, list: readonly string[]): Markup {
  if (list.length === 0) return markup``;
  const more = list.length - LINES;
  return markup`<h2>${title}</h2>
<ul class="bad">${list.slice(0, LINES).map((line) => markup`<li>${line}</li>`)}</ul>
${more > 0 ? markup`<p class="quiet">and ${more} more</p>` : []}`;
}

function requirements(title: string, list: readonly RequirementView[]): Markup {
  return markup`<section><h3>${title}</h3>
<ul class="gate">${
    list.map(({ id, sentence, state, judgements }) =>
      markup`<li><span class="state ${TONES[state]}">${state}</span><div><b>${id}</b> ${sentence}${
        judgements.filter((one) => one.state !== "held").map(({ state, why, command }) =>
          markup`<div class="why"><span class="${TONES[state]}">${state}</span> ${why}${
            command ? markup`<pre tabindex="0">${command}</pre>` : []
          }</div>`
        )
      }</div></li>\n`
    )
  }</ul></section>
`;
}

function parts(list: readonly PartView[]): Markup {
  return markup`<div class="cards">${
    list.map(({ name, what, exit, seconds, fault, command, figures }) =>
      markup`<section class="card">
<h3>${name} <span class="${exit === 0 ? "good" : "bad"}">${
        fault ?? (exit === 0 ? "holds" : `exit ${exit ?? "none"}`)
      }</span></h3>
<p class="quiet">${what}, ${seconds.toFixed(1)} s</p>
<details><summary>${figures.length} figures</summary><dl>${
        figures.slice(0, LINES).map(([figure, value]) =>
          markup`<dt>${figure}</dt><dd>${
            Number.isInteger(value) ? value.toLocaleString("en-US") : value.toPrecision(4)
          }</dd>`
        )
      }</dl><pre tabindex="0">${command}</pre></details>
</section>
`
    )
  }</div>`;
}

function matrix({ testees, rows }: MatrixView): Markup {
  return markup`<div class="filter"><input type="checkbox" id="only"><label for="only">Only groups with something not as expected</label></div>
<div class="scroll matrix" tabindex="0" role="region" aria-labelledby="matrix"><table>
<thead><tr><th scope="col">group</th>${
    testees.map((name) => markup`<th scope="col">${name}</th>`)
  }</tr></thead>
<tbody>${
    rows.map(({ group, cells }) => {
      const holds = cells.every(({ pass, asked }) => pass === asked);
      return markup`<tr${new Markup(holds ? ' class="holds"' : "")}><th scope="row">${
        group || "(no group)"
      }</th>${
        cells.map(({ pass, wrong, asked }) =>
          wrong > 0
            ? markup`<td class="bad">✗ ${wrong} of ${asked} wrong</td>`
            : asked === 0
            ? markup`<td class="quiet">– out of scope</td>`
            : pass === asked
            ? markup`<td class="good">✓ all ${asked}</td>`
            : markup`<td class="aside">○ ${pass} of ${asked}</td>`
        )
      }</tr>\n`;
    })
  }</tbody></table></div>
<p><a href="conform/report.html">The whole conformance report</a></p>`;
}

function logits({ logits }: NightlyReport): Markup {
  if (logits.length === 0) return markup`<p class="quiet">No comparison was kept.</p>`;
  return markup`<p class="quiet">Largest distance at each position, as a share of the bound (red line).</p>
<div class="plots">${
    logits.map(({ name, verdict, points }) =>
      plot({
        title: `${name}: ${verdict}`,
        kind: "line",
        labels: points.map(({ position }) => String(position)),
        values: points.map(({ share }) => share),
        bound: 1,
        logarithmic: true,
      })
    )
  }</div>`;
}

function stages({ stages }: NightlyReport): Markup {
  const all = stages.reduce((sum, [, count]) => sum + count, 0);
  if (all === 0) return markup`<p class="bad">No campaign ran.</p>`;
  const most = Math.max(...stages.map(([, count]) => count));
  return markup`<p class="quiet">Verdicts of the campaign by the stage that gave them; a bar's length is the logarithm of the count.</p>
<table class="histogram"><tbody>${
    stages.map(([name, count]) =>
      markup`<tr><th scope="row">${name}</th><td class="${count === 0 ? "bad" : ""}">${
        count.toLocaleString("en-US")
      }</td><td aria-hidden="true"><span class="length" style="width:${
        (100 * Math.log1p(count) / Math.log1p(most)).toFixed(1)
      }%"></span></td></tr>\n`
    )
  }</tbody></table>`;
}

function trends({ trends }: NightlyReport): Markup {
  if (trends.length === 0) return markup`<p class="quiet">No history yet.</p>`;
  return markup`<div class="plots">${
    trends.map(({ title, points }) =>
      plot({
        title,
        kind: "line",
        labels: points.map(({ started }) => started.slice(5, 16).replace("T", " ")),
        values: points.map(({ value }) => value),
      })
    )
  }</div>`;
}
