/**
 * Writes `unicode_data.ts` from the published files of Unicode 16.0.0:
 *
 *     deno run --allow-read --allow-write unicode_build.ts FOLDER
 *
 * FOLDER has UnicodeData.txt, DerivedGeneralCategory.txt, PropList.txt, SpecialCasing.txt and
 * CompositionExclusions.txt. Numbers are base 36. Everything but decompositions is runs with the
 * gaps between them, so that most numbers have one or two digits.
 */

type Run = readonly [start: number, length: number, value: number];

const folder = Deno.args[0];
const read = (name: string) => Deno.readTextFileSync(`${folder}/${name}`);
const digits = (n: number) => n.toString(36);

/** Records of a file of the Unicode database: fields by semicolon, comments dropped. */
function records(name: string): string[][] {
  return read(name).split("\n").map((line) => line.replace(/#.*/, "").trim())
    .filter((line) => line !== "").map((line) => line.split(";").map((field) => field.trim()));
}

const codes = (field: string) => field.split(" ").map((code) => parseInt(code, 16));

/** Code points of a file whose second field is one of `values`. */
function pointsOf(name: string, values: (value: string) => boolean): number[] {
  const points: number[] = [];
  for (const [range, value] of records(name)) {
    if (!values(value)) continue;
    const [from, to = from] = range.split("..").map((code) => parseInt(code, 16));
    for (let code = from; code <= to; code++) points.push(code);
  }
  return points;
}

/** Runs of neighbouring code points of one value. */
function runsOf(values: readonly (readonly [number, number])[]): Run[] {
  const runs: Run[] = [];
  for (const [code, value] of values.toSorted((a, b) => a[0] - b[0])) {
    const last = runs.at(-1);
    if (last && last[0] + last[1] === code && last[2] === value) {
      runs[runs.length - 1] = [last[0], last[1] + 1, value];
    } else runs.push([code, 1, value]);
  }
  return runs;
}

/** `gap,length` or, with values, `gap,length,value` a run; a length of 1 or a value of 0 is empty. */
function packRuns(runs: readonly Run[]): string {
  let at = 0;
  return runs.map(([start, length, value]) => {
    const fields = [digits(start - at), length === 1 ? "" : digits(length), value && digits(value)];
    at = start + length;
    return fields.join(",").replace(/(,0?)+$/, "");
  }).join(" ");
}

const set = (points: number[]) => packRuns(runsOf(points.map((code) => [code, 0])));
const category = (test: (value: string) => boolean) =>
  set(pointsOf("DerivedGeneralCategory.txt", test));

const data = records("UnicodeData.txt").map((fields) => ({
  code: parseInt(fields[0], 16),
  combining: Number(fields[3]),
  decomposition: fields[5],
  lower: fields[13],
}));

/** Code points that decompose: code, "<" if only for compatibility, and the result. */
function decompositions(): string {
  let at = 0;
  return data.filter(({ decomposition }) => decomposition !== "").map((entry) => {
    const tag = entry.decomposition.startsWith("<");
    const to = codes(entry.decomposition.replace(/^<[^>]*> /, ""));
    const packed = `${digits(entry.code - at)}${tag ? "<" : ","}${to.map(digits).join(",")}`;
    at = entry.code;
    return packed;
  }).join(" ");
}

/** Simple mappings as runs of one distance, then the full ones that hold without condition. */
const lowerCase = packRuns(runsOf(
  data.filter(({ lower }) => lower !== "").map(({ code, lower }) =>
    [code, parseInt(lower, 16) - code] as const
  ),
));
const lowerCaseFull = records("SpecialCasing.txt")
  .filter(([code, lower, , , condition]) => condition === "" && codes(lower).length > 1 && code)
  .map(([code, lower]) => [parseInt(code, 16), ...codes(lower)].map(digits).join(",")).join(" ");

const tables: [name: string, comment: string, packed: string][] = [
  ["LETTERS", "General categories L*", category((c) => c.startsWith("L"))],
  ["NUMBERS", "General categories N*", category((c) => c.startsWith("N"))],
  ["PUNCTUATION", "General categories P*", category((c) => c.startsWith("P"))],
  ["NONSPACING_MARKS", "General category Mn", category((c) => c === "Mn")],
  ["CONTROL_OR_FORMAT", "General categories Cc and Cf", category((c) => c === "Cc" || c === "Cf")],
  ["WHITE_SPACE", "White_Space", set(pointsOf("PropList.txt", (p) => p === "White_Space"))],
  [
    "COMBINING_CLASSES",
    "Canonical combining classes other than 0",
    packRuns(runsOf(data.filter((e) => e.combining > 0).map((e) => [e.code, e.combining]))),
  ],
  ["DECOMPOSITIONS", "Decomposition mappings, one step", decompositions()],
  [
    "COMPOSITION_EXCLUSIONS",
    "Script-specific and post-composition exclusions",
    set(records("CompositionExclusions.txt").map(([code]) => parseInt(code, 16))),
  ],
  ["LOWER_CASE", "Simple lower case, as distances", lowerCase],
  ["LOWER_CASE_FULL", "Unconditional full lower case beyond it", lowerCaseFull],
];

const text = tables.map(([name, comment, packed]) =>
  `\n/** ${comment} */\nexport const ${name} =\n  "${packed}";\n`
).join("");
Deno.writeTextFileSync(
  new URL("unicode_data.ts", import.meta.url),
  `/**
 * Unicode 16.0.0, packed by unicode_build.ts, which says how.
 * Copyright 1991-2024 Unicode, Inc. Distributed under the Unicode License V3
 * (https://www.unicode.org/license.txt).
 */
${text}`,
);
