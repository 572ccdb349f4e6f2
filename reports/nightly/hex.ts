/** The bytes of a finding by field: what is at fault, what differs, and what was there. */
import { type Markup, markup } from "../markup.ts";
import { type FindingView, type HexRow, number } from "./model.ts";

const WORDS: Readonly<Record<HexRow["mark"], string>> = {
  fault: "▶ at fault",
  differs: "≠ differs",
  sealed: "# hash of what differs",
  "": "",
};

export function hex({ rows, moreRows, size, parent }: FindingView): Markup {
  const against = parent === "" ? [] : markup`, against <b>${parent}</b>`;
  return markup`<p>${number(size)} bytes${against}</p>
<div class="scroll hex" tabindex="0" role="region" aria-label="Bytes of the input"><table>
<thead><tr><th scope="col">offset</th><th scope="col">field</th><th scope="col">bytes</th><th scope="col">value</th></tr></thead>
<tbody>${rows.map(row)}</tbody></table></div>
${
    moreRows > 0
      ? markup`<p class="quiet">${
        number(moreRows)
      } more rows are as they should be, or follow from these.</p>`
      : []
  }`;
}

function row({ offset, name, hex, value, mark, marked, was }: HexRow): Markup {
  return markup`<tr${mark ? markup` class="${mark}"` : []}><td>${offset}</td><th scope="row">${
    mark ? markup`<span class="mark">${WORDS[mark]}</span> ` : []
  }${name}</th><td><code>${bytes(hex, marked)}</code>${
    was === null
      ? []
      : markup`<br><span class="quiet">was </span><code class="quiet">${was || "nothing"}</code>`
  }</td><td class="wrap"><code>${value}</code></td></tr>\n`;
}

/** Hexadecimal bytes, those that differ marked. */
function bytes(text: string, marked: readonly number[]): Markup {
  if (marked.length === 0) return markup`${text}`;
  const those = new Set(marked);
  return markup`${
    text.split(" ").map((byte, i) =>
      markup`${i > 0 ? " " : ""}${those.has(i) ? markup`<mark>${byte}</mark>` : byte}`
    )
  }`;
}
