/** Builds as they run: by which names instrumented code reaches its counters, and how it is loaded. */
import { installSteadySort } from "./steady_sort.ts";

/** Names that instrumented code uses. */
export const NAMES = {
  edges: "$edges",
  /** times that a loop's body was entered, in one word, modulo 2^32 */
  steps: "$steps",
  /** global: shared memory that a judge may lend for the counters */
  shared: "$shared",
  /** global: the log of comparisons, `left`, `right` and `choice` of `compare_log.ts` */
  log: "$log",
  left: "$left",
  right: "$right",
  choice: "$choice",
  clock: "$clock",
  enter: "$enter",
  leave: "$leave",
} as const;

/** One counter: the module, the function that it stands in, and which arm of what it is. */
export interface Edge {
  readonly file: string;
  readonly function: string;
  readonly arm: string;
}

/** Length of the array of counters for so many edges: read eight bytes at a time. */
export const countersOf = (edges: number): number => Math.max(8, Math.ceil(edges / 8) * 8);

/** The time in functions that are timed, while it is on. */
export interface Clock {
  on: boolean;
  milliseconds: number;
}

/** A build that runs: its exports, its counters (empty where it has none), its steps and its clock. */
export interface Loaded<Exports> {
  readonly exports: Exports;
  readonly counters: Uint8Array;
  /** one word: steps of loops */
  readonly steps: Uint32Array;
  readonly clock: Clock;
}

/** Imports a build as a module of its own: nothing is shared with another load of it. */
export async function load<Exports>(code: string): Promise<Loaded<Exports>> {
  const url = URL.createObjectURL(new Blob([code], { type: "application/javascript" }));
  try {
    return await loadFrom(url);
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** Imports a build from where it stands; arrays are sorted steadily from then on. */
export async function loadFrom<Exports>(url: string): Promise<Loaded<Exports>> {
  installSteadySort();
  const exports = await import(url);
  return {
    exports,
    counters: exports[NAMES.edges] ?? new Uint8Array(8),
    steps: exports[NAMES.steps] ?? new Uint32Array(1),
    clock: exports[NAMES.clock] ?? { on: false, milliseconds: 0 },
  };
}
