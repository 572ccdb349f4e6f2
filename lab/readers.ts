/** The house's readers by name, each loaded only when it is asked for. */
import type { Reader } from "../readers/contract.ts";
import { UsageError } from "./exit.ts";

const READERS: Record<string, () => Promise<Reader>> = {
  cursor: async () => (await import("../readers/cursor/reader.ts")).cursor,
  table: async () => (await import("../readers/table/reader.ts")).table,
};

export const READER_NAMES: readonly string[] = Object.keys(READERS);

/**
 * Loads readers from a comma-separated list of names, in that order.
 * @throws UsageError for a name that is none
 */
export function loadReaders(names: string): Promise<Reader[]> {
  const list = names.split(",");
  const twice = list.find((name, i) => list.indexOf(name) < i);
  if (twice !== undefined) throw new UsageError(`reader '${twice}' is named twice`);
  return Promise.all(
    list.map((name) => {
      const load = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
      if (!load) throw new UsageError(`no reader '${name}'; there are ${READER_NAMES.join(", ")}`);
      return load();
    }),
  );
}

/**
 * Loads the one reader of that name.
 * @throws UsageError for a name that is none, or a list of names
 */
export async function loadReader(name: string): Promise<Reader> {
  const [reader, ...more] = await loadReaders(name);
  if (more.length > 0) throw new UsageError(`one reader is expected, not '${name}'`);
  return reader;
}
