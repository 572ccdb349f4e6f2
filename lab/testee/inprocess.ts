/** A testee over a contract reader in this process: no time or memory limit can be put on it. */
import type { Reader } from "../../readers/contract.ts";
import { askReader } from "./open.ts";
import { LAST_READER_STAGE, OPS, type Outcome, type Testee, type TesteeInfo } from "./testee.ts";

/** Stages of our readers: 28 by `signature`, all others by `read` and `piece`. */
const LAST_STAGE = LAST_READER_STAGE + 2;

/** How one of our readers introduces itself; its version is that of the lab. */
export function infoOfReader(reader: Reader): TesteeInfo {
  return {
    name: reader.name,
    version: "2.0",
    language: "TypeScript",
    stages: [1, LAST_STAGE],
    ops: OPS,
  };
}

export function inProcess(reader: Reader): Testee {
  return {
    info: infoOfReader(reader),
    notes: ["runs in the lab's own process: hang and memory are not watched"],
    ask(ask): Promise<Outcome> {
      try {
        return Promise.resolve(askReader(reader, ask));
      } catch (error) {
        const why = error instanceof Error ? error.stack ?? error.message : String(error);
        return Promise.resolve({ verdict: "crash", why: `threw ${why}`, stderr: "" });
      }
    },
    close: () => Promise.resolve(null),
  };
}
