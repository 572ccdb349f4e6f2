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
  return Promise.all(
    names.split(",").map((name) => {
      const load = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
      if (!load) throw new UsageError(`no reader '${name}'; there are ${READER_NAMES.join(", ")}`);
      return load();
    }),
  );
}
