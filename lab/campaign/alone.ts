/** An input judged by readers without counters; a hang is looked at again with them, growth at once. */
import type { SeededFault } from "../faults/fault.ts";
import { inCourt } from "./court.ts";
import { type Court, Judge } from "./judge.ts";
import { PROBE_MS, probeName } from "./probe_name.ts";
import type { Flaw } from "./subject.ts";

/**
 * All that is wrong with `input`. Where it does not end, its key tells where it stays.
 * @param fault planted into the readers; absent: as they stand
 */
export async function askAlone(input: Uint8Array, fault?: SeededFault): Promise<Flaw[]> {
  const grows = probeName(input) !== null;
  const ask = (court: Court) => once(new Judge(court, grows ? PROBE_MS : undefined), input);
  if (grows) return await inCourt("counters", fault, ask);
  const flaws = await inCourt("plain", fault, ask);
  if (!flaws.some(({ key }) => /^(hang|heap) /.test(key))) return flaws;
  return await inCourt("counters", fault, ask);
}

async function once(judge: Judge, input: Uint8Array): Promise<Flaw[]> {
  try {
    return await judge.ask(input);
  } finally {
    await judge.close();
  }
}
