/// <reference lib="dom" />
/**
 * One of our readers as a testee in a worker: lines of testee.md come and go over a socket to the
 * lab. A path is an address there, fetched into a `Blob` before the reader is asked.
 */
import type { Source } from "../../../readers/contract.ts";
import { cursor } from "../../../readers/cursor/reader.ts";
import { table } from "../../../readers/table/reader.ts";
import { mapArtifacts } from "../../testee/artifacts.ts";
import { infoOfReader } from "../../testee/inprocess.ts";
import type { JsonObject } from "../../testee/line.ts";
import { askOpened } from "../../testee/open.ts";
import type { Artifact, Ask } from "../../testee/testee.ts";
import { answerLine, askOf, idOf, PROTOCOL } from "../../testee/wire.ts";
import { blobSource } from "./blob_source.ts";

/** The page names its worker after the reader. */
const reader = self.name === "table" ? table : cursor;

/** What the worker says: the answer to a line, or what its reader threw. */
export type Said = { readonly answer: JsonObject } | { readonly thrown: string };

const socket = new WebSocket(`ws://${location.host}/socket`);

socket.addEventListener("message", async ({ data }: MessageEvent<string>) => {
  const say = (said: Said) => socket.send(JSON.stringify(said));
  try {
    say({ answer: await answer(JSON.parse(data)) });
  } catch (error) {
    say({ thrown: error instanceof Error ? error.stack ?? error.message : String(error) });
  }
});

async function answer(line: JsonObject): Promise<JsonObject> {
  if (line.hello === PROTOCOL) return { testee: infoOfReader(reader) };
  const ask = askOf(line);
  if ("fault" in ask) return { id: idOf(line), skip: ask.fault };
  const sources = await fetched(ask.value);
  const open = (artifact: Artifact) =>
    "path" in artifact
      ? sources.get(artifact.path)!
      : blobSource(new Blob([artifact.bytes as Uint8Array<ArrayBuffer>]));
  return answerLine(idOf(line), askOpened(reader, ask.value, open));
}

/** A source for each path of a request; null where nothing is there. */
async function fetched(ask: Ask): Promise<Map<string, Source | null>> {
  const paths = new Set<string>();
  mapArtifacts(ask, (artifact) => {
    if ("path" in artifact) paths.add(artifact.path);
    return artifact;
  });
  return new Map(
    await Promise.all([...paths].map(async (path): Promise<[string, Source | null]> => {
      const response = await fetch(path);
      if (response.status === 404) return [path, null];
      if (!response.ok) throw new Error(`${path}: ${response.status}`);
      return [path, blobSource(await response.blob())];
    })),
  );
}
