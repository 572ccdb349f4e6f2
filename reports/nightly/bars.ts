/** Counts as a table with a bar each, whose length is the logarithm of the count. */
import { type Markup, markup } from "../markup.ts";

export interface Bar {
  readonly name: string;
  readonly count: number;
  readonly text: string;
  /** nothing is there, and something should be */
  readonly bad?: boolean;
}

/** @param heads names of the columns of names and of counts */
export function bars(list: readonly Bar[], heads: readonly [string, string]): Markup {
  const most = list.reduce((top, { count }) => Math.max(top, count), 0) || 1;
  const length = (count: number) => 100 * Math.log1p(count) / Math.log1p(most);
  return markup`<table class="bars"><thead><tr><th scope="col">${heads[0]}</th><th scope="col">${
    heads[1]
  }</th><td></td></tr></thead><tbody>${
    list.map(({ name, count, text, bad }) =>
      markup`<tr><th scope="row">${name}</th><td class="${
        bad ? "bad" : ""
      }">${text}</td><td aria-hidden="true"><span class="length" style="width:${
        length(count).toFixed(1)
      }%"></span></td></tr>\n`
    )
  }</tbody></table>`;
}
