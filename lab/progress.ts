/**
 * A progress bar on standard error for work that takes over a second; silent where
 * standard error is no terminal.
 */
// @ts-types="@types/cli-progress"
import { SingleBar } from "cli-progress";
import process from "node:process";

export interface Progress {
  /** Sets how much is done, in the unit of `total`. */
  update(done: number): void;
  stop(): void;
}

/** Time after which a bar is drawn; quick work never shows one. */
const DELAY_MS = 500;

/** @param total amount of work in `unit`; the bar appears once the work has taken a while */
export function progress(label: string, total: number, unit: string): Progress {
  if (!Deno.stderr.isTerminal()) return { update() {}, stop() {} };
  const bar = new SingleBar({
    format: `${label} [{bar}] {percentage}% of {total} ${unit}, {eta_formatted} left`,
    hideCursor: true,
    clearOnComplete: true,
    stopOnComplete: false,
    stream: process.stderr,
  });
  const begun = performance.now();
  let drawn = false;
  return {
    update(done) {
      if (!drawn && performance.now() - begun > DELAY_MS) {
        bar.start(total, done);
        drawn = true;
      } else if (drawn) bar.update(done);
    },
    stop() {
      if (drawn) bar.stop();
    },
  };
}
