import { assertEquals } from "@std/assert";
import { splitWords } from "./words.ts";

const CASES: readonly [command: string, words: string[] | null][] = [
  ["python3 reader.py", ["python3", "reader.py"]],
  ["  a\t b \n", ["a", "b"]],
  ["", []],
  [`a 'b c' "d e"`, ["a", "b c", "d e"]],
  [`a'b'"c"d`, ["abcd"]],
  [`'' ""`, ["", ""]],
  [String.raw`a\ b "c\"d\\e\n" 'f\g'`, ["a b", String.raw`c"d\e\n`, String.raw`f\g`]],
  [`$HOME *`, ["$HOME", "*"]],
  [`'open`, null],
  [`"open`, null],
  ["end\\", null],
];
for (const [command, words] of CASES) {
  Deno.test(`words of ${JSON.stringify(command)}`, () => assertEquals(splitWords(command), words));
}
