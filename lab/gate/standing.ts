/** What a result is a result of: the commit, the corpus, the specification and the tools. */
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { contentId } from "../../corpus/index.ts";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

export interface Standing {
  /** full id of the commit, or `none` outside a repository */
  readonly commit: string;
  /** whether the tree was that commit and nothing else, new files included */
  readonly clean: boolean;
  /** content id of the corpus index, computed and not believed */
  readonly corpus: string;
  /** SHA-256 over the files of the specification */
  readonly spec: string;
  /** versions of the tools, and the hash of the lock file for everything that it pins */
  readonly tools: Readonly<Record<string, string>>;
}

const SPEC = ["slm2.md", "classes.md", "testee.md", "clauses.json"];

/** The standing of the working tree at `root`. */
export function standing(root = ROOT): Standing {
  return {
    ...tree(root),
    corpus: contentId(JSON.parse(Deno.readTextFileSync(`${root}corpus/golden/index.json`))),
    spec: hashFiles(SPEC.map((name) => `${root}corpus/spec/${name}`)),
    tools: { ...Deno.version, lock: hashFiles([`${root}deno.lock`]) },
  };
}

/** The commit of the tree at `root`, and whether anything differs from it. */
export function tree(root: string): { commit: string; clean: boolean } {
  const commit = git(root, "rev-parse", "HEAD");
  const changes = git(root, "status", "--porcelain", "--untracked-files=normal");
  return { commit: commit ?? "none", clean: commit !== null && changes === "" };
}

/** What git says, trimmed; null where it fails or is not there. */
export function git(root: string, ...args: readonly string[]): string | null {
  try {
    const { success, stdout } = new Deno.Command("git", {
      args: ["-C", root, ...args],
      stderr: "null",
    }).outputSync();
    return success ? new TextDecoder().decode(stdout).trim() : null;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

function hashFiles(paths: readonly string[]): string {
  const hash = createHash("sha256");
  for (const path of paths) {
    const bytes = Deno.readFileSync(path);
    hash.update(`${bytes.length}\n`).update(bytes);
  }
  return hash.digest("hex");
}
