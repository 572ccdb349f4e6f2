/** Bisecting one finding on all three axes, one after another. */
import { resolve } from "node:path";
import { UsageError } from "../exit.ts";
import { inputPathOf } from "../gate/findings.ts";
import { ROOT } from "../gate/standing.ts";
import { Looks } from "./at_commit.ts";
import { AXES, type Axis, bisect, type Bisected, commitsOf } from "./bisect.ts";
import type { Triaged } from "./look.ts";

export interface Options {
  /** ids of the sentences that decide its verdicts */
  readonly sentences: readonly string[];
  /** commits looked at an axis */
  readonly looks: number;
  readonly stopped: AbortSignal;
  readonly onLook: (axis: Axis, looks: number, commits: number) => void;
}

/** @throws UsageError where it has no input; the reason of `stopped` */
export async function* moved(one: Triaged, options: Options): AsyncGenerator<Bisected> {
  const { sentences, looks, stopped, onLook } = options;
  const path = inputPathOf(one);
  if (path === null) throw new UsageError(`${one.name} has no input to look at`);
  using at = new Looks(ROOT, { input: resolve(path), sentences, stopped });
  for (const axis of Object.keys(AXES) as Axis[]) {
    const commits = commitsOf(axis, ROOT);
    yield await bisect(
      axis,
      commits,
      at.at(axis),
      looks,
      (count) => onLook(axis, count, commits.length),
    );
  }
}
