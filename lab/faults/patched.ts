/** Copies of the source with one fault in them: made in a temporary folder, never in place. */
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Reader } from "../../readers/contract.ts";
import type { Backend } from "../../kernels/backend.ts";
import { houseRuntime, type RuntimeParts } from "../oracle/runtime.ts";
import type { BuildOptions } from "../campaign/build.ts";
import type { SeededFault } from "./fault.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** What a copy holds: readers and what the runtime computes with. */
const FOLDERS = ["readers", "kernels"] as const;

/** The text of the fault's file with the fault in it, or null where its search text is not once there. */
export function patchedText({ search, replacement }: SeededFault, text: string): string | null {
  const at = text.indexOf(search);
  if (at < 0 || text.indexOf(search, at + 1) >= 0) return null;
  return text.slice(0, at) + replacement + text.slice(at + search.length);
}

/** What plants a fault into a build. @throws Error where it does not fit the source any more */
export function patchOf(fault: SeededFault): NonNullable<BuildOptions["patch"]> {
  return (path, text) => {
    if (path !== fault.file) return text;
    const patched = patchedText(fault, text);
    if (patched === null) throw new Error(`${fault.id} does not fit ${fault.file} any more`);
    return patched;
  };
}

/** The source file of a fault as it stands. */
export const sourceOf = ({ file }: SeededFault): string => Deno.readTextFileSync(join(ROOT, file));

/** A tree of modules with one fault in it; its folder is removed at the end. */
export class PatchedTree implements Disposable {
  readonly #folder: string;

  /** @throws Error where the fault does not fit the source any more */
  constructor(readonly fault: SeededFault) {
    const text = patchedText(fault, sourceOf(fault));
    if (text === null) throw new Error(`${fault.id} does not fit ${fault.file} any more`);
    this.#folder = Deno.makeTempDirSync({ prefix: "fault-" });
    for (const folder of FOLDERS) copy(join(ROOT, folder), join(this.#folder, folder));
    Deno.writeTextFileSync(join(this.#folder, fault.file), text);
  }

  /** Loads a module of the tree by its path in the repository. */
  load(path: string): Promise<unknown> {
    return import(pathToFileURL(join(this.#folder, path)).href);
  }

  /** The reader that has the fault; null where the fault is the runtime's. */
  async reader(): Promise<Reader | null> {
    const name = /^readers\/(cursor|table)\//.exec(this.fault.file)?.[1];
    if (name === undefined) return null;
    return (await this.load(`readers/${name}/reader.ts`) as { [name: string]: Reader })[name];
  }

  /** The runtime of the tree: its tokenizer, template and reference backend, beside sound ones. */
  async runtime(): Promise<RuntimeParts> {
    const modules = await Promise.all(
      [
        "readers/runtime/tokenizer/tokenizer.ts",
        "readers/runtime/template/template.ts",
        "readers/runtime/template/render.ts",
        "kernels/cpu/backend.ts",
      ].map((path) => this.load(path)),
    );
    const { openCpu, ...parts } = Object.assign({}, ...modules as object[]) as RuntimeParts & {
      openCpu(): Backend;
    };
    const sound = houseRuntime();
    const wasm = sound.backends.filter(({ name }) => name !== "cpu");
    return { ...sound, ...parts, backends: [openCpu(), ...wasm] };
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.#folder, { recursive: true });
  }
}

function copy(from: string, to: string): void {
  Deno.mkdirSync(to, { recursive: true });
  for (const { name, isDirectory } of Deno.readDirSync(from)) {
    if (isDirectory) copy(join(from, name), join(to, name));
    else if (!/_(test|bench|build)\.ts$/.test(name)) {
      Deno.copyFileSync(join(from, name), join(dirname(join(to, name)), name));
    }
  }
}
