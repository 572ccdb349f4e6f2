/**
 * A testee that is the second reader, but for what it does on requests with one fault: for tests, and
 * to see what a finding of a testee looks like. `deno run -A lab/campaign/flawed.ts MODE`.
 */
import type { Reader, Reading, Verdict } from "../../readers/contract.ts";
import { table } from "../../readers/table/reader.ts";
import { serve } from "../testee/serve.ts";

/** What it trips over. */
const CODE = "BaseMismatch";

const say = (text: string) => Deno.stdout.writeSync(new TextEncoder().encode(text));

export const FLAWS: { readonly [mode: string]: (verdict: Verdict) => Verdict } = {
  good: (verdict) => verdict,
  "wrong-code": (verdict) => ({ ...verdict, code: "LayoutMismatch" } as Verdict),
  dies() {
    throw new RangeError("index out of range");
  },
  exits: () => Deno.exit(3),
  hangs() {
    for (;;);
  },
  garbage(verdict) {
    say("reading took 3 ms\n");
    return verdict;
  },
  grows() {
    for (const kept: Uint8Array[] = [];;) kept.push(new Uint8Array(1 << 24).fill(1));
  },
};

/** The second reader with a flaw. */
export function flawed(mode: string): Reader {
  return {
    ...table,
    name: "flawed",
    read(request): Reading {
      const reading = table.read(request);
      const { verdict } = reading;
      const trips = verdict.verdict === "reject" && verdict.code === CODE;
      return trips ? { verdict: FLAWS[mode](verdict) } : reading;
    },
  };
}

if (import.meta.main) serve(flawed(Deno.args[0]));
