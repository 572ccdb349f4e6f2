/**
 * Which of three things moved the verdict on an input: the readers, the corpus or the specification.
 * Git keeps the history of all three; one commit is looked at, at a time, in a tree of its own, by
 * halving, and the number of looks is bounded. Before the first commit that can judge the input at
 * all there is no verdict to compare: then it is "since the vector exists".
 */
import { git } from "../gate/standing.ts";

/** What can move a verdict, each with the paths whose commits could have. */
export const AXES = {
  readers: ["readers/cursor", "readers/table", "readers/contract.ts"],
  corpus: ["corpus/golden/index.json", "corpus/recipes"],
  spec: ["corpus/spec"],
} as const;
export type Axis = keyof typeof AXES;

/** Looks of one axis, beyond which the answer is that it is not known. */
export const MOST_LOOKS = 16;

/** Commits of an axis that are considered. */
const MOST_COMMITS = 10_000;

/** What an input got at a commit; null where that commit cannot judge it. */
export type Look = (commit: string) => Promise<string | null>;

export type Bisected =
  | {
    readonly axis: Axis;
    readonly commit: string;
    readonly before: string;
    readonly after: string;
  }
  | { readonly axis: Axis; readonly since: "the vector exists"; readonly commit: string }
  | { readonly axis: Axis; readonly unmoved: true }
  /** why it cannot be told; `silent`: at the present commit nothing says anything of the input */
  | { readonly axis: Axis; readonly unknown: string; readonly silent?: true };

/**
 * Halves commits for the last one that moved the verdict to what it is now.
 * @param commits oldest first; the last one is now
 */
export async function bisect(
  axis: Axis,
  commits: readonly string[],
  look: Look,
  most = MOST_LOOKS,
  onLook: (looks: number, commit: string) => void = () => {},
): Promise<Bisected> {
  let looks = 0;
  const seen = new Map<number, string | null>();
  const at = async (i: number) => {
    if (!seen.has(i)) {
      onLook(++looks, commits[i]);
      seen.set(i, await look(commits[i]));
    }
    return seen.get(i)!;
  };
  if (commits.length === 0) return { axis, unmoved: true };
  const last = commits.length - 1, now = await at(last);
  if (now === null) {
    return { axis, unknown: "the present commit says nothing of it", silent: true };
  }
  // the oldest that can judge it: those before it have no verdict
  let old = 0;
  for (let none = -1, some = last;;) {
    if (none === -1 && await at(0) !== null) break;
    none = Math.max(none, 0);
    if (some - none <= 1) {
      old = some;
      break;
    }
    if (looks >= most) return { axis, unknown: `not found in ${most} looks` };
    const middle = (none + some) >> 1;
    if (await at(middle) === null) none = middle;
    else some = middle;
  }
  if (await at(old) === now) {
    return old === 0 ? { axis, unmoved: true } : {
      axis,
      since: "the vector exists",
      commit: commits[old],
    };
  }
  let other = old, same = last;
  while (same - other > 1) {
    if (looks >= most) return { axis, unknown: `not found in ${most} looks` };
    const middle = (other + same) >> 1;
    if (await at(middle) === now) same = middle;
    else other = middle;
  }
  return { axis, commit: commits[same], before: seen.get(other) ?? "no verdict", after: now };
}

/** Commits that touched an axis, merges as one step, oldest first, the present one last. */
export function commitsOf(axis: Axis, root: string): string[] {
  const args = [
    "log",
    "--reverse",
    "--first-parent",
    "--format=%H",
    `-${MOST_COMMITS}`,
    "HEAD",
    "--",
  ];
  const list = git(root, ...args, ...AXES[axis])?.split("\n").filter(Boolean) ?? [];
  return list;
}
