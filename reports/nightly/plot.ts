/**
 * Plots as SVG text, drawn by ECharts without a document. Colours are the page's own custom
 * properties, so that a plot follows light and dark; series differ in their signs and dashes too.
 */
import { init } from "echarts";
import { type Band, short } from "./model.ts";
import { Markup, markup } from "../markup.ts";

export interface Series {
  readonly name: string;
  /** parallel to the labels; null: there is none */
  readonly values: readonly (number | null)[];
  /** which of the looks it has; absent: the first */
  readonly look?: number;
}

export interface Plot {
  readonly title: string;
  readonly kind: "line" | "bar";
  readonly labels: readonly string[];
  readonly series: readonly Series[];
  /** a value that must not be passed, drawn as a line */
  readonly bound?: number;
  /** where values are as ever, drawn as an area */
  readonly band?: Band | null;
  readonly logarithmic?: true;
  readonly wide?: true;
}

const SMALL = { width: 360, height: 200 }, WIDE = { width: 760, height: 260 };

/** Points of a plot, and series; more points are left out evenly. */
const MOST_POINTS = 200, MOST_SERIES = 4;

/** Characters of a label and of a title. */
const LABEL = 24, TITLE = 200;

const LOOKS = [
  { colour: "var(--accent)", symbol: "circle", type: "solid" },
  { colour: "var(--aside)", symbol: "rect", type: "dashed" },
  { colour: "var(--good)", symbol: "triangle", type: "dotted" },
  { colour: "var(--quiet)", symbol: "diamond", type: "solid" },
] as const;

const axis = {
  axisLabel: {
    color: "var(--quiet)",
    fontSize: 12,
    hideOverlap: true,
    formatter: (value: number | string) => typeof value === "number" ? tick(value) : value,
  },
  axisLine: { lineStyle: { color: "var(--edge)" } },
  axisTick: { show: false },
  splitLine: { lineStyle: { color: "var(--line)" } },
};

/** A plot with its title, its extremes in words, and all its values for who does not see it. */
export function plot(given: Plot): Markup {
  const { labels, wide } = given, series = given.series.slice(0, MOST_SERIES);
  const title = given.title.slice(0, TITLE);
  const step = Math.ceil(labels.length / MOST_POINTS);
  const kept = labels.flatMap((_, i) => i % step === 0 || i === labels.length - 1 ? [i] : []);
  const words = series.map((one) => wordsOf(one, series.length > 1)).join("; ");
  return markup`<figure class="plot${wide ? " wide" : ""}"><figcaption>${title}</figcaption>
<div role="img" aria-label="${`${title}: ${words}`}">${new Markup(draw(given, kept))}</div>
<p class="quiet">${words}</p>
<details><summary>Values</summary><div class="scroll" tabindex="0" role="region" aria-label="${`Values of ${title}`}"><table><thead><tr><td></td>${
    series.map(({ name }) => markup`<th scope="col">${name}</th>`)
  }</tr></thead><tbody>${
    kept.map((i) =>
      markup`<tr><th scope="row">${labels[i]}</th>${
        series.map(({ values }) => markup`<td>${values[i] === null ? "–" : short(values[i])}</td>`)
      }</tr>\n`
    )
  }</tbody></table></div></details></figure>
`;
}

function draw({ kind, labels, series, bound, band, wide, ...plot }: Plot, kept: number[]) {
  const all = series.flatMap(({ values }) => values).filter((value) => value !== null);
  // a logarithm has no zero: where there is nothing else, the axis has no use for one
  const logarithmic = plot.logarithmic && all.some((value) => value > 0);
  const chart = init(null, null, { renderer: "svg", ssr: true, ...(wide ? WIDE : SMALL) });
  const several = series.length > 1;
  chart.setOption({
    animation: false,
    grid: { left: 6, right: 14, top: several ? 32 : 12, bottom: 4, outerBoundsMode: "same" },
    ...(several && {
      legend: { top: 0, left: 0, itemWidth: 22, textStyle: { color: "var(--text)", fontSize: 12 } },
    }),
    xAxis: { ...axis, type: "category", data: kept.map((i) => printable(labels[i])) },
    yAxis: {
      ...axis,
      type: logarithmic ? "log" : "value",
      splitNumber: 3,
      ...(all.every(Number.isInteger) && { minInterval: 1 }),
      ...(bound !== undefined && { max: ({ max }: { max: number }) => Math.max(max, bound) }),
    },
    series: series.slice(0, MOST_SERIES).map(({ name, values, look = 0 }, i) => ({
      type: kind,
      name: several ? printable(name) : "",
      silent: true,
      connectNulls: true,
      symbol: LOOKS[look].symbol,
      symbolSize: kept.length > 40 ? 0 : 7,
      data: kept.map((k) => logarithmic && (values[k] ?? 0) <= 0 ? null : values[k]),
      lineStyle: { color: LOOKS[look].colour, type: LOOKS[look].type },
      itemStyle: { color: LOOKS[look].colour },
      ...(i === 0 && { ...line(bound), ...area(band) }),
    })),
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
}

function line(bound: number | undefined) {
  if (bound === undefined) return {};
  return {
    markLine: {
      silent: true,
      symbol: "none",
      label: { show: false },
      data: [{ yAxis: bound }],
      lineStyle: { color: "var(--bad)" },
    },
  };
}

function area(band: Band | null | undefined) {
  if (!band) return {};
  const low = Number.isFinite(band.low) ? band.low : undefined;
  const high = Number.isFinite(band.high) ? band.high : undefined;
  return {
    markArea: {
      silent: true,
      itemStyle: { color: "var(--good-ground)" },
      data: [[{ yAxis: low }, { yAxis: high }]],
    },
  };
}

/** A number beside an axis: round, so without the zeros that tell of precision. */
function tick(value: number): string {
  return value !== 0 && Math.abs(value) < 0.001
    ? value.toExponential(0)
    : Number(value.toPrecision(3)).toLocaleString("en-US", { maximumFractionDigits: 3 });
}

/** A label is a date, a number or a backend; whatever else it might be is one line of ASCII. */
const printable = (label: string) => label.slice(0, LABEL).replace(/[^ -~]/g, "?");

function wordsOf({ name, values }: Series, named: boolean): string {
  const there = values.filter((value) => value !== null);
  const head = named ? `${name} ` : "";
  if (there.length === 0) return `${head}no values`;
  const [least, most] = there.reduce(
    ([low, high], value) => [Math.min(low, value), Math.max(high, value)],
    [Infinity, -Infinity],
  );
  if (least === most) return `${head}${short(least)}`;
  return `${head}${short(least)} to ${short(most)}, last ${short(there.at(-1)!)}`;
}
