/** What an input gets at a commit: its readers in its own tree, or what its corpus or text says. */
import { createHash } from "node:crypto";
import { git } from "../gate/standing.ts";
import type { Axis, Look } from "./bisect.ts";

/** Seconds for the readers of one commit. */
const SECONDS = 60;

/**
 * How each axis is looked at; the verdict is a text that is compared whole.
 * @param sentences ids of the sentences that decide the input's verdicts
 */
export function lookAt(
  axis: Axis,
  root: string,
  input: string,
  sentences: readonly string[],
): Look {
  switch (axis) {
    case "readers":
      return (commit) => readersSay(root, commit, input);
    case "corpus":
      return (commit) => Promise.resolve(corpusSays(root, commit, input));
    case "spec":
      return (commit) => Promise.resolve(specSays(root, commit, sentences));
  }
}

/** The verdicts of the commit's own readers, by its own command line. */
async function readersSay(root: string, commit: string, input: string): Promise<string | null> {
  const folder = Deno.makeTempDirSync({ prefix: "slm2-bisect-" });
  try {
    if (git(root, "worktree", "add", "--detach", "--quiet", folder, commit) === null) return null;
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "lab/main.ts", "verify", "--json", input],
      cwd: folder,
      stdin: "null",
      stdout: "piped",
      stderr: "null",
      signal: AbortSignal.timeout(1000 * SECONDS),
    });
    const { stdout } = await child.output();
    const lines = new TextDecoder().decode(stdout).split("\n").filter((one) => one.startsWith("{"));
    return lines.length === 0 ? null : digest(lines.map(verdictOf).join("\n"));
  } finally {
    git(root, "worktree", "remove", "--force", folder);
    Deno.removeSync(folder, { recursive: true });
  }
}

/** A line of `verify` without its advice, which may change freely. */
function verdictOf(line: string): string {
  return JSON.stringify(
    JSON.parse(line),
    (key, value) => key === "offset" || key === "expected" || key === "file" ? undefined : value,
  );
}

/** The expectation that the commit's corpus has for a file of just these bytes. */
function corpusSays(root: string, commit: string, input: string): string | null {
  const text = git(root, "show", `${commit}:corpus/golden/index.json`);
  if (text === null) return null;
  const sha256 = createHash("sha256").update(Deno.readFileSync(input)).digest("hex");
  const entry = (JSON.parse(text).entries as { sha256?: string; expected: unknown }[])
    .find((one) => one.sha256 === sha256);
  return entry === undefined ? null : JSON.stringify(entry.expected);
}

/** The sentences that decide it, as that commit has them. */
function specSays(root: string, commit: string, ids: readonly string[]): string | null {
  const text = git(root, "show", `${commit}:corpus/spec/clauses.json`);
  if (text === null || ids.length === 0) return null;
  const list: Record<string, string> = JSON.parse(text);
  return JSON.stringify(ids.map((id) => list[id] ?? null));
}

const digest = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 16);
