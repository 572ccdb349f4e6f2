/** One case before its oracles: every reader reads it, watched, and nothing is thrown. */
import type { Reader } from "../../readers/contract.ts";
import { WatchedAllocator } from "../watchdog/allocator.ts";
import { baseOf } from "../watchdog/bounds.ts";
import { WatchedSource } from "../watchdog/source.ts";
import { bounded } from "./bounded.ts";
import type { Finding, Observation, Oracle, Seen } from "./oracle.ts";
import { rewrites } from "./rewrites.ts";
import { sameIdentities } from "./same_identities.ts";
import { sameVerdict } from "./same_verdict.ts";
import { total } from "./total.ts";

/** Run on every case; each costs little beside the readers. */
export const CHEAP: readonly Oracle[] = [total, sameVerdict, sameIdentities, bounded];

/** Run on a part of the accepted cases: each costs as much as a reader, or more. */
export const DEEP: readonly Oracle[] = [rewrites];

/** Readers under watch; sources and allocators are kept and used again. */
export class Observer {
  readonly #watched;

  constructor(readers: readonly Reader[]) {
    this.#watched = readers.map((reader) => ({
      reader,
      source: new WatchedSource(),
      allocator: new WatchedAllocator(),
      base: baseOf(reader),
    }));
  }

  /**
   * Valid until the next call.
   * @param pieces whether piece roots are asked for, which doubles the hashing of an accepted file
   */
  observe(bytes: Uint8Array, pieces = false): Observation {
    const seen = this.#watched.map((watched): Seen => {
      const source = watched.source.show(bytes), allocator = watched.allocator.reset();
      try {
        const { verdict, candidate } = watched.reader.read({ source, allocator, pieces });
        return { ...watched, outcome: verdict, candidate };
      } catch (error) {
        return { ...watched, outcome: { verdict: "throw", error } };
      }
    });
    return { bytes, seen };
  }
}

/** All that oracles find in an observation, each oracle at most one thing. */
export function judge(observation: Observation, oracles: readonly Oracle[]): Finding[] {
  return oracles.flatMap((oracle) => oracle(observation) ?? []);
}
