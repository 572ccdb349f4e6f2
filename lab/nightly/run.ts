/** One part in a process of its own: bounded in time, its log bounded in length. */
import { TextLineStream } from "@std/streams";
import { join } from "node:path";
import { type PartRecord, seal } from "../gate/record.ts";
import { ROOT, standing } from "../gate/standing.ts";
import { EXIT } from "../exit.ts";
import { Group } from "./group.ts";
import type { Choice, Part } from "./parts.ts";
import type { Figures } from "./figures.ts";

/** Characters of a part's output that its log keeps. */
const LOG_LIMIT = 4 << 20;

/** Characters of one line that are looked at: no line of the lab's own output is longer. */
const LINE_LIMIT = 1 << 20;

/** Exit code of a part that was ended because its time was up. */
export const TIMED_OUT = EXIT.usage;

export interface PartRun {
  readonly record: PartRecord;
  /** why it did not end by itself, or null */
  readonly fault: string | null;
}

/**
 * Runs a part; its log goes to `OUT/PART.log`.
 * @param seconds after which it is ended
 * @param stopped ends it at once
 * @throws the reason of `stopped`
 */
export async function runPart(
  part: Part,
  choice: Choice,
  out: string,
  seconds: number,
  stopped: AbortSignal,
): Promise<PartRun> {
  const before = standing(), started = new Date();
  const args = present(part.args(choice, out));
  const figures: Figures = part.sampled?.(choice) ? { sampled: 1 } : {};
  Deno.mkdirSync(out, { recursive: true });
  using log = Deno.openSync(join(out, `${part.name}.log`), {
    write: true,
    create: true,
    truncate: true,
  });
  const keep = keeper(log);
  stopped.throwIfAborted();
  const group = new Group(args, ROOT);
  const stop = () => group.end();
  stopped.addEventListener("abort", stop);
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    group.end();
  }, 1000 * seconds);
  const [code] = await Promise.all([
    group.code,
    lines(group.stdout, (line) => {
      part.reduce(figures, line);
      keep(line);
    }),
    lines(group.stderr, keep),
  ]);
  clearTimeout(timer);
  stopped.removeEventListener("abort", stop);
  stopped.throwIfAborted();
  const after = standing();
  const same = JSON.stringify(before) === JSON.stringify(after);
  const record = seal({
    part: part.name,
    command: ["deno", ...args].join(" "),
    ...before,
    clean: before.clean && same,
    started: started.toISOString(),
    ended: new Date().toISOString(),
    exit: late ? TIMED_OUT : code,
    figures: finite(figures),
  });
  return { record, fault: late ? `cut off after ${Math.round(seconds)} s` : null };
}

/** Leaves out test paths that are not there: a part of the lab that this commit does not have. */
function present(args: readonly string[]): string[] {
  if (args[0] !== "test") return [...args];
  return args.filter((arg, i) => i === 0 || arg.startsWith("-") || exists(join(ROOT, arg)));
}

function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}

/** JSON has no other numbers, and a figure that is none is better absent. */
function finite(figures: Figures): Figures {
  return Object.fromEntries(Object.entries(figures).filter(([, value]) => Number.isFinite(value)));
}

async function lines(stream: ReadableStream<Uint8Array>, take: (line: string) => void) {
  const text = stream.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)
    .pipeThrough(new TextLineStream());
  for await (const line of text) take(line.slice(0, LINE_LIMIT));
}

/** Appends lines to a log until it is full. */
function keeper(log: Deno.FsFile): (line: string) => void {
  const encoder = new TextEncoder();
  let left = LOG_LIMIT;
  return (line) => {
    if (left <= 0) return;
    const text = left > line.length ? line : `${line.slice(0, left)}…\nthe log is full`;
    left -= line.length + 1;
    const bytes = encoder.encode(`${text}\n`);
    for (let at = 0; at < bytes.length;) at += log.writeSync(bytes.subarray(at));
  };
}
