/** The look of the inspect page, from 390 px on, light and dark. */
import { PALETTE } from "../../reports/palette.ts";

export const INSPECT_STYLE = `
${PALETTE}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body {
  margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 56rem;
  background: var(--ground); color: var(--text);
  font: 1rem/1.5 system-ui, sans-serif;
}
h1 { font-size: 1.6rem; margin: 0 0 .25rem; text-wrap: balance; }
h2 { font-size: 1.2rem; margin: 2rem 0 .75rem; }
h3 { font-size: 1rem; margin: 0; }
p { margin: 0; }
.quiet { color: var(--quiet); text-wrap: pretty; }
.good { color: var(--good); }
.bad { color: var(--bad); }
.drop {
  display: grid; place-items: center; min-height: 8rem; margin: 1.5rem 0 1rem; padding: 1rem;
  border: 2px dashed var(--edge); border-radius: 8px; background: var(--sheet);
  text-align: center; cursor: pointer; position: relative;
}
.drop input { position: absolute; inset: 0; width: 100%; opacity: 0; cursor: pointer; }
.drop strong { color: var(--accent); text-decoration: underline; text-underline-offset: .2em; }
.drop:hover, .dropping .drop { border-color: var(--accent); border-style: solid; }
.option { display: flex; gap: .5rem; align-items: center; margin: 0 0 1rem; }
.option input { width: 1.1rem; height: 1.1rem; margin: 0; }
.option input:focus-visible, .drop:has(:focus-visible), summary:focus-visible, pre:focus-visible {
  outline: 3px solid var(--accent); outline-offset: 2px;
}
#state { border-radius: 8px; font-weight: 600; overflow-wrap: anywhere; }
#state:not(:empty) { padding: .75rem 1rem; border: 1px solid var(--line); background: var(--sheet); }
#state.good { background: var(--good-ground); }
#state.bad { background: var(--bad-ground); }
progress { width: 100%; margin: .75rem 0 0; accent-color: var(--accent); }
.cards { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 18rem), 1fr)); }
.card, .facts, details {
  background: var(--sheet); border: 1px solid var(--line); border-radius: 8px; padding: 1rem; min-width: 0;
}
.card dl { margin-top: .5rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .35rem 1rem; margin: 0; }
dt { color: var(--quiet); }
dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
code, pre { font: .875rem/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
details { margin-top: 1rem; }
summary { cursor: pointer; border-radius: 2px; }
pre { margin: .75rem 0 0; white-space: pre-wrap; max-height: 24rem; overflow: auto; }
@media (max-width: 40rem) {
  .facts { grid-template-columns: 1fr; gap: 0; }
  .facts dd { margin-bottom: .5rem; }
}
`;
