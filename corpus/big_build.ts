/** Builds the big files of the corpus on disk, as sparse as they are. */
import { createHash } from "node:crypto";
import { lazy } from "./recipes/case.ts";
import { type BigData, type BigFile, dataKnown, MAKERS } from "./recipes/big.ts";

const WINDOW = 1 << 20;

/** Writes a big file. @throws Deno.errors.* where it cannot be written */
export function writeBig(path: string, { size, parts }: BigFile): void {
  const file = Deno.openSync(path, { write: true, create: true, truncate: true });
  try {
    file.truncateSync(size);
    for (const [offset, bytes] of parts) {
      file.seekSync(offset, Deno.SeekMode.Start);
      for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
    }
  } finally {
    file.close();
  }
}

/** Big files up to this size are made in memory and published; larger ones only on disk. */
const SMALL = 8 * WINDOW;

/** The big files that are small enough to be at hand. */
export const smallBig = lazy((): ReadonlyMap<string, Uint8Array> =>
  new Map(
    [...MAKERS].filter(([path]) => dataKnown(path).size <= SMALL).map(([path, make]) => {
      const { size, parts } = make();
      const bytes = new Uint8Array(size);
      for (const [offset, part] of parts) bytes.set(part, offset);
      return [path, bytes];
    }),
  )
);

/** What the index says of a big file; hashed from its description, not from disk. */
export function dataOf({ size, parts, identities }: BigFile): BigData {
  const hash = createHash("sha256");
  const zeros = new Uint8Array(WINDOW);
  let at = 0;
  const skip = (to: number) => {
    for (; at < to; at = Math.min(to, at + WINDOW)) {
      hash.update(zeros.subarray(0, Math.min(WINDOW, to - at)));
    }
  };
  for (const [offset, bytes] of parts) {
    skip(offset);
    hash.update(bytes);
    at += bytes.length;
  }
  skip(size);
  return { sha256: hash.digest("hex"), size, ...(identities ? { identities } : {}) };
}

if (import.meta.main) {
  const data = Object.fromEntries([...MAKERS].map(([path, make]) => [path, dataOf(make())]));
  const path = new URL("recipes/big_data.json", import.meta.url);
  Deno.writeTextFileSync(path, `${JSON.stringify(data, null, 2)}\n`);
  console.log(`${MAKERS.size} big files`);
}
