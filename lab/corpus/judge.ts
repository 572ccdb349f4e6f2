/** The corpus held against readers in this process: who answers otherwise than the specification. */
import type { Built } from "../../corpus/build.ts";
import type { Entry, FileRef } from "../../corpus/index.ts";
import type { Reader } from "../../readers/contract.ts";
import { inProcess } from "../testee/inprocess.ts";
import type { Artifact, Ask } from "../testee/testee.ts";
import { judge, resultLine } from "../conform/judge.ts";

/** A case that a reader answers otherwise than the corpus says. */
export interface Disagreement {
  readonly reader: string;
  readonly id: string;
  readonly expected: string;
  readonly actual: string;
}

/** Asks a reader about every case that is not too big to be at hand. */
export async function hold(
  reader: Reader,
  { index, files }: Pick<Built, "index" | "files">,
  done: (cases: number) => void = () => {},
): Promise<Disagreement[]> {
  const testee = inProcess(reader);
  const found: Disagreement[] = [];
  for (const [i, entry] of index.entries.entries()) {
    done(i);
    if (entry.withdrawn) continue;
    const outcome = await testee.ask(
      askOf(entry, (ref) => ({ bytes: files.get(ref.file)!.bytes })),
    );
    const { status, result } = judge(entry, outcome, testee.info, undefined);
    if (status !== "pass") {
      found.push({
        reader: reader.name,
        id: entry.id,
        expected: resultLine(entry.expected),
        actual: result,
      });
    }
  }
  return found;
}

function askOf(entry: Entry, artifact: (ref: FileRef) => Artifact & { bytes: Uint8Array }): Ask {
  switch (entry.op) {
    case "piece": {
      const { data, ...request } = entry.request;
      return { op: "piece", set: artifact(entry), data: artifact(data).bytes, ...request };
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
