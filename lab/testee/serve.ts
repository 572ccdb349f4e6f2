/** The program side of testee.md: any contract reader behind standard input and output. */
import type { Reader } from "../../readers/contract.ts";
import { infoOfReader } from "./inprocess.ts";
import { type JsonObject, MAX_LINE, parseLine, writeLine } from "./line.ts";
import { LineSplitter } from "./lines.ts";
import { askReader } from "./open.ts";
import { answerLine, askOf, idOf, PROTOCOL } from "./wire.ts";

/** Bytes asked of standard input at once. */
const READ_SIZE = 64 * 1024;

/** Milliseconds between tries where a pipe was handed over in non-blocking mode. */
const RETRY_MS = 1;

/** The synchronous half of a file, so that tests can stand in for the standard streams. */
export interface Pipes {
  readSync(into: Uint8Array): number | null;
  writeSync(bytes: Uint8Array): number;
}

const STANDARD: Pipes = {
  readSync: (into) => Deno.stdin.readSync(into),
  writeSync: (bytes) => Deno.stdout.writeSync(bytes),
};

/**
 * Answers requests until the input ends. All of it is synchronous: one request at a time is
 * the protocol, and no turn of the event loop stands between two.
 * @throws what the reader throws: the program then ends with a trace on standard error, which
 *   the lab files as a crash
 */
export function serve(reader: Reader, pipes: Pipes = STANDARD): void {
  const splitter = new LineSplitter(MAX_LINE);
  const chunk = new Uint8Array(READ_SIZE);
  for (;;) {
    const line = splitter.next();
    if (line === "more") {
      const length = retried(() => pipes.readSync(chunk));
      if (length === null) {
        const last = splitter.rest();
        if (last.length > 0) writeAll(pipes, writeLine(answer(reader, last)));
        return;
      }
      splitter.push(chunk.subarray(0, length));
    } else if (!writeAll(pipes, writeLine(answer(reader, line)))) return;
  }
}

function answer(reader: Reader, line: Uint8Array | "too-long"): JsonObject {
  if (line === "too-long") return { id: null, skip: `a line of more than ${MAX_LINE} bytes` };
  const parsed = parseLine(line);
  if ("fault" in parsed) return { id: null, skip: parsed.fault };
  const { object } = parsed;
  if (object.hello === PROTOCOL) return { testee: infoOfReader(reader) };
  if (object.hello !== undefined) return { id: idOf(object), skip: `only ${PROTOCOL} is spoken` };
  const ask = askOf(object);
  if ("fault" in ask) return { id: idOf(object), skip: ask.fault };
  return answerLine(idOf(object), askReader(reader, ask.value));
}

/** @returns false where nobody reads any more */
function writeAll(pipes: Pipes, bytes: Uint8Array): boolean {
  try {
    for (let at = 0; at < bytes.length;) {
      at += retried(() => pipes.writeSync(bytes.subarray(at)));
    }
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.BrokenPipe) return false;
    throw error;
  }
}

function retried<T>(transfer: () => T): T {
  for (;;) {
    try {
      return transfer();
    } catch (error) {
      if (!(error instanceof Deno.errors.WouldBlock)) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
}
