/** What the nightly page needs beyond the look that it shares with the conformance page. */
export const NIGHTLY_STYLE = `
.verdict { font-size: 1.1rem; }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin: 1rem 0 0; }
nav a { padding: .25rem 0; }
ul.gate { list-style: none; padding: 0; margin: .5rem 0 1.5rem; }
ul.gate > li { display: flex; gap: .75rem; padding: .5rem 0; border-bottom: 1px solid var(--line); }
ul.gate > li > div { min-width: 0; flex: 1; }
.state { flex: none; min-width: 4.6rem; font-weight: 600; display: inline-block; }
.why { color: var(--quiet); margin-top: .25rem; }
.card details dl { margin-top: .5rem; }
.sides { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 18rem), 1fr)); margin: .5rem 0 1rem; }
.sides p { margin: .5rem 0 0; }
.hex { max-height: 30rem; }
.hex td, .hex th { padding: .15rem .6rem; font-size: .85rem; }
.hex th { white-space: nowrap; }
.hex td:first-child { text-align: right; color: var(--quiet); }
tr.marked > * { background: var(--bad-ground); }
.plots { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); }
.plot { margin: 0; background: var(--sheet); border: 1px solid var(--line); border-radius: 8px; padding: .75rem; min-width: 0; }
.plot figcaption { font-weight: 600; overflow-wrap: anywhere; }
.plot svg { display: block; width: 100%; height: auto; }
.plot p { margin: 0; font-size: .875rem; }
.histogram th { white-space: nowrap; min-width: 0; }
.histogram td { text-align: right; padding: .2rem .75rem; }
.histogram th { padding: .2rem .75rem .2rem 0; white-space: normal; }
.histogram td:last-child { width: 50%; text-align: left; }
.histogram .length { display: block; height: .7rem; border-radius: 3px; background: var(--accent); }
`;
