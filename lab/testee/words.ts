/** A command line split into words as a POSIX shell would, without any expansion. */

/**
 * Single quotes keep everything, double quotes all but `\"` and `\\`, a backslash outside
 * keeps the next character.
 * @returns the words, or null where a quote or a backslash is left open
 */
export function splitWords(command: string): string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  let quote = "";
  for (let at = 0; at < command.length; at++) {
    const character = command[at];
    if (quote === "'" ? character === "'" : quote === '"' && character === '"') quote = "";
    else if (quote === "'") word += character;
    else if (character === "\\" && (quote === "" || /["\\]/.test(command[at + 1] ?? ""))) {
      if (++at === command.length) return null;
      word = (word ?? "") + command[at];
    } else if (quote === '"') word += character;
    else if (character === "'" || character === '"') {
      quote = character;
      word ??= "";
    } else if (/\s/.test(character)) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? "") + character;
  }
  if (quote !== "") return null;
  if (word !== null) words.push(word);
  return words;
}
