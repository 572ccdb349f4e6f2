/** Modules bundled for a browser by esbuild: one script without imports. */
import { build, type Plugin, stop } from "esbuild";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const PROJECT = fileURLToPath(new URL("../../", import.meta.url));

/** Packages in Deno's own cache: the project's by its import map, theirs by their own names. */
const packages: Plugin = {
  name: "packages",
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, importer, kind }) => {
      if (kind === "entry-point") return null;
      return importer.startsWith(PROJECT)
        ? { path: fileURLToPath(import.meta.resolve(path)) }
        : { path: createRequire(importer).resolve(path) };
    });
  },
};

/** Builds that share esbuild's process, which the last one ends. */
let underWay = 0;

/**
 * Bundles the module at `entry` into the text of a classic script.
 * @param constants global names that stand for a text in the bundle
 * @throws where the module or something that it imports cannot be bundled
 */
export async function bundle(
  entry: URL,
  constants: Readonly<Record<string, string>> = {},
): Promise<string> {
  const define = Object.entries(constants).map(([name, text]) => [name, JSON.stringify(text)]);
  underWay++;
  try {
    const { outputFiles } = await build({
      entryPoints: [fileURLToPath(entry)],
      bundle: true,
      write: false,
      format: "iife",
      platform: "browser",
      target: "es2022",
      charset: "utf8",
      legalComments: "none",
      minify: true,
      plugins: [packages],
      define: Object.fromEntries(define),
      logLevel: "silent",
    });
    return outputFiles[0].text;
  } finally {
    if (--underWay === 0) await stop();
  }
}
