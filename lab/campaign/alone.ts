/** An input judged by the readers as they stand; a hang is looked at again with counters. */
import { endBuilding } from "./build.ts";
import { AS_IT_STANDS, SUBJECT } from "./campaign.ts";
import { Judge } from "./judge.ts";
import { buildBoth } from "./solo.ts";
import type { Flaw } from "./subject.ts";

/** All that is wrong with `input`. Where it does not end, its key tells where it stays. */
export async function askAlone(input: Uint8Array): Promise<Flaw[]> {
  const flaws = await once(new Judge(AS_IT_STANDS), input);
  if (!flaws.some(({ class: kind }) => kind === "hang" || kind === "memory")) return flaws;
  const { guided } = await buildBoth(SUBJECT);
  await endBuilding();
  return await once(new Judge(guided), input);
}

async function once(judge: Judge, input: Uint8Array): Promise<Flaw[]> {
  try {
    return await judge.ask(input);
  } finally {
    await judge.close();
  }
}
