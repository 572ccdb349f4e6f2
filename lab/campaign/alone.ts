/** An input judged by readers without counters; a hang is looked at again with them. */
import type { SeededFault } from "../faults/fault.ts";
import { inCourt } from "./court.ts";
import { type Court, Judge } from "./judge.ts";
import { probeName } from "./probe_name.ts";
import type { Flaw } from "./subject.ts";

/** Probes of growing work take their time, the more so on a busy machine. */
const PATIENCE_MS = 60_000;

/**
 * All that is wrong with `input`. Where it does not end, its key tells where it stays.
 * @param fault planted into the readers; absent: as they stand
 */
export async function askAlone(input: Uint8Array, fault?: SeededFault): Promise<Flaw[]> {
  const patience = probeName(input) === null ? undefined : PATIENCE_MS;
  const ask = (court: Court) => once(new Judge(court, patience), input);
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
