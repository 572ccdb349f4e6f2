/** Throws as flaws. */
import type { Flaw } from "./subject.ts";

/** A throw is a crash; its place is what tells it from others, never its text. */
export function flawOfThrow(error: unknown): Flaw {
  const stack = error instanceof Error ? error.stack ?? "" : "";
  const place = /^\s*at (?:new |async )?([^\s(]+)/m.exec(stack)?.[1] ?? "nowhere";
  const kind = error instanceof Error ? error.name : typeof error;
  return {
    class: "crash",
    key: `crash ${kind} in ${place.replace(/\d+$/, "")}`,
    detail: stack || String(error),
  };
}
