/** One case before its oracles: every reader reads it, watched, and nothing is thrown. */
import type { Candidate, Judgement, Reader, Verdict } from "../../readers/contract.ts";
import { isRequest } from "../../mutators/request.ts";
import { askOfInput, subjectOf } from "../testee/input.ts";
import { opened } from "../testee/open.ts";
import type { Ask } from "../testee/testee.ts";
import { WatchedAllocator } from "../watchdog/allocator.ts";
import { baseOf, type Companion } from "../watchdog/bounds.ts";
import { grown } from "../watchdog/buffers.ts";
import { WatchedSource } from "../watchdog/source.ts";
import { bounded } from "./bounded.ts";
import {
  type Finding,
  type LaterOracle,
  type Observation,
  type Oracle,
  type Seen,
  tuples,
} from "./oracle.ts";
import { rewrites } from "./rewrites.ts";
import { sameIdentities } from "./same_identities.ts";
import { sameVerdict } from "./same_verdict.ts";
import { total } from "./total.ts";

/** Run on every case; each costs little beside the readers. */
export const CHEAP: readonly Oracle[] = [total, sameVerdict, sameIdentities, bounded];

/** Run on a part of the accepted cases: each costs as much as a reader, or more. */
export const DEEP: readonly Oracle[] = [rewrites];

const NOTHING = new Uint8Array(0);

/** Readers under watch; sources and allocators are kept and used again. */
export class Observer {
  readonly #watched;

  constructor(readers: readonly Reader[]) {
    this.#watched = readers.map((reader) => ({
      reader,
      source: new WatchedSource(),
      companions: [] as readonly Companion[],
      allocator: new WatchedAllocator(),
      base: baseOf(reader),
    }));
  }

  /**
   * One file to read. Valid until the next call.
   * @param pieces whether piece roots are asked for, which doubles the hashing of an accepted file
   */
  observe(bytes: Uint8Array, pieces = false): Observation {
    const seen = this.#watched.map((watched) =>
      weighed(watched.allocator, () => {
        const source = watched.source.show(bytes), allocator = watched.allocator.reset();
        return answered(watched, () => watched.reader.read({ source, allocator, pieces }));
      })
    );
    return { bytes, seen };
  }

  /** What the last observation cost: bytes asked for, reads, and bytes allocated, of each reader. */
  costs(): number[] {
    return this.#watched.flatMap(({ source, allocator }) => [
      source.asked,
      source.reads,
      allocator.held,
    ]);
  }

  /** Any input of a campaign; null where it says that it is a request and is none. */
  input(input: Uint8Array, pieces = false): Observation | null {
    if (!isRequest(input)) return this.observe(input, pieces);
    const ask = askOfInput(input);
    return ask && this.ask(ask);
  }

  /** Any request whose artifacts come by value. Valid until the next call. */
  ask(ask: Ask): Observation {
    const main = subjectOf(ask);
    const bytes = "bytes" in main ? main.bytes : NOTHING;
    const seen = this.#watched.map((watched) =>
      weighed(watched.allocator, () => {
        const source = watched.source.show(bytes), allocator = watched.allocator.reset();
        const companions: Companion[] = [];
        const asked = opened(ask, (artifact) => {
          if (!("bytes" in artifact)) return null;
          if (artifact === main) return source;
          const { bytes, claimed_id } = artifact;
          const companion = {
            bytes,
            source: new WatchedSource().show(bytes),
            claimed: claimed_id !== undefined,
          };
          companions.push(companion);
          return companion.source;
        });
        return answered({ ...watched, companions }, () => {
          if (asked.op === "read") return watched.reader.read({ ...asked, allocator });
          const verdict = asked.op === "piece"
            ? watched.reader.piece({ ...asked, allocator })
            : watched.reader.signature({ ...asked, allocator });
          return { verdict };
        });
      })
    );
    return { bytes, seen, asked: ask };
  }
}

/** Reads, and notes beside the allocator by how much buffers grew. */
function weighed(allocator: WatchedAllocator, read: () => Seen): Seen {
  const [seen, bytes] = grown(read);
  allocator.grown = bytes;
  return seen;
}

function answered(
  watched: Omit<Seen, "outcome" | "candidate">,
  read: () => { readonly verdict: Verdict | Judgement; readonly candidate?: () => Candidate },
): Seen {
  try {
    const { verdict, candidate } = read();
    return { ...watched, outcome: verdict, candidate };
  } catch (error) {
    return { ...watched, outcome: { verdict: "throw", error } };
  }
}

/** All that oracles find in an observation, each oracle at most one thing. */
export function judge(observation: Observation, oracles: readonly Oracle[]): Finding[] {
  return oracles.flatMap((oracle) => {
    const finding = oracle(observation);
    return finding === null ? [] : withTuples(finding, observation);
  });
}

/** The same from an oracle that takes a turn of the event loop. */
export async function judgeLater(
  observation: Observation,
  oracle: LaterOracle,
): Promise<Finding[]> {
  const finding = await oracle(observation);
  return finding === null ? [] : [withTuples(finding, observation)];
}

/** A finding with what every reader said, whole. */
function withTuples(finding: Finding, observation: Observation): Finding {
  const all = tuples(observation);
  return finding.detail.includes(all)
    ? finding
    : { ...finding, detail: `${finding.detail}\n${all}` };
}
