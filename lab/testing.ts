/** The command line as a person has it: a program of its own. For tests. */
import { artifactFile } from "../corpus/store.ts";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

export const MAIN: string = path("main.ts");
export const FABLE: string = path("../corpus/models/fable/fable.bin");
export const FABLE_TOKENIZER: string = path("../corpus/models/fable/fable-tok.bin");

const bytesOf = (input: string | Uint8Array) =>
  typeof input === "string" ? new TextEncoder().encode(input) : new Uint8Array(input);

/** What a run of the command line left. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the command line in the root of the checkout, with `input` on its standard input, uncoloured. */
export async function lab(args: readonly string[], input?: string | Uint8Array): Promise<Ran> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", MAIN, ...args],
    cwd: path("../"),
    env: { NO_COLOR: "1" },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writing = ReadableStream.from([bytesOf(input ?? "")]).pipeTo(child.stdin).catch(() => {});
  const { code, stdout, stderr } = await child.output();
  await writing;
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, out: text(stdout), err: text(stderr) };
}

/** Calls `use` with an empty folder, which is removed afterwards. */
export async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await use(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Packs the bundled model with the command line: paths and ids of what it wrote. */
export async function packFable(store: string) {
  const { code, out, err } = await lab([
    ...["pack", "llama2c", FABLE, "--tokenizer", FABLE_TOKENIZER],
    ...["--out", store, "--json"],
  ]);
  if (code !== 0) throw new Error(err);
  const ids = out.trim().split("\n").map((line): string => JSON.parse(line).artifact_id);
  const [base, tokenizer, composition] = ids.map((id) => ({
    id,
    path: join(store, artifactFile(id)),
  }));
  return { base, tokenizer, composition };
}
