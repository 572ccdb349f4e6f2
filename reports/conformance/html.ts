/**
 * A conformance run as one HTML page without script or outside file: what holds, a matrix of
 * groups and testees, every failure explained, every case listed.
 */
import { Markup, markup } from "../markup.ts";
import { countsOf } from "./json.ts";
import {
  type CaseResult,
  type CaseText,
  FAILING,
  holds,
  IN_RESULT,
  number,
  type Report,
  RESULT_KINDS,
  type Status,
  type TesteeReport,
} from "./model.ts";
import { STYLE } from "./style.ts";

/** Failures explained a testee; the matrix and the list of cases still show all. */
const EXPLAINED = 500;

/** Failures up to which they stand open. */
const OPEN = 10;

const SIGNS: Readonly<Record<Status, { sign: string; tone: string; name: string }>> = {
  "pass": { sign: "✓", tone: "good", name: "as expected" },
  "fail": { sign: "✗", tone: "bad", name: "not as expected" },
  "known": { sign: "○", tone: "aside", name: "known failure" },
  "fixed": { sign: "✗", tone: "bad", name: "unexpected success" },
  "changed": { sign: "✗", tone: "bad", name: "known failure that changed" },
  "out-of-scope": { sign: "–", tone: "quiet", name: "out of scope" },
  "not-run": { sign: "?", tone: "aside", name: "not run" },
};

export function html(report: Report): string {
  const { corpus, cases, testees } = report;
  const title = `SLM2 conformance: corpus ${corpus.version}`;
  return "<!doctype html>\n" + markup`<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${title}</title>
<style>${new Markup(STYLE)}</style>
<a class="skip" href="#failures">Skip to what failed</a>
<header>
<h1>${title}</h1>
<dl class="wide">
<dt>content id</dt><dd><code>${corpus.content_id}</code></dd>
<dt>spec</dt><dd>${corpus.spec}</dd>
<dt>cases</dt><dd>${number(cases.length)} of ${number(corpus.cases)}${
    report.selection ? ` (${report.selection})` : ""
  }</dd>
</dl>
</header>
<main>
<h2>Testees</h2>
<div class="cards">
${testees.map(card)}</div>
<h2 id="matrix">Groups</h2>
${matrix(report)}
<h2 id="failures">What is not as expected</h2>
${testees.map((testee, i) => failures(report, testee, i))}
${contradictions(report)}
<h2>All cases</h2>
<p class="quiet">${Object.values(SIGNS).map(({ sign, name }) => `${sign} ${name}`).join(", ")}</p>
${groups(cases).map(([group, indices]) => groupList(report, group, indices))}
</main>
</html>
`.text;
}

function card(testee: TesteeReport): Markup {
  const { status, result } = countsOf(testee);
  const failing = status.fail + status.fixed + status.changed;
  const [first, last] = testee.stages;
  const shares: readonly [tone: string, count: number][] = [
    ["good", status.pass],
    ["bad", failing],
    ["aside", status.known + status["not-run"]],
  ];
  const told = (Object.keys(SIGNS) as Status[]).filter((one) => status[one] > 0);
  return markup`<section class="card">
<h3>${testee.name} <span class="quiet">${testee.version}</span></h3>
<div class="quiet">${testee.language}, stages ${first} to ${last}</div>
<div class="bar">${
    shares.filter(([, count]) => count > 0).map(([tone, count]) =>
      markup`<span class="${tone}" style="flex:${count}"></span>`
    )
  }</div>
<strong class="${holds(testee) ? "good" : "bad"}">${
    holds(testee) ? "Holds" : "Does not hold"
  }</strong>
<ul>${
    told.map((one) =>
      markup`<li class="${SIGNS[one].tone}">${number(status[one])} ${SIGNS[one].name}</li>`
    )
  }</ul>
<p class="quiet">${RESULT_KINDS.map((kind) => `${kind} ${number(result[kind])}`).join(", ")}</p>
${testee.faults.map((fault) => markup`<p class="bad">${fault}</p>`)}${
    testee.notes.map((note) => markup`<p class="quiet">${note}</p>`)
  }
</section>
`;
}

function contradictions({ contradictions, testees }: Report): Markup {
  if (testees.length < 2) return markup``;
  const rows = contradictions.slice(0, EXPLAINED).map(({ id, fields, answers }) => {
    const said = answers.map(({ result, testees }) =>
      markup`<div>${result}: <b>${testees.join(", ")}</b></div>`
    );
    return markup`<tr><th scope="row">${id}</th><td class="wrap">${
      fields.join(", ")
    }</td><td class="wrap">${said}</td></tr>\n`;
  });
  const more = contradictions.length - rows.length;
  return markup`<h2>Where testees contradict each other</h2>
${
    rows.length === 0
      ? markup`<p class="good">Nowhere.</p>`
      : markup`<div class="scroll" tabindex="0"><table>
<thead><tr><th scope="col">case</th><th scope="col">in</th><th scope="col">answers</th></tr></thead>
<tbody>${rows}</tbody></table></div>`
  }
${more > 0 ? markup`<p class="quiet">and ${number(more)} more</p>` : []}`;
}

/** Case indices by group, in the order of the corpus. */
function groups(cases: readonly CaseText[]): [string, number[]][] {
  const found = new Map<string, number[]>();
  for (const [i, { group }] of cases.entries()) {
    const indices = found.get(group);
    if (indices) indices.push(i);
    else found.set(group, [i]);
  }
  return [...found];
}

