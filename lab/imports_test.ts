/** Who may import whom: the house's rule, held against every module but tests. */
import { assertEquals } from "@std/assert";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

interface Rule {
  /** modules under this folder */
  readonly from: string;
  /** may import project files under these prefixes, and under `from` */
  readonly may: readonly string[];
  /** bare specifiers that they must not import: what the other reader relies on */
  readonly not?: RegExp;
}

const CONTRACT = "readers/contract.ts";
const SOURCE = "readers/source.ts";

const RULES: readonly Rule[] = [
  { from: "readers/cursor/", may: [CONTRACT], not: /^(@noble\/|blake3-jit|node:)/ },
  { from: "readers/table/", may: [CONTRACT], not: /^(?!@noble\/)/ },
  { from: "readers/runtime/", may: [CONTRACT, SOURCE, "kernels/"] },
  { from: "readers/", may: [] },
  { from: "kernels/", may: [] },
  { from: "corpus/writer/", may: [CONTRACT] },
  { from: "corpus/", may: [CONTRACT, SOURCE, "kernels/", "mutators/"] },
  { from: "mutators/", may: [CONTRACT, SOURCE, "corpus/writer/", "corpus/importers/"] },
  { from: "reports/", may: [CONTRACT, "corpus/index.ts"] },
  { from: "lab/", may: [""] },
];

/** Modules that are a program of their own: benches and generators, which may compare. */
const PROGRAMS = /(_test|_bench|_build)\.ts$|(^|\/)(testing|bench)\.ts$/;

const IMPORT = /(?:^|[\s;}])(?:import|export)\s*(?:[^"';]*?\sfrom\s*)?\(?\s*["']([^"']+)["']/g;

function* modules(folder: string): Generator<string> {
  for (const entry of Deno.readDirSync(join(ROOT, folder))) {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.name.startsWith(".") || ["assembly", "node_modules", "out"].includes(entry.name)) {
      continue;
    }
    if (entry.isDirectory) yield* modules(path);
    else if (path.endsWith(".ts") && !PROGRAMS.test(path)) yield path;
  }
}

function imports(path: string): string[] {
  const text = Deno.readTextFileSync(join(ROOT, path)).replace(/\/\*[\s\S]*?\*\//g, "");
  return [...text.matchAll(IMPORT)].map((match) => match[1]);
}

function breach(path: string, specifier: string): string | null {
  const rule = RULES.find((one) => path.startsWith(one.from));
  if (!rule) return null;
  if (!specifier.startsWith(".")) {
    return rule.not?.test(specifier) ? `${path} imports ${specifier}` : null;
  }
  const target = relative(ROOT, join(ROOT, dirname(path), specifier));
  const allowed = [rule.from, ...rule.may].some((prefix) => target.startsWith(prefix));
  return allowed ? null : `${path} imports ${target}`;
}

Deno.test("modules import only what the house allows", () => {
  const breaches: string[] = [];
  let seen = 0;
  for (const path of modules("")) {
    for (const specifier of imports(path)) {
      seen++;
      const found = breach(path, specifier);
      if (found) breaches.push(found);
    }
  }
  assertEquals(breaches, []);
  assertEquals(seen > 10, true, "the scan found imports at all");
});

Deno.test("the rule can say no", () => {
  assertEquals(
    breach("readers/cursor/reader.ts", "../table/reader.ts"),
    "readers/cursor/reader.ts imports readers/table/reader.ts",
  );
  assertEquals(
    breach("readers/cursor/reader.ts", "@noble/hashes/blake3.js"),
    "readers/cursor/reader.ts imports @noble/hashes/blake3.js",
  );
  assertEquals(
    breach("readers/table/reader.ts", "blake3-jit"),
    "readers/table/reader.ts imports blake3-jit",
  );
  assertEquals(
    breach("kernels/cpu/x.ts", "../../lab/exit.ts"),
    "kernels/cpu/x.ts imports lab/exit.ts",
  );
  assertEquals(breach("readers/cursor/reader.ts", "../contract.ts"), null);
});

Deno.test("the top level holds what the house allows", async () => {
  const allowed =
    /^(\..*|lab|readers|corpus|mutators|reports|kernels|deno\.json|deno\.lock|Makefile|README\.md|LICENSE)$/;
  const git = new Deno.Command("git", { args: ["ls-files", "-z"], cwd: ROOT });
  const { success, stdout } = await git.output();
  assertEquals(success, true, "git lists the files of a checkout");
  const names = new TextDecoder().decode(stdout).split("\0").filter(Boolean);
  const tops = new Set(names.map((name) => name.split("/")[0]));
  assertEquals([...tops].filter((top) => !allowed.test(top)), []);
});
