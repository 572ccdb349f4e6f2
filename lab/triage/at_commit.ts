/** What an input gets at a commit: from its readers in its own tree, or from its corpus or text. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { isRequest } from "../../mutators/request.ts";
import { git } from "../gate/standing.ts";
import type { Axis, Look } from "./bisect.ts";

/** Seconds for the readers of one commit. */
const SECONDS = 60;

export interface Case {
  /** absolute path of the input */
  readonly input: string;
  /** ids of the sentences that decide its verdicts */
  readonly sentences: readonly string[];
  readonly stopped: AbortSignal;
}

/**
 * Looks at commits in a clone of its own, so that nothing of the repository at `root` is touched; it
 * is gone at the end. A verdict is a text that is compared whole, and shown.
 */
export class Looks implements Disposable {
  readonly #clone = Deno.makeTempDirSync({ prefix: "slm2-bisect-" });
  #cloned = false;

  constructor(private readonly root: string, private readonly of: Case) {}

  at(axis: Axis): Look {
    switch (axis) {
      case "readers":
        return (commit) => this.#readersSay(commit);
      case "corpus":
        return (commit) => Promise.resolve(corpusSays(this.root, commit, this.of.input));
      case "spec":
        return (commit) => Promise.resolve(specSays(this.root, commit, this.of.sentences));
    }
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.#clone, { recursive: true });
  }

  /** The verdicts of the commit's own readers, by its own command line. */
  async #readersSay(commit: string): Promise<string | null> {
    const { input, stopped } = this.of;
    stopped.throwIfAborted();
    this.#cloned ||= git(this.root, "clone", "-q", "-s", "-n", this.root, this.#clone) !== null;
    if (git(this.#clone, "checkout", "-q", "--force", commit) === null) return null;
    const request = isRequest(head(input));
    if (request && !exists(join(this.#clone, "mutators/request.ts"))) return null;
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "lab/main.ts", request ? "replay" : "verify", "--json", input],
      cwd: this.#clone,
      stdin: "null",
      stdout: "piped",
      stderr: "null",
      signal: AbortSignal.any([stopped, AbortSignal.timeout(1000 * SECONDS)]),
    });
    const { stdout, code } = await child.output();
    stopped.throwIfAborted();
    const lines = new TextDecoder().decode(stdout).split("\n").filter((one) => one.startsWith("{"));
    if (request) return lines.length > 0 || code === 0 ? keysOf(lines) : null;
    return lines.length === 0 ? null : verdictsOf(lines);
  }
}

/** What each reader says, without its advice, which may change freely. */
function verdictsOf(lines: readonly string[]): string {
  return lines.map((line) => {
    const { reader, verdict, stage, code, section, identities } = JSON.parse(line);
    const what = verdict === "reject"
      ? `${stage} ${code} [${section}]`
      : identities?.artifact_id ?? "";
    return `${reader} ${verdict} ${what}`.trim();
  }).join(", ");
}

/** What oracles say of a request. */
const keysOf = (lines: readonly string[]): string =>
  lines.map((line) => JSON.parse(line).key).sort().join(", ") || "nothing is wrong";

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
  return ids.map((id) => `${id}: ${list[id] ?? "(not there)"}`).join("\n");
}

function head(path: string): Uint8Array {
  using file = Deno.openSync(path);
  const bytes = new Uint8Array(16);
  return bytes.subarray(0, file.readSync(bytes) ?? 0);
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
