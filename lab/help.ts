/** Help that fits any terminal: what commander does for its own part, done for the text behind it. */
import { Help } from "commander";
import process from "node:process";

/** Columns below which nothing is wrapped: a word would not fit. */
export const LEAST_COLUMNS = 12;

const DEFAULT_COLUMNS = 80;

/** Columns of standard output where that is a terminal; of anything else, what commander takes. */
export const columns = (): number =>
  process.stdout.isTTY && process.stdout.columns > 0 ? process.stdout.columns : DEFAULT_COLUMNS;

/** Prose in lines of at most `columns`; what is indented is to be copied, and stays as it is. */
export function fitting(text: string, columns: number): string {
  const help = new Help();
  help.minWidthToWrap = LEAST_COLUMNS;
  const lines: string[] = [];
  for (const line of text.split("\n")) {
    if (goesOn(lines.at(-1), line)) lines.push(`${lines.pop()} ${line}`);
    else lines.push(line);
  }
  return lines.map((line) => /^\s/.test(line) ? line : help.boxWrap(line, columns)).join("\n");
}

/** Whether a line break is the source's alone: no heading, no example and no end of a paragraph. */
function goesOn(before: string | undefined, line: string): boolean {
  if (before === undefined || before === "" || line === "") return false;
  return !/^\s|:$/.test(before) && !/^\s|^[A-Z][\w ]*:/.test(line);
}
