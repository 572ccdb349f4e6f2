/** Errors of logits as shares of their bounds: by backend, by position, by layer. */
import { type Markup, markup } from "../markup.ts";
import type { LogitView } from "./model.ts";
import { plot } from "./plot.ts";

/** Plots of a kind of case: those nearest to their bounds. */
const PLOTS = 3;

export function logits(list: readonly LogitView[]): Markup {
  if (list.length === 0) return markup`<p class="bad">No comparison was made.</p>`;
  const cases = [...Map.groupBy(list, ({ subject }) => subject).values()]
    .sort((a, b) => worst(b) - worst(a));
  const shown = (of: readonly LogitView[][]) =>
    [...Map.groupBy(of, ([{ group }]) => group).values()].flatMap((one) => one.slice(0, PLOTS));
  const layered = cases.filter((views) => views.some(({ layers }) => layers.length > 0));
  const looks = [...new Set(list.map(({ backend }) => backend))].sort();
  return markup`<p class="quiet">Each error is a share of the bound of its case; the red line is the bound. Of each kind of case, the ${PLOTS} nearest to their bounds.</p>
${backends(list, looks)}
<h3>By position</h3>
<div class="plots">${shown(cases).map((views) => byPosition(views, looks))}</div>
${
    layered.length === 0 ? [] : markup`<h3>By layer</h3>
<div class="plots">${shown(layered).map((views) => byLayer(views, looks))}</div>`
  }`;
}

const worst = (views: readonly LogitView[]) =>
  views.reduce(
    (most, { points }) => points.reduce((top, { share }) => Math.max(top, share), most),
    0,
  );

/** A backend looks the same in every plot. */
const lookOf = (backend: string, looks: readonly string[]) => Math.min(looks.indexOf(backend), 3);

/** The worst share of each backend in each group of cases. */
function backends(list: readonly LogitView[], looks: readonly string[]): Markup {
  const groups = [...new Set(list.map(({ group }) => group))];
  return plot({
    title: "Worst error by backend and kind of case",
    kind: "bar",
    wide: true,
    labels: groups,
    series: looks.map((name) => ({
      name,
      look: lookOf(name, looks),
      values: groups.map((group) => {
        const mine = list.filter((one) => one.group === group && one.backend === name);
        return mine.length === 0 ? null : worst(mine);
      }),
    })),
    bound: 1,
  });
}

function byPosition(views: readonly LogitView[], looks: readonly string[]): Markup {
  const positions = [...new Set(views.flatMap(({ points }) => points.map((one) => one.position)))]
    .sort((a, b) => a - b);
  return plot({
    title: `${views[0].subject}, by position`,
    kind: "line",
    labels: positions.map(String),
    series: views.map(({ backend, points }) => ({
      name: backend,
      look: lookOf(backend, looks),
      values: positions.map((at) => points.find(({ position }) => position === at)?.share ?? null),
    })),
    bound: 1,
    logarithmic: true,
  });
}

function byLayer(views: readonly LogitView[], looks: readonly string[]): Markup {
  const layers = views.reduce<LogitView["layers"]>(
    (longest, one) => one.layers.length > longest.length ? one.layers : longest,
    [],
  );
  return plot({
    title: `${views[0].subject}, by layer`,
    kind: "line",
    labels: layers.map(({ name }) => name),
    series: views.filter((one) => one.layers.length > 0).map(({ backend, layers: mine }) => ({
      name: backend,
      look: lookOf(backend, looks),
      values: layers.map(({ name }) => mine.find((one) => one.name === name)?.error ?? null),
    })),
    logarithmic: true,
  });
}
