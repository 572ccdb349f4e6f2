/** Bisecting a repository: its readers are asked commit by commit, and it stays as it was. */
import { assertEquals } from "@std/assert";
import { join } from "node:path";
import { withFolder } from "../gate/testing.ts";
import { Looks } from "./at_commit.ts";
import { type Axis, bisect, commitsOf } from "./bisect.ts";

/** A repository whose "readers" give each of these codes for a commit, and its commits. */
function repository(root: string, codes: readonly string[]): string[] {
  const git = (...args: string[]) => {
    const who = ["-c", "user.name=n", "-c", "user.email=e@example.org"];
    const { stdout, success } = new Deno.Command("git", { args: ["-C", root, ...who, ...args] })
      .outputSync();
    if (!success) throw new Error(`git ${args.join(" ")}`);
    return new TextDecoder().decode(stdout).trim();
  };
  git("init", "-q");
  const write = (path: string, text: string) => {
    Deno.mkdirSync(join(root, path, ".."), { recursive: true });
    Deno.writeTextFileSync(join(root, path), text);
  };
  return codes.map((code, i) => {
    const said = { reader: "cursor", verdict: "reject", stage: 4, code, section: "s", offset: i };
    write("readers/contract.ts", `export {}; // ${i}`);
    write("lab/main.ts", code && `console.log(${JSON.stringify(JSON.stringify(said))})`);
    write("corpus/spec/clauses.json", JSON.stringify({ "slm2-1-1": i < 2 ? "old" : "new" }));
    git("add", "-A");
    git("commit", "-q", "-m", String(i));
    return git("rev-parse", "HEAD");
  });
}

Deno.test("the commits that moved a verdict and its sentence, and nothing left behind", () =>
  withFolder(async (folder) => {
    const root = join(folder, "repository"), input = join(folder, "input.slm");
    Deno.mkdirSync(root);
    Deno.writeFileSync(input, new Uint8Array(3));
    const commits = repository(root, ["", "Old", "Old", "New", "New"]);
    const before = Array.from(Deno.readDirSync(join(root, ".git")), ({ name }) => name).sort();
    const of = { input, sentences: ["slm2-1-1"], stopped: new AbortController().signal };
    using looks = new Looks(root, of);
    const ask = (axis: Axis) => bisect(axis, commitsOf(axis, root), looks.at(axis));
    assertEquals(await ask("readers"), {
      axis: "readers",
      commit: commits[3],
      before: "cursor reject 4 Old [s]",
      after: "cursor reject 4 New [s]",
    });
    assertEquals(await ask("spec"), {
      axis: "spec",
      commit: commits[2],
      before: "slm2-1-1: old",
      after: "slm2-1-1: new",
    });
    assertEquals((await ask("corpus")) as unknown, { axis: "corpus", unmoved: true });
    const after = Array.from(Deno.readDirSync(join(root, ".git")), ({ name }) => name).sort();
    assertEquals(after, before);
  }));
