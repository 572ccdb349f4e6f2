/** The gate on the nightly page: what shuts it first, then what waits for people, then what holds. */
import { type Markup, markup } from "../markup.ts";
import { command } from "./copy.ts";
import { type NightlyReport, number, type RequirementView, type State } from "./model.ts";

const TONES: Readonly<Record<State, string>> = {
  held: "good",
  waiting: "aside",
  missing: "bad",
  broken: "bad",
};

/** Sentences of a list that a page shows. */
const SENTENCES = 200;

export const countIn = ({ gate }: NightlyReport, state: State): number =>
  [...gate.evidence, ...gate.stopRules].filter((one) => one.state === state).length;

/** Whether the gate is open for what is within the project's reach. */
export const isOpen = ({ gate }: NightlyReport): boolean => gate.exit === 0;

export function gate(report: NightlyReport): Markup {
  const { evidence, stopRules, withoutVector, unreached } = report.gate;
  const all = [...evidence, ...stopRules];
  const of = (...states: State[]) => all.filter(({ state }) => states.includes(state));
  const shut = [...of("broken"), ...of("missing")];
  return markup`<p class="quiet">E1 to E15 are the evidence that a release needs; S1 to S15 are stop rules, held where what they name does not remain.</p>
${
    shut.length === 0
      ? markup`<p class="good">All that is within this project's reach holds.</p>`
      : markup`<h3>What shuts it</h3>${requirements(shut)}`
  }
${folded("waiting for a person", of("waiting"))}${folded("held", of("held"))}${
    sentences("of the specification's sentences have no vector", withoutVector)
  }${
    sentences("of the specification's sentences were not reached by the last campaign", unreached)
  }`;
}

function sentences(what: string, list: readonly string[]): Markup {
  if (list.length === 0) return markup``;
  const more = list.length - SENTENCES;
  return markup`<details class="group"><summary><h3>${
    number(list.length)
  } ${what}</h3></summary><ul>${
    list.slice(0, SENTENCES).map((text) => markup`<li>${text}</li>`)
  }</ul>${more > 0 ? markup`<p class="quiet">and ${number(more)} more</p>` : []}</details>`;
}

function folded(what: string, list: readonly RequirementView[]): Markup {
  if (list.length === 0) return markup``;
  return markup`<details class="group"><summary><h3>${list.length} ${what}</h3></summary>${
    requirements(list)
  }</details>`;
}

function requirements(list: readonly RequirementView[]): Markup {
  return markup`<ul class="gate">${
    list.map(({ id, sentence, state, judgements }) =>
      markup`<li><span class="state ${TONES[state]}">${state}</span><div><b>${id}</b> ${sentence}${
        judgements.filter((one) => one.state !== "held" || state === "held").map((one) =>
          markup`<div class="why">${
            one.state === state
              ? []
              : markup`<span class="${TONES[one.state]}">${one.state}</span> `
          }${one.why}${one.command ? command(one.command) : []}</div>`
        )
      }</div></li>\n`
    )
  }</ul>`;
}
