/** Findings on the nightly page: what each is, both verdicts, the bytes with the fault marked. */
import { type Markup, markup } from "../markup.ts";
import { command } from "./copy.ts";
import { hex } from "./hex.ts";
import { type FindingView, number } from "./model.ts";

/** Findings that stand open. */
const OPEN = 3;

const TONES: Readonly<Record<string, string>> = { fixed: "good", known: "aside" };

export function findings(list: readonly FindingView[], more: number): Markup {
  if (list.length === 0) return markup`<p class="good">None is filed.</p>`;
  return markup`${list.map(finding)}${
    more > 0 ? markup`<p class="bad">and ${number(more)} more: deno task lab triage</p>` : []
  }`;
}

function finding(one: FindingView, index: number): Markup {
  const { name, class: kind, state, key, detail, note, firstSeen, replay } = one;
  const open = index < OPEN ? markup` open` : markup``;
  return markup`<details class="case"${open}><summary><span class="state ${
    TONES[state] ?? "bad"
  }">${state}</span> <b>${kind}</b> <span>${key}</span> <code class="quiet">${name}</code></summary><div>
${sides(one)}
<dl class="wide">
${
    one.sentences.length > 0
      ? markup`<dt>decided by</dt><dd>${
        one.sentences.map((text) => markup`<blockquote>${text}</blockquote>`)
      }</dd>`
      : []
  }
<dt>bucket</dt><dd>${key}</dd>
<dt>first seen</dt><dd>${firstSeen.slice(0, 16).replace("T", " ")}</dd>
${note ? markup`<dt>noted</dt><dd>${note}</dd>` : []}
${one.asked ? markup`<dt>asked</dt><dd><code>${one.asked}</code></dd>` : []}
<dt>detail</dt><dd><pre tabindex="0">${detail}</pre></dd>
<dt>replay</dt><dd>${command(replay)}</dd>
</dl>
${one.rows.length > 0 ? hex(one) : markup`<p class="quiet">It has no input.</p>`}
</div></details>
`;
}

function sides({ verdicts, fields }: FindingView): Markup {
  if (verdicts.length === 0) {
    return markup`<p class="quiet">It was not read again for this page.</p>`;
  }
  const [first, ...others] = verdicts;
  const same = others.every(({ result }) => result === first.result);
  return markup`<div class="sides">${
    verdicts.map(({ reader, result }) =>
      markup`<section class="card${
        same ? "" : " differs"
      }"><h3>${reader}</h3><p><code>${result}</code></p></section>`
    )
  }</div>
${
    fields.length > 0
      ? markup`<p class="bad">They differ in ${fields.join(", ")}.</p>`
      : same
      ? markup`<p class="quiet">Both say the same now.</p>`
      : []
  }`;
}
