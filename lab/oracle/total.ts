/** Oracle: a reader answers in its type, whatever the bytes; it never throws. */
import { CODES, SECTIONS } from "../../readers/contract.ts";
import { Refused } from "../watchdog/allocator.ts";
import { clause } from "./clauses.ts";
import { type Finding, type Observation, tuple } from "./oracle.ts";

const NAME = "total";

export function total({ seen }: Observation): Finding | null {
  for (const { reader, outcome } of seen) {
    if (outcome.verdict === "throw") {
      const memory = outcome.error instanceof Refused;
      return {
        oracle: NAME,
        class: memory ? "memory" : "crash",
        key: `${NAME} ${reader.name} ${memory ? "memory" : "throw"} ${throwPlace(outcome.error)}`,
        detail: `${reader.name}: ${tuple(outcome)}`,
        clause: clause(memory ? "slm2-8-9" : "slm2-1-8"),
      };
    }
    if (outcome.verdict !== "reject") continue;
    const { code, section, stage } = outcome;
    const legal = Object.hasOwn(CODES, code) &&
      (CODES[code] as readonly number[]).includes(stage) &&
      SECTIONS.includes(section);
    if (!legal) {
      return {
        oracle: NAME,
        class: "protocol",
        key: `${NAME} ${reader.name} verdict ${stage} ${code} ${section}`,
        detail: `${reader.name}: ${tuple(outcome)}`,
        clause: clause("slm2-1-9"),
      };
    }
  }
  return null;
}

/** The kind of an error and the function of ours that it comes from; no text and no line. */
export function throwPlace(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const frames = error.stack?.split("\n") ?? [];
  for (const frame of frames) {
    // the allocator that refuses is not where the asking went wrong
    const match = /^\s*at (?:new |async )?(?:(\S+) )?.*?\/((?:readers|kernels)\/[^:)]+)/.exec(
      frame,
    );
    if (match) return `${error.name} ${match[1] ?? ""} ${match[2]}`;
  }
  return error.name;
}
