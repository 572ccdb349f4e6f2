/**
 * What a campaign needs before it begins, made in a process of its own: builds of the subject and
 * of a worker, and good artifacts to start from. The bundler, the parser and the makers of
 * artifacts are gone when the campaign runs.
 */
import { deserialize, serialize } from "node:v8";
import { fileURLToPath } from "node:url";
import type { SeededFault } from "../faults/fault.ts";
import { patchOf } from "../faults/patched.ts";
import type { BuildOptions } from "./build.ts";
import { specTokens } from "./dictionary.ts";
import { beChild } from "./frames.ts";

const CONFIG = fileURLToPath(new URL("../../deno.json", import.meta.url));

export interface PrepareOptions {
  readonly subject: Omit<BuildOptions, "level" | "patch">;
  /** planted into the subject */
  readonly fault?: SeededFault;
  /** artifacts and requests to begin with; absent: none */
  readonly seeds?: { readonly seed: number; readonly each: number; readonly most: number };
}

/** Paths of what was made, and what of it the campaign itself looks at. */
export interface Prepared {
  readonly folder: string;
  readonly worker: string;
  readonly guided: string;
  readonly comparing: string;
  /** the subject without counters, where a fault is planted into it */
  readonly plain: string;
  readonly edgesFile: string;
  /** how many edges the build has */
  readonly edges: number;
  readonly seeds: readonly Uint8Array[];
  /** tokens to begin with */
  readonly dictionary: readonly Uint8Array[];
}

const pathsIn = (folder: string) => ({
  folder,
  worker: `${folder}/worker.js`,
  guided: `${folder}/guided.js`,
  comparing: `${folder}/comparing.js`,
  plain: `${folder}/plain.js`,
  edgesFile: `${folder}/edges.json`,
});

/**
 * Makes all of it in `folder`, an absolute path.
 * @param stopped ends it early
 * @throws Error where a module of the subject does not build, or it was ended early
 */
export async function prepare(
  folder: string,
  options: PrepareOptions,
  stopped?: AbortSignal,
): Promise<Prepared> {
  stopped?.throwIfAborted();
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--quiet",
      "--cached-only",
      "--config",
      CONFIG,
      fileURLToPath(import.meta.url),
      folder,
      JSON.stringify(options),
    ],
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const kill = () => child.kill("SIGKILL"); // it does not hear what interrupts its terminal
  stopped?.addEventListener("abort", kill);
  const { success, stderr } = await child.output();
  stopped?.removeEventListener("abort", kill);
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  const { edges, seeds, dictionary } = deserialize(Deno.readFileSync(`${folder}/made`));
  const own = (list: Uint8Array[]) => list.map((one) => one.slice());
  return { ...pathsIn(folder), edges, seeds: own(seeds), dictionary: own(dictionary) };
}

if (import.meta.main) await make(Deno.args[0], JSON.parse(Deno.args[1]));

async function make(folder: string, options: PrepareOptions): Promise<void> {
  beChild();
  const { seeds, fault } = options;
  const subject = { ...options.subject, ...(fault && { patch: patchOf(fault) }) };
  const { buildSubject, endBuilding } = await import("./build.ts");
  const paths = pathsIn(folder);
  const worker = { entry: "lab/campaign/worker.ts", instrumented: [] };
  const guided = await buildSubject({ ...subject, level: "edges" });
  const comparing = await buildSubject({ ...subject, level: "compares" });
  Deno.writeTextFileSync(paths.worker, (await buildSubject(worker)).code);
  if (fault) Deno.writeTextFileSync(paths.plain, (await buildSubject(subject)).code);
  await endBuilding();
  Deno.writeTextFileSync(paths.guided, guided.code);
  Deno.writeTextFileSync(paths.comparing, comparing.code);
  Deno.writeTextFileSync(paths.edgesFile, JSON.stringify(guided.edges));
  await parsedBefore([paths.worker, paths.guided, paths.comparing]);
  const { seedArtifacts } = await import("../../mutators/seeds.ts");
  const { seedRequests } = await import("./requests.ts");
  const inputs = seeds
    ? [
      ...seedArtifacts(seeds.seed, seeds.each, seeds.most),
      ...seedRequests(seeds.most),
    ]
    : [];
  const made = serialize({
    edges: guided.edges.length,
    seeds: inputs,
    dictionary: seeds ? specTokens() : [],
  });
  Deno.writeFileSync(`${folder}/made`, made);
}

/**
 * Has modules in the cache of the platform: a worker that is the first to load one parses it for what
 * it imports, and keeps 20 MiB of the parser's memory. Where nothing can be cached, that is what it costs.
 */
async function parsedBefore(modules: readonly string[]): Promise<void> {
  const args = [
    "cache",
    "--quiet",
    "--no-config",
    "--no-lock",
    "--no-remote",
    "--no-npm",
    ...modules,
  ];
  await new Deno.Command(Deno.execPath(), { args, stdout: "null", stderr: "null" }).output();
}
