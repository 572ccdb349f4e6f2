/**
 * Builds of a subject: its module and everything that it imports become one module, in memory,
 * with counters in the folders that are asked for. The same files, loaded plainly, are what
 * `replay` runs.
 */
import { build as bundle, type Plugin, stop, transform } from "esbuild";
import { createRequire, isBuiltin } from "node:module";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { instrument, type Instrumented, type Level, numbered, timedCode } from "./instrument.ts";
import { countersOf, type Edge, NAMES } from "./load.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Packages that are no modules yet ask for the platform's by a function of this name. */
const REQUIRE = `import { createRequire } from "node:module";
const require = createRequire("file:///");`;

export interface BuildOptions {
  /** module that exports the subject, relative to the checkout */
  readonly entry: string;
  /** module of what is built to tell comparisons; absent: the same */
  readonly comparing?: string;
  /** modules whose path in the checkout begins so get counters */
  readonly instrumented: readonly string[];
  /** of those, what gets none: primitives that keep windows, and whose ways say nothing */
  readonly left?: readonly string[];
  /** modules whose exported functions are timed: paths in the checkout */
  readonly timed?: readonly string[];
  /** absent: no counters, but the same bundle */
  readonly level?: Level;
  /** changes the text of a module before it is built: how faults are planted */
  readonly patch?: (path: string, text: string) => string;
}

/** One module of plain JavaScript that imports nothing but the platform's own. */
export interface Build {
  readonly code: string;
  readonly edges: readonly Edge[];
}

const entryOf = ({ entry, comparing = entry, level }: BuildOptions): string =>
  level === "compares" ? comparing : entry;

/**
 * Builds a subject.
 * @throws Error where a module does not parse or is not there
 */
export async function buildSubject(options: BuildOptions): Promise<Build> {
  const modules: Module[] = [];
  const result = await bundle({
    entryPoints: [ROOT + entryOf(options)],
    bundle: true,
    format: "esm",
    target: "esnext",
    write: false,
    logLevel: "silent",
    platform: "node",
    // names stay, for they tell where a throw comes from; comments and space are memory
    minifyWhitespace: true,
    charset: "ascii",
    banner: { js: REQUIRE },
    plugins: [sources(options, modules)],
  });
  const [{ text }] = result.outputFiles;
  if (!options.level) return { code: text, edges: [] };
  const { firsts, edges } = number(modules);
  const counters = `export const ${NAMES.edges} = new Uint8Array(` +
    `globalThis.${NAMES.shared} ?? ${countersOf(edges.length)});\n` +
    `export const ${NAMES.steps} = new Uint32Array(1);\n`;
  const { left, right, choice } = NAMES;
  const log = options.level === "compares"
    ? `const { left: ${left}, right: ${right}, choice: ${choice} } = globalThis.${NAMES.log};\n`
    : "";
  return { code: log + counters + CLOCK + numbered(text, firsts), edges };
}

/** Time is counted from the outermost of timed functions to its end. */
const CLOCK = `export const ${NAMES.clock} = { on: false, milliseconds: 0 };
let $depth = 0, $begun = 0;
const ${NAMES.enter} = () => {
  if ($depth++ === 0 && ${NAMES.clock}.on) $begun = performance.now();
};
const ${NAMES.leave} = () => {
  if (--$depth === 0 && ${NAMES.clock}.on) ${NAMES.clock}.milliseconds += performance.now() - $begun;
};
`;

/** An instrumented module; its place in the list is its tag. */
interface Module {
  readonly name: string;
  readonly edges: Instrumented["edges"];
}

/** Counters are numbered by the names of modules: they load in any order. */
function number(modules: readonly Module[]): { firsts: number[]; edges: Edge[] } {
  const firsts: number[] = [];
  const edges: Edge[] = [];
  for (const one of modules.toSorted((a, b) => a.name < b.name ? -1 : 1)) {
    firsts[modules.indexOf(one)] = edges.length;
    edges.push(...one.edges);
  }
  return { firsts, edges };
}

/** Lets go of the bundler's process. Builds after it start another. */
export const endBuilding = stop;

/** Where a package's module stands: what a checkout imports by its map, a package by its own rules. */
function resolvePackage(path: string, importer: string) {
  if (isBuiltin(path)) return { path, external: true };
  const inside = importer.startsWith(ROOT);
  return {
    path: inside ? fileURLToPath(import.meta.resolve(path)) : createRequire(importer).resolve(path),
  };
}

/** Modules of the checkout are patched, stripped of types and instrumented. */
function sources(
  { instrumented, left = [], timed = [], level, patch }: BuildOptions,
  modules: Module[],
): Plugin {
  return {
    name: "sources",
    setup(build) {
      build.onResolve(
        { filter: /^[^./]/ },
        ({ path, importer }) => resolvePackage(path, importer),
      );
      build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const name = relative(ROOT, path).replaceAll("\\", "/");
        const text = await Deno.readTextFile(path);
        const { code } = await transform(patch?.(name, text) ?? text, {
          loader: "ts",
          target: "esnext",
        });
        if (level && timed.includes(name)) return { contents: timedCode(code), loader: "js" };
        const begins = (prefix: string) => name.startsWith(prefix);
        if (!level || !instrumented.some(begins) || left.some(begins)) {
          return { contents: code, loader: "js" };
        }
        const done = instrument(code, name, modules.length, level);
        modules.push({ name, edges: done.edges });
        return { contents: done.code, loader: "js" };
      });
    },
  };
}
