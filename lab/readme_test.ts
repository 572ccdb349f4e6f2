/** The README is true: its list of commands is the lab's. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadCorpus, select } from "./conform/cases.ts";
import { COMMANDS } from "./main.ts";
import { inFolder, lab } from "./testing.ts";

Deno.test("README lists every command", () => {
  const readme = Deno.readTextFileSync(new URL("../README.md", import.meta.url));
  const listed = [...readme.matchAll(/^\| `([a-z]+)` *\|/gm)].map((match) => match[1]);
  assertEquals(listed.sort(), Object.keys(COMMANDS).sort());
});

/** The words of README's command that begins with `words`, without `deno task lab`. */
function command(words: string): string[] {
  const readme = Deno.readTextFileSync(new URL("../README.md", import.meta.url));
  const line = readme.replaceAll(/\\\n\s*/g, "").match(new RegExp(`deno task lab (${words} .*)`));
  return [...line![1].matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain);
}

Deno.test("README's model of one's own speaks", () =>
  inFolder(async (folder) => {
    const store = join(folder, "out/store");
    const here = (args: string[]) => args.map((arg) => arg === "out/store" ? store : arg);
    const packed = await lab(here(command("pack llama2c")));
    assertEquals(packed.code, 0);
    const composition = packed.out.trim().split("\n").pop()!.split(/\s+/)[1];
    const run = here(command("run")).map((arg) => arg === "COMPOSITION_ID" ? composition : arg);
    const { code, out } = await lab(run);
    assertEquals(code, 0);
    assertStringIncludes(out, "Once upon a time,");
  }));

Deno.test("each --case of help and guide chooses cases of the golden corpus", async () => {
  const guide = Deno.readTextFileSync(new URL("../corpus/examples/README.md", import.meta.url));
  const { out } = await lab(["conform", "--help"]);
  const globs = [...(guide + out).matchAll(/--case '?([^\s']*\/[^\s']*)/g)].map(([, glob]) => glob);
  const named = [...out.matchAll(/"id":"([^"]+)","result"/g)].map(([, id]) => id);
  const { index } = loadCorpus(fileURLToPath(new URL("../corpus/golden/", import.meta.url)));
  assert(globs.length >= 3 && named.length >= 1);
  for (const id of [...globs, ...named]) {
    assert(select(index, { tags: [], ids: [id] }).length > 0, id);
  }
});
