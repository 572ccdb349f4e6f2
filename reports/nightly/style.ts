/** What the nightly page needs beyond the look that it shares with the conformance page. */
export const NIGHTLY_STYLE = `
.tiles { display: grid; gap: .75rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 10.5rem), 1fr)); margin: 1rem 0 1.25rem; }
.tile { display: block; padding: .75rem 1rem; background: var(--sheet); border: 1px solid var(--line); border-left: 5px solid var(--good); border-radius: 8px; color: var(--text); text-decoration: none; }
.tile.fails { border-left-color: var(--bad); }
.tile:hover strong { text-decoration: underline; }
.tile > * { display: block; }
.tile > span:first-child { font-size: .875rem; }
.tile strong { font-size: 1.1rem; }
.tile .quiet { font-size: .875rem; }
main:focus { outline: none; }
h2 { scroll-margin-top: 1rem; }
main h3 { margin: 1.25rem 0 .5rem; }
.card h3 { margin: 0; }
summary { cursor: pointer; }
summary h3 { display: inline; margin: 0; }
details.group > summary { padding: .5rem 0; }
ul.gate { list-style: none; padding: 0; margin: 0 0 .5rem; }
ul.gate > li { display: flex; gap: .75rem; padding: .5rem 0; border-bottom: 1px solid var(--line); }
ul.gate > li > div { min-width: 0; flex: 1; }
.state { flex: none; min-width: 4.6rem; font-weight: 600; display: inline-block; }
.state.good { color: var(--good); } .state.bad { color: var(--bad); } .state.aside { color: var(--aside); }
.why { color: var(--quiet); margin-top: .25rem; }
.command { display: flex; gap: .5rem; align-items: center; margin: .35rem 0; }
.command code { background: var(--ground); border: 1px solid var(--line); border-radius: 6px; padding: .3rem .5rem; min-width: 0; color: var(--text); }
.copy { flex: none; font: inherit; font-size: .875rem; padding: .25rem .7rem; min-height: 2rem; color: var(--text); background: var(--sheet); border: 1px solid var(--edge); border-radius: 6px; cursor: pointer; }
details.case > summary { overflow-wrap: anywhere; }
.sides { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 18rem), 1fr)); margin: .5rem 0; }
.sides .card { padding: .75rem 1rem; }
.sides .differs { border-color: var(--bad); }
.sides p { margin: .35rem 0 0; }
.sides code { display: block; max-height: 12rem; overflow: auto; }
.hex { max-height: 32rem; }
.hex td, .hex th { padding: .2rem .6rem; font-size: .85rem; }
.hex th { font-weight: 400; min-width: 9rem; max-width: 18rem; }
.hex thead th { min-width: 0; font-weight: 600; }
.hex thead th:first-child { text-align: right; }
.hex td.wrap { min-width: 6rem; white-space: nowrap; }
.hex td:first-child { text-align: right; color: var(--quiet); }
.hex .mark { display: block; font-weight: 600; }
.hex tr.fault > * { background: var(--bad-ground); }
.hex tr.fault .mark, .hex tr.differs .mark { color: var(--bad); }
.hex tr.sealed { color: var(--quiet); }
.hex mark { background: var(--bad); color: var(--sheet); border-radius: 3px; padding: 0 .15em; }
.hex tr.sealed mark { background: none; color: inherit; text-decoration: underline; }
.matrix { max-height: 60vh; }
.plots { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 21rem), 1fr)); }
.plot { margin: 0; background: var(--sheet); border: 1px solid var(--line); border-radius: 8px; padding: .75rem; min-width: 0; }
.plot.wide { max-width: 48rem; }
.plot figcaption { font-weight: 600; overflow-wrap: anywhere; margin-bottom: .35rem; }
.plot svg { display: block; width: 100%; height: auto; }
.plot p { margin: .35rem 0 0; font-size: .875rem; }
.plot summary { font-size: .875rem; padding: .25rem 0; }
.plot .scroll { max-height: 14rem; }
.plot td, .plot th { padding: .15rem .6rem; font-size: .85rem; min-width: 0; }
.meter { height: .8rem; margin: .75rem 0 1.5rem; border-radius: 99px; overflow: hidden; background: var(--line); max-width: 48rem; }
.meter span { display: block; height: 100%; background: var(--accent); }
.bars { max-width: 48rem; }
.bars th, .bars td { padding: .2rem .75rem .2rem 0; vertical-align: middle; }
.bars th { min-width: 0; }
.bars thead th { position: static; background: none; white-space: nowrap; }
.bars td:nth-child(2), .bars th:nth-child(2) { text-align: right; }
.bars td.bad { background: none; font-weight: 600; }
.bars td:last-child { width: 50%; padding-right: 0; }
.bars .length { display: block; height: .7rem; border-radius: 3px; background: var(--accent); }
details.part { border-bottom: 1px solid var(--line); }
details.part > summary { padding: .5rem 0; overflow-wrap: anywhere; }
details.part .time { float: right; font-variant-numeric: tabular-nums; margin-left: .75rem; }
details.part dl { margin: 0 0 1rem; }
@media (max-width: 40rem) {
  .tiles { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: .5rem; }
  .tile { padding: .5rem .65rem; }
  ul.gate > li { display: block; }
  .bars td:last-child { width: 30%; }
  .hex td, .hex th { padding: .2rem .4rem; }
  .hex tbody th { min-width: 7rem; max-width: 8rem; }
  .hex td:nth-child(3) { white-space: normal; min-width: 12.2rem; }
  .hex code { font-size: .8rem; }
}
@media print { .copy { display: none; } .hex, .matrix { max-height: none; } }
`;
