/**
 * The second thread of a child in which an input is judged: it ends the child when its memory is too
 * much, whatever the first thread does, and notes where an execution is that does not end.
 */
import { noteAt } from "./beat.ts";
import type { Edge } from "./load.ts";

/** What a guard looks after. */
export interface Guarded {
  /** file of its beats, for the note, and the length that an input may have there */
  readonly beat: string;
  readonly limit: number;
  /** most resident memory of the process, in bytes: array buffers are no heap that V8 bounds */
  readonly memory: number;
  /** counters of the code that runs, and what they count, where that shall be noted */
  readonly counters?: SharedArrayBuffer;
  readonly edges?: readonly Edge[];
}

/** The note of a child that was ended for its memory begins so. */
export const FULL = "memory ";

/** Starts the guard of this process; it lives until the process ends. */
export function guard(guarded: Guarded): void {
  const code = `(${stand})(${noteAt(guarded.limit)})`;
  const url = URL.createObjectURL(new Blob([code], { type: "application/javascript" }));
  new Worker(url, { type: "module" }).postMessage(guarded);
}

/** Runs alone in the thread, so it holds all that it needs. */
function stand(place: number): void {
  const every = 25;
  addEventListener("message", (event) => {
    const { data } = event as MessageEvent<Guarded>;
    const { beat, memory, counters, edges = [] } = data;
    const file = Deno.openSync(beat, { write: true });
    const now = new Uint8Array(counters ?? new SharedArrayBuffer(0));
    let before: Uint8Array | null = null;
    let where = "";
    const note = (text: string) => {
      file.seekSync(place, 0);
      file.writeSync(new TextEncoder().encode(text.slice(0, 120).padEnd(120)));
    };
    setInterval(() => {
      if (Deno.memoryUsage().rss > memory) {
        note(`memory ${where}`);
        Deno.kill(Deno.pid, "SIGKILL");
      }
      if (now.length === 0) return;
      const was = before;
      const moving = was && edges.find((_, i) => now[i] !== was[i]);
      before = now.slice();
      if (!moving) return;
      where = `in ${moving.function} ${moving.file}`;
      note(where);
    }, every);
  });
}
