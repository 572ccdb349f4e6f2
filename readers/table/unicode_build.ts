/**
 * Makes unicode_data.ts from the Unicode 16.0.0 files:
 * `deno run -A readers/table/unicode_build.ts FOLDER` where FOLDER holds UnicodeData.txt and
 * CompositionExclusions.txt. Numbers are base 36, code points as distances from the last one.
 */
const folder = Deno.args[0].replace(/\/*$/, "/");
const rows = Deno.readTextFileSync(folder + "UnicodeData.txt").trim().split("\n")
  .map((line) => line.split(";"));
const base36 = (n: number) => n.toString(36);

/** Runs of code points that one property value covers. */
interface Run {
  first: number;
  end: number;
  value: number;
}
function runs(value: (row: string[]) => number): Run[] {
  const out: Run[] = [];
  for (let i = 0; i < rows.length; i++) {
    const first = parseInt(rows[i][0], 16);
    const end = (rows[i][1].endsWith(", First>") ? parseInt(rows[++i][0], 16) : first) + 1;
    const v = value(rows[i]);
    if (v === 0) continue;
    const last = out.at(-1);
    if (last !== undefined && last.end === first && last.value === v) last.end = end;
    else out.push({ first, end, value: v });
  }
  return out;
}
function pack(list: Run[], withValue: boolean): string {
  let at = 0;
  return list.map((run) => {
    const parts = [run.first - at, run.end - run.first, ...(withValue ? [run.value] : [])];
    at = run.end;
    return parts.map(base36).join(" ");
  }).join(" ");
}

let at = 0;
const decompositions = rows
  .filter((row) => row[5] !== "" && !row[5].startsWith("<"))
  .map((row) => {
    const point = parseInt(row[0], 16);
    const step = point - at;
    at = point;
    const targets = row[5].split(" ").map((h) => parseInt(h, 16));
    return [step, ...targets].map(base36).join(" ");
  });
const exclusions = Deno.readTextFileSync(folder + "CompositionExclusions.txt").split("\n")
  .map((line) => line.replace(/#.*/, "").trim()).filter((text) => text !== "")
  .map((text) => base36(parseInt(text, 16)));

Deno.writeTextFileSync(
  new URL("unicode_data.ts", import.meta.url),
  `// Made by unicode_build.ts from Unicode 16.0.0 (Unicode License V3, unicode.org). Base 36.
/** Code points with a general category other than Cn: gap, length. */
export const ASSIGNED = "${pack(runs(() => 1), false)}";
/** Canonical combining classes other than 0: gap, length, class. */
export const CLASSES = "${pack(runs((row) => Number(row[3])), true)}";
/** Canonical decompositions, one level: distance, one or two code points. */
export const DECOMPOSITIONS = "${decompositions.join(",")}";
/** CompositionExclusions.txt. */
export const EXCLUSIONS = "${exclusions.join(" ")}";
`,
);
