/**
 * Builds of a subject: its module and everything that it imports become one module, in memory,
 * with counters in the folders that are asked for. The same files, loaded plainly, are what
 * `replay` runs.
 */
import { build as bundle, type Plugin, stop, transform } from "esbuild";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type Edge,
  instrument,
  type Instrumented,
  type Level,
  NAMES,
  numbered,
} from "./instrument.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const COMPARE_LOG = new URL("./compare_log.ts", import.meta.url).href;

export interface BuildOptions {
  /** module that exports the subject, relative to the checkout */
  readonly entry: string;
  /** modules whose path in the checkout begins so get counters */
  readonly instrumented: readonly string[];
  /** of those, what gets none: primitives that keep windows, and whose ways say nothing */
  readonly left?: readonly string[];
  /** absent: no counters, but the same bundle */
  readonly level?: Level;
  /** changes the text of a module before it is built: how faults are planted */
  readonly patch?: (path: string, text: string) => string;
}

/** One module of plain JavaScript, to be imported by `load`, in this thread or in another. */
export interface Build {
  readonly code: string;
  readonly edges: readonly Edge[];
}

/**
 * Builds a subject.
 * @throws Error where a module does not parse or is not there
 */
export async function buildSubject(options: BuildOptions): Promise<Build> {
  const modules: Module[] = [];
  const result = await bundle({
    entryPoints: [ROOT + options.entry],
    bundle: true,
    format: "esm",
    target: "esnext",
    write: false,
    logLevel: "silent",
    plugins: [sources(options, modules)],
  });
  const [{ text }] = result.outputFiles;
  if (!options.level) return { code: text, edges: [] };
  const { firsts, edges } = number(modules);
  const counters = `export const ${NAMES.edges} = new Uint8Array(` +
    `globalThis.${NAMES.shared} ?? ${countersOf(edges)});\n`;
  const log = options.level === "compares"
    ? `import { left as ${NAMES.left}, right as ${NAMES.right}, choice as ${NAMES.choice} } ` +
      `from ${JSON.stringify(COMPARE_LOG)};\n`
    : "";
  return { code: log + counters + numbered(text, firsts), edges };
}

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

/** Length of the array of counters for `edges`: read eight bytes at a time. */
export const countersOf = (edges: readonly Edge[]): number =>
  Math.max(8, Math.ceil(edges.length / 8) * 8);

/** Lets go of the bundler's process. Builds after it start another. */
export const endBuilding = stop;

/** Packages stay imports; modules of the checkout are patched, stripped of types and instrumented. */
function sources(
  { instrumented, left = [], level, patch }: BuildOptions,
  modules: Module[],
): Plugin {
  return {
    name: "sources",
    setup(build) {
      build.onResolve({ filter: /^[^./]/ }, ({ path }) => ({ path, external: true }));
      build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const name = relative(ROOT, path).replaceAll("\\", "/");
        const text = await Deno.readTextFile(path);
        const { code } = await transform(patch?.(name, text) ?? text, {
          loader: "ts",
          target: "esnext",
        });
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

/** A build that runs: its exports, and its counters (empty where it has none). */
export interface Loaded<Exports> {
  readonly exports: Exports;
  readonly counters: Uint8Array;
}

/** Imports a build as a module of its own: nothing is shared with another load of it. */
export async function load<Exports>(code: string): Promise<Loaded<Exports>> {
  const url = URL.createObjectURL(new Blob([code], { type: "application/javascript" }));
  try {
    const exports = await import(url);
    return { exports, counters: exports[NAMES.edges] ?? new Uint8Array(8) };
  } finally {
    URL.revokeObjectURL(url);
  }
}
