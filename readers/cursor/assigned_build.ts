/**
 * Writes `assigned_data.ts` from the DerivedGeneralCategory.txt of Unicode 16.0.0:
 *
 *     deno run -A readers/cursor/assigned_build.ts DerivedGeneralCategory.txt
 */

const [path] = Deno.args;
const text = Deno.readTextFileSync(path);
if (!text.startsWith("# DerivedGeneralCategory-16.0.0.txt")) throw new Error("not 16.0.0");

const assigned = new Uint8Array(0x110000);
for (const line of text.split("\n")) {
  const match = /^([0-9A-F]+)(?:\.\.([0-9A-F]+))?\s*;\s*([A-Z][a-z])/.exec(line);
  if (match === null || match[3] === "Cn") continue;
  const first = parseInt(match[1], 16);
  assigned.fill(1, first, parseInt(match[2] ?? match[1], 16) + 1);
}

const borders: number[] = [];
for (let cp = 0; cp < assigned.length; cp++) {
  if (assigned[cp] !== (cp === 0 ? 0 : assigned[cp - 1])) borders.push(cp);
}
if (assigned[0x10ffff] === 1) borders.push(0x110000);

const steps = borders.map((border, i) => (border - (i === 0 ? 0 : borders[i - 1])).toString(36));
const lines: string[] = [];
let line = "";
for (const step of steps) {
  if (line.length + step.length + 1 > 96) {
    lines.push(line);
    line = "";
  }
  line += (line === "" ? "" : " ") + step;
}
lines.push(line);

Deno.writeTextFileSync(
  new URL("assigned_data.ts", import.meta.url),
  `/**
 * Code points assigned in Unicode 16.0.0 (general category other than Cn), made by
 * assigned_build.ts. Distances in base 36 from border to border: the first border begins
 * the first assigned range, the second ends it, and so on. Unicode License V3.
 */
export const ASSIGNED_STEPS = \`
${lines.join("\n")}
\`;
`,
);
