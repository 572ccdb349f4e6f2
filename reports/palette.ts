/** The colours of every page, light and dark; text meets 4.5:1 on each ground (WCAG 2.2, 1.4.3). */
export const PALETTE = `:root {
  color-scheme: light dark;
  --ground: light-dark(#fbfaf8, #16181c);
  --sheet: light-dark(#ffffff, #1e2126);
  --line: light-dark(#dfdcd6, #363b43);
  --edge: light-dark(#8b8780, #6d7580);
  --text: light-dark(#22252a, #e4e6ea);
  --quiet: light-dark(#5d636c, #9ba3ae);
  --good: light-dark(#1c6b3c, #72d198);
  --bad: light-dark(#a8201a, #ff9a8d);
  --aside: light-dark(#7a5200, #e6bd67);
  --good-ground: light-dark(#e6f3ea, #1b2f24);
  --bad-ground: light-dark(#fbe7e4, #3a2020);
  --accent: light-dark(#1d4f91, #8ab8f5);
}`;
