/** Findings on the nightly page: what each is, both verdicts, the bytes with the fault marked. */
import { type Markup, markup } from "../markup.ts";
import type { FindingView, HexRow } from "./model.ts";

/** Findings that stand open. */
const OPEN = 3;

const TONES: Readonly<Record<string, string>> = { fixed: "good", known: "aside" };

export function findings(list: readonly FindingView[], more: number): Markup {
  if (list.length === 0) return markup`<p class="good">None is filed.</p>`;
  return markup`${list.map(finding)}${
    more > 0 ? markup`<p class="bad">and ${more.toLocaleString("en-US")} more</p>` : []
  }`;
}

function finding(one: FindingView, index: number): Markup {
  const { name, class: kind, state, key, detail, note, firstSeen, replay, size } = one;
  const open = index < OPEN ? markup` open` : markup``;
  return markup`<details class="case"${open}><summary><span class="state ${
    TONES[state] ?? "bad"
  }">${state}</span> <b>${kind}</b> <code>${name}</code> <span class="quiet">${key}</span></summary><div>
<div class="sides">${
    one.verdicts.map(({ reader, result }) =>
      markup`<section class="card"><h3>${reader}</h3><p><code>${result}</code></p></section>`
    )
  }</div>
<dl class="wide">
${
    one.fields.length > 0
      ? markup`<dt>differ in</dt><dd class="bad">${one.fields.join(", ")}</dd>`
      : []
  }
<dt>bucket</dt><dd>${key}</dd>
<dt>detail</dt><dd><pre tabindex="0">${detail}</pre></dd>
${
    one.sentences.length > 0
      ? markup`<dt>decided by</dt><dd>${
        one.sentences.map((text) => markup`<blockquote>${text}</blockquote>`)
      }</dd>`
      : []
  }
<dt>first seen</dt><dd>${firstSeen}</dd>
${note ? markup`<dt>noted</dt><dd>${note}</dd>` : []}
<dt>replay</dt><dd><pre tabindex="0">${replay}</pre></dd>
</dl>
${one.rows.length > 0 ? hex(one.rows, one.moreRows, size) : []}
</div></details>
`;
}

function hex(rows: readonly HexRow[], more: number, size: number): Markup {
  return markup`<div class="scroll hex" tabindex="0" role="region" aria-label="Bytes of the input"><table>
<thead><tr><th scope="col">offset</th><th scope="col">field</th><th scope="col">bytes</th><th scope="col">value</th></tr></thead>
<tbody>${
    rows.map(({ offset, name, hex, value, marked }) =>
      markup`<tr${marked ? markup` class="marked"` : []}><td>${offset}</td><th scope="row">${
        marked ? markup`<span class="bad">▶ at fault </span>` : []
      }${name}</th><td><code>${hex}</code></td><td class="wrap"><code>${value}</code></td></tr>\n`
    )
  }</tbody></table></div>
<p class="quiet">${size.toLocaleString("en-US")} bytes${
    more > 0 ? `, ${more.toLocaleString("en-US")} rows not shown` : ""
  }</p>`;
}
