/** The corpus held against readers in this process: who answers otherwise than the specification. */
import { fileURLToPath } from "node:url";
import type { Built } from "../../corpus/build.ts";
import { GOLDEN } from "../../corpus/golden.ts";
import { smallBig } from "../../corpus/big_build.ts";
import { MAKERS } from "../../corpus/recipes/big.ts";
import type { Entry, FileRef } from "../../corpus/index.ts";
import type { Reader } from "../../readers/contract.ts";
import { judge, resultLine } from "../conform/judge.ts";
import { inProcess } from "../testee/inprocess.ts";
import type { Artifact, Ask } from "../testee/testee.ts";

/**
 * Asks a reader about every case; about those of large files only where they were built.
 * @returns a line for each case that it answers otherwise than the corpus says
 */
export async function hold(
  reader: Reader,
  { index, files }: Pick<Built, "index" | "files">,
  options: { readonly big?: boolean; readonly done?: (cases: number) => void } = {},
): Promise<string[]> {
  const testee = inProcess(reader);
  const faults: string[] = [];
  const artifact = ({ file }: FileRef): Artifact => {
    const bytes = files.get(file)?.bytes ?? smallBig().get(file);
    return bytes ? { bytes } : { path: fileURLToPath(new URL(file, GOLDEN)) };
  };
  for (const [i, entry] of index.entries.entries()) {
    options.done?.(i);
    const held = entry.recipe === undefined || options.big ||
      needs(entry).every((file) => smallBig().has(file));
    if (entry.withdrawn || !held) continue;
    const outcome = await testee.ask(askOf(entry, artifact));
    const { status, result } = judge(entry, outcome, testee.info, undefined);
    if (status !== "pass") {
      const expected = resultLine(entry.expected);
      faults.push(`${entry.id}: ${reader.name} says ${result}; the specification ${expected}`);
    }
  }
  return faults;
}

/** The big files that a case needs. */
const needs = (entry: Entry): string[] =>
  [entry.file!, ...(entry.op === "piece" ? [entry.request.data.file] : [])].filter((file) =>
    MAKERS.has(file)
  );

function askOf(entry: Entry, artifact: (ref: FileRef) => Artifact): Ask {
  switch (entry.op) {
    case "piece": {
      const { data, ...request } = entry.request;
      const held = artifact(data);
      const bytes = "bytes" in held ? held.bytes : Deno.readFileSync(held.path);
      return { op: "piece", set: artifact(entry), data: bytes, ...request };
    }
    case "signature":
      return { op: "signature", envelope: artifact(entry), ...entry.request };
    default: {
      const { resolve, ...request } = entry.request ?? {};
      return {
        op: "read",
        artifact: entry.file === undefined
          ? { path: `absent/${entry.id}` }
          : artifact(entry as FileRef),
        ...request,
        ...(resolve && { resolve: resolve.map(artifact) }),
      };
    }
  }
}