/** The name of a group, which may be broken at its slashes. */
function parted(group: string): Markup {
  const parts = (group || "(no group)").split("/");
  return markup`${parts.map((part, i) => i === 0 ? part : markup`/<wbr>${part}`)}`;
}

function matrix({ cases, testees }: Report): Markup {
  const rows = groups(cases).map(([group, indices]) => {
    const cells = testees.map((testee, t) => cell(indices.map((i) => testee.results[i]), t, group));
    const all = cells.every(({ good }) => good);
    return markup`<tr${new Markup(all ? ' class="holds"' : "")}><th scope="row">${
      parted(group)
    }</th>${cells.map(({ td }) => td)}</tr>\n`;
  });
  return markup`<div class="filter"><input type="checkbox" id="only"><label for="only">Only groups with something not as expected</label></div>
<div class="scroll matrix" tabindex="0" role="region" aria-labelledby="matrix"><table>
<thead><tr><th scope="col">group</th>${
    testees.map(({ name, version }) => markup`<th scope="col">${name} ${version}</th>`)
  }</tr></thead>
<tbody>${rows}</tbody></table></div>`;
}

function cell(
  results: readonly CaseResult[],
  testee: number,
  group: string,
): { readonly good: boolean; readonly td: Markup } {
  const count = (status: Status) => results.filter((one) => one.status === status).length;
  const failing = results.filter(({ status }) => FAILING.has(status)).length;
  const asked = results.length - count("out-of-scope");
  const pass = count("pass");
  if (failing > 0) {
    const link = `#${anchor(testee, group)}`;
    const text = `${number(failing)} of ${number(asked)} wrong`;
    return { good: false, td: markup`<td class="bad">✗ <a href="${link}">${text}</a></td>` };
  }
  if (asked === 0) return { good: true, td: markup`<td class="quiet">– out of scope</td>` };
  const all = pass === asked;
  return {
    good: all,
    td: all
      ? markup`<td class="good">✓ all ${number(asked)}</td>`
      : markup`<td class="aside">○ ${number(pass)} of ${number(asked)} as expected</td>`,
  };
}

/** Ids are unique parts of ASCII, so the anchor of a group is its own name. */
const anchor = (testee: number, group: string) => `t${testee}-${group}`;

function failures(report: Report, testee: TesteeReport, index: number): Markup {
  const failing = testee.results.flatMap((result, i) =>
    FAILING.has(result.status) ? [{ result, text: report.cases[i] }] : []
  );
  const name = `${testee.name} ${testee.version}`;
  if (failing.length === 0) {
    return markup`<p><b>${name}</b>: <span class="good">nothing.</span></p>`;
  }
  // the first of each group is what the matrix links to, so it is always there
  const seen = new Set<string>();
  const items = failing.flatMap(({ result, text }, i) => {
    const first = !seen.has(text.group);
    if (i >= EXPLAINED && !first) return [];
    seen.add(text.group);
    return [
      failure(result, text, first ? anchor(index, text.group) : null, failing.length <= OPEN),
    ];
  });
  const more = failing.length - items.length;
  return markup`<h3>${name}: ${number(failing.length)}</h3>
${items}${
    more > 0 ? markup`<p class="quiet">and ${number(more)} more, in the list below.</p>` : []
  }`;
}

function failure(result: CaseResult, text: CaseText, id: string | null, open: boolean): Markup {
  const { status, differences, why, stderr } = result;
  return markup`<details class="case"${id === null ? [] : markup` id="${id}"`}${new Markup(
    open ? " open" : "",
  )}><summary><code>${text.id}</code> <span class="bad">${result.result}</span></summary><div>
<dl class="wide">
<dt>expected</dt><dd class="good">${text.expected}</dd>
<dt>actual</dt><dd class="bad">${result.result}${
    status === "fail" ? "" : ` (${SIGNS[status].name})`
  }</dd>
${
    differences.filter(({ field }) => !IN_RESULT.has(field)).map(({ field, expected, actual }) =>
      markup`<dt>${field}</dt><dd><code>${expected}</code> expected,<br><code>${actual}</code> found</dd>\n`
    )
  }${why ? markup`<dt>why</dt><dd>${why}</dd>\n` : []}<dt>case</dt><dd>${text.reason}</dd>
<dt>spec</dt><dd>${text.spec}${
    text.sentences.map((sentence) => markup`<blockquote>${sentence}</blockquote>`)
  }</dd>
${stderr ? markup`<dt>standard error</dt><dd><pre tabindex="0">${stderr}</pre></dd>` : []}</dl>
</div></details>
`;
}

function groupList(report: Report, group: string, indices: readonly number[]): Markup {
  const { cases, testees } = report;
  return markup`<details class="group"><summary>${parted(group)} <span class="quiet">${
    number(indices.length)
  }</span></summary>
<div class="scroll" tabindex="0"><table><thead><tr><th scope="col">case</th><th scope="col">expected</th>${
    testees.map(({ name }) => markup`<th scope="col">${name}</th>`)
  }</tr></thead><tbody>
${
    indices.map((i) =>
      markup`<tr><th scope="row">${cases[i].id.slice(group.length + 1)}</th><td>${
        cases[i].expected
      }</td>${testees.map(({ results }) => listed(results[i]))}</tr>\n`
    )
  }</tbody></table></div></details>
`;
}

function listed({ status, result }: CaseResult): Markup {
  const { sign, tone, name } = SIGNS[status];
  return markup`<td class="${tone}" title="${name}">${sign}${
    status === "pass" ? "" : ` ${result}`
  }</td>`;
}
