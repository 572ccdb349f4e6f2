/** The conformance matrix of the nightly page: groups of cases against testees. */
import { Markup, markup } from "../markup.ts";
import type { MatrixView } from "./model.ts";

export function matrix({ testees, rows }: MatrixView): Markup {
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
