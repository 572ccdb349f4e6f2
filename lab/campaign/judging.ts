/** The process in which `judge.ts` has an input judged. */
import { flawOfThrow } from "./flaw.ts";
import { beChild, received, send } from "./frames.ts";
import { guard } from "./guard.ts";
import { countersOf, type Edge, NAMES } from "./load.ts";
import { type Court, MEMORY } from "./judge.ts";
import type { Flaw, Subject } from "./subject.ts";
import { collectBuffers } from "../watchdog/buffers.ts";

/** What such a process is started with. */
export interface JudgingData {
  readonly court: Court;
  readonly beat: string;
}

if (import.meta.main) {
  const { court, beat } = JSON.parse(Deno.args[0]) as JudgingData;
  beChild();
  const edges: Edge[] = "edges" in court ? JSON.parse(Deno.readTextFileSync(court.edges)) : [];
  const counters = new SharedArrayBuffer(countersOf(edges.length));
  Object.assign(globalThis, { [NAMES.shared]: counters });
  guard({ beat, limit: 0, memory: MEMORY, counters, edges });
  const { subject, [NAMES.steps]: steps }: { subject: Subject; [NAMES.steps]?: Uint32Array } =
    await import("module" in court ? court.module : court.build);
  send("ready");
  for (const input of received()) {
    const flaws = new Map<string, Flaw>();
    const report = (flaw: Flaw) => void flaws.set(flaw.key, flaw);
    collectBuffers();
    try {
      subject.run(input as Uint8Array, report);
      subject.probe?.(input as Uint8Array, report, steps);
      await subject.later?.(input as Uint8Array, report);
    } catch (error) {
      report(flawOfThrow(error));
    }
    send([...flaws.values()]);
  }
  Deno.exit();
}
