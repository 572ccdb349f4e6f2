/** The look of the conformance page: one column that fits from 390 px on, light and dark. */
import { PALETTE } from "../palette.ts";

export const STYLE = `
${PALETTE}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 76rem;
  background: var(--ground); color: var(--text);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere;
}
h1 { font-size: 1.6rem; margin: 0 0 .25rem; text-wrap: balance; }
h2 { font-size: 1.2rem; margin: 2.5rem 0 .75rem; }
h3 { font-size: 1rem; margin: 0; }
main > h3 { margin: 1.5rem 0 .5rem; }
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 2px; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: .5rem; background: var(--sheet); padding: .5rem 1rem; }
.quiet { color: var(--quiet); }
.good { color: var(--good); }
.bad { color: var(--bad); }
.aside { color: var(--aside); }
code, pre { font: .875rem/1.45 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; margin: .25rem 0; max-height: 20rem; overflow: auto; }
dl { display: grid; grid-template-columns: fit-content(50%) minmax(0, 1fr); gap: .15rem 1rem; margin: 0; }
dt { color: var(--quiet); overflow-wrap: anywhere; min-width: 0; }
dd { margin: 0; overflow-wrap: anywhere; min-width: 0; }
.cards { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 21rem), 1fr)); }
.card, details.case {
  background: var(--sheet); border: 1px solid var(--line); border-radius: 8px; padding: 1rem;
  min-width: 0; overflow-wrap: anywhere;
}
.card ul { margin: .5rem 0 0; padding-left: 1.1rem; }
.bar { display: flex; height: .6rem; margin: .75rem 0; border-radius: 99px; overflow: hidden; background: var(--line); }
.bar span { min-width: 2px; }
.bar .good { background: var(--good); }
.bar .bad { background: var(--bad); }
.bar .aside { background: var(--aside); }
.scroll { overflow: auto; max-height: 85vh; border: 1px solid var(--line); border-radius: 8px; background: var(--sheet); }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: .35rem .75rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
thead th { position: sticky; top: 0; background: var(--sheet); z-index: 1; min-width: 6rem; max-width: 14rem; overflow-wrap: anywhere; }
tbody th { font-weight: 400; overflow-wrap: anywhere; min-width: 11rem; }
tbody tr:last-child > * { border-bottom: 0; }
td.good { background: var(--good-ground); }
td.bad { background: var(--bad-ground); }
td { white-space: nowrap; }
td.wrap { white-space: normal; overflow-wrap: anywhere; min-width: 9rem; }
details.case { padding: 0; margin: 0 0 .5rem; }
details.case > summary { padding: .6rem 1rem; cursor: pointer; }
details.case > div { padding: 0 1rem 1rem; }
details.group { margin: 0 0 .25rem; }
details.group > summary { padding: .35rem 0; cursor: pointer; overflow-wrap: anywhere; }
blockquote { margin: .25rem 0; padding-left: .75rem; border-left: 3px solid var(--line); }
.filter { display: flex; gap: .5rem; align-items: center; margin: 0 0 .75rem; }
.filter input { width: 1.1rem; height: 1.1rem; }
body:has(#only:checked) .matrix tr.holds { display: none; }
@media (max-width: 40rem) {
  dl.wide { grid-template-columns: 1fr; }
  dl.wide dd { margin-bottom: .4rem; }
  th, td { padding: .35rem .5rem; }
  tbody th { min-width: 8rem; }
  thead th { min-width: 5rem; }
}
@media print { .scroll { max-height: none; overflow: visible; } .filter, .skip { display: none; } }
`;
