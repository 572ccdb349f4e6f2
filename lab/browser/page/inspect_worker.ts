/// <reference lib="dom" />
/** Both readers on one file, in a worker of the inspect page; it ends with its one answer. */
import type { Reader, Source, Verdict } from "../../../readers/contract.ts";
import { cursor } from "../../../readers/cursor/reader.ts";
import { table } from "../../../readers/table/reader.ts";
import { type Inspection, inspection } from "../../../reports/inspection.ts";
import { compare } from "../../oracle/verdicts.ts";
import { blobSource } from "./blob_source.ts";

const READERS: readonly Reader[] = [cursor, table];

/** Milliseconds between two reports of progress. */
const PROGRESS_MS = 100;

export interface Judged {
  readonly verdicts: readonly { readonly reader: string; readonly verdict: Verdict }[];
  readonly agree: boolean;
  /** where a reader accepts, what may be shown of the file to anyone */
  readonly facts: Inspection | null;
}

/** What the worker says: how much of the work is done, 0 to 1; the end; what a reader threw. */
export type Said =
  | { readonly done: number }
  | { readonly judged: Judged }
  | { readonly thrown: string };

/** What it is given. */
export interface Given {
  readonly file: File;
  /** whether the extensions are shown too */
  readonly extensions: boolean;
}

const say = (said: Said) => postMessage(said);

addEventListener("message", ({ data }: MessageEvent<Given>) => {
  try {
    say({ judged: judge(data) });
  } catch (error) {
    say({ thrown: error instanceof Error ? error.message : String(error) });
  }
});

function judge({ file, extensions }: Given): Judged {
  const source = counted(blobSource(file), READERS.length * file.size);
  const readings = READERS.map((reader) => reader.read({ source }));
  const verdicts = readings.map(({ verdict }, i) => ({ reader: READERS[i].name, verdict }));
  const [left, right] = verdicts.map(({ verdict }) => ({ outcome: verdict }));
  const accepted = readings.find(({ candidate }) => candidate !== undefined);
  return {
    verdicts,
    agree: compare(left, right).result === "agree",
    facts: accepted?.verdict.verdict === "accept"
      ? inspection(accepted.verdict, accepted.candidate!(), { extensions })
      : null,
  };
}

/** The same source, which reports how many of about `total` bytes have been read. */
function counted(source: Source, total: number): Source {
  let read = 0, reported = performance.now();
  return {
    size: () => source.size(),
    read(offset, into) {
      const length = source.read(offset, into);
      read += length;
      if (performance.now() - reported > PROGRESS_MS) {
        reported = performance.now();
        say({ done: Math.min(1, read / total) });
      }
      return length;
    },
  };
}
