/**
 * Small plots as SVG text, drawn by ECharts without a document. Colours are the page's own custom
 * properties, so that a plot follows light and dark.
 */
import { init } from "echarts";
import { Markup, markup } from "../markup.ts";

export interface Plot {
  readonly title: string;
  readonly kind: "line" | "bar";
  readonly labels: readonly string[];
  readonly values: readonly number[];
  /** a value that must not be passed, drawn as a line */
  readonly bound?: number;
  readonly logarithmic?: true;
}

const SIZE = { width: 340, height: 170 };

/** Points of a plot; more are left out evenly. */
const MOST_POINTS = 200;

/** Characters of a label. */
const LABEL = 24;

const axis = {
  axisLabel: { color: "var(--quiet)", fontSize: 11, hideOverlap: true },
  axisLine: { lineStyle: { color: "var(--line)" } },
  axisTick: { show: false },
  splitLine: { lineStyle: { color: "var(--line)" } },
};

/** A plot with its title and its values in words for who does not see it. */
export function plot({ title, kind, labels, values, bound, logarithmic }: Plot): Markup {
  const step = Math.ceil(values.length / MOST_POINTS);
  const kept = values.flatMap((_, i) => i % step === 0 || i === values.length - 1 ? [i] : []);
  const colour = "var(--accent)";
  const chart = init(null, null, { renderer: "svg", ssr: true, ...SIZE });
  chart.setOption({
    animation: false,
    grid: { left: 4, right: 12, top: 12, bottom: 4, outerBoundsMode: "same" },
    xAxis: { ...axis, type: "category", data: kept.map((i) => printable(labels[i])) },
    yAxis: { ...axis, type: logarithmic ? "log" : "value", splitNumber: 3 },
    series: [{
      type: kind,
      silent: true,
      symbolSize: kept.length > 40 ? 0 : 5,
      // a logarithm has no zero: such a point is left out
      data: kept.map((i) => logarithmic && values[i] <= 0 ? null : values[i]),
      lineStyle: { color: colour },
      itemStyle: { color: colour },
      ...(bound !== undefined && {
        markLine: {
          silent: true,
          symbol: "none",
          label: { show: false },
          data: [{ yAxis: bound }],
          lineStyle: { color: "var(--bad)" },
        },
      }),
    }],
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  const last = values.at(-1);
  const words = values.length === 0
    ? "no values"
    : `${values.length} values, from ${short(values.reduce((a, b) => Math.min(a, b)))} to ${
      short(values.reduce((a, b) => Math.max(a, b)))
    }, last ${short(last!)}`;
  return markup`<figure class="plot"><figcaption>${title}</figcaption>
<div role="img" aria-label="${`${title}: ${words}`}">${new Markup(svg)}</div>
<p class="quiet">${words}</p></figure>
`;
}

/** A label is a date or a number; whatever else it might be is one short line of ASCII. */
const printable = (label: string) => label.slice(0, LABEL).replace(/[^ -~]/g, "?");

function short(value: number): string {
  return Number.isInteger(value) ? value.toLocaleString("en-US") : value.toPrecision(3);
}
