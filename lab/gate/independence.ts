/**
 * Whether the two readers are independent: what they import of the project and of packages, and
 * how much of their text is the same. What they rely on in common could be wrong in both.
 */
import { dirname, join, relative } from "node:path";
import { ROOT } from "./standing.ts";
import { type Similarity, similarity } from "./tokens.ts";

/** All that both readers may share: it is what is asked of a reader, with no code that judges. */
const COMMON = ["readers/contract.ts"];

/**
 * Share of equal runs of tokens up to which two texts count as written apart. The house's readers
 * share 2 %: searches by halving, comparisons of bytes, builders of digests. A copied rule or two
 * hides in that; a copied module does not.
 */
export const MOST_SHARE = 0.03;

/** Programs and tests beside a reader are no part of it. */
const ASIDE = /(_test|_bench|_build)\.ts$|(^|\/)testing[a-z_]*\.ts$/;

const IMPORT = /(?:^|[\s;}])(?:import|export)\s*(?:[^"';]*?\sfrom\s*)?\(?\s*["']([^"']+)["']/g;

export interface Independence {
  /** imports of project files that are neither the reader's own nor `COMMON` */
  readonly strays: readonly string[];
  /** packages that both import, directly */
  readonly packages: readonly string[];
  readonly own: Readonly<Record<string, readonly string[]>>;
  readonly similarity: Similarity;
}

/** Audits the readers in two folders below `root`. */
export function auditIndependence(
  folders: readonly [string, string] = ["readers/cursor", "readers/table"],
  root = ROOT,
): Independence {
  const [a, b] = folders.map((folder) => audit(root, folder));
  return {
    strays: [...a.strays, ...b.strays],
    packages: a.packages.filter((name) => b.packages.includes(name)),
    own: { [folders[0]]: a.packages, [folders[1]]: b.packages },
    similarity: similarity(a.sources, b.sources),
  };
}

export function isIndependent({ strays, packages, similarity: { share, of } }: Independence) {
  return strays.length + packages.length === 0 && of > 0 && share <= MOST_SHARE;
}

function audit(root: string, folder: string) {
  const strays: string[] = [], packages = new Set<string>(), sources: string[] = [];
  for (const path of modules(root, folder)) {
    const source = Deno.readTextFileSync(join(root, path));
    if (!path.endsWith("_data.ts")) sources.push(source);
    for (const [, specifier] of source.replace(/\/\*[\s\S]*?\*\//g, "").matchAll(IMPORT)) {
      if (!specifier.startsWith(".")) packages.add(packageOf(specifier));
      else {
        const target = relative(root, join(root, dirname(path), specifier)).replaceAll("\\", "/");
        if (!target.startsWith(`${folder}/`) && !COMMON.includes(target)) {
          strays.push(`${path} imports ${target}`);
        }
      }
    }
  }
  return { strays, packages: [...packages].sort(), sources };
}

function packageOf(specifier: string): string {
  return specifier.split("/").slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
}

function* modules(root: string, folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(join(root, folder))) {
    const path = `${folder}/${name}`;
    if (isDirectory) yield* modules(root, path);
    else if (name.endsWith(".ts") && !ASIDE.test(path)) yield path;
  }
}
