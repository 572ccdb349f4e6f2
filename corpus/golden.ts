/**
 * The corpus on disk: `golden/` holds the index and every valid file. A corrupt file is its
 * parent and a patch in the index, and stands expanded only in the published archive; what is too
 * big for either is built by its recipe.
 */
import type { Index } from "./index.ts";
import type { Built } from "./build.ts";
import { matrix } from "./recipes/identity.ts";

/** Where the committed corpus stands. */
export const GOLDEN = new URL("golden/", import.meta.url);

/** The index as it is committed: one entry a line. */
export function indexText({ entries, clauses = {}, ...rest }: Index): string {
  const head = Object.entries(rest).map(([key, value]) => `"${key}": ${JSON.stringify(value)},\n`);
  const list = Object.entries(clauses).map((pair) =>
    pair.map((one) => JSON.stringify(one)).join(": ")
  );
  return `{\n${head.join("")}"clauses": {\n${list.join(",\n")}\n},\n"entries": [\n${
    entries.map((entry) => JSON.stringify(entry)).join(",\n")
  }\n]\n}\n`;
}

/** Every file of `golden/` but its texts, by path. */
export function committedFiles({ index, files }: Built): Map<string, Uint8Array> {
  const kept = [...files.values()].filter(({ parent }) => !parent);
  return new Map([
    ["index.json", new TextEncoder().encode(indexText(index))],
    ["identity_matrix.json", new TextEncoder().encode(`${JSON.stringify(matrix(), null, 1)}\n`)],
    ...kept.map(({ path, bytes }): [string, Uint8Array] => [path, bytes]),
  ]);
}
