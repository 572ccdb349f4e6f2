/** An input judged by the readers as they stand; a hang is looked at again with counters. */
import { AS_IT_STANDS, SUBJECT } from "./campaign.ts";
import { Judge } from "./judge.ts";
import { prepare } from "./prepare.ts";
import type { Flaw } from "./subject.ts";

/** All that is wrong with `input`. Where it does not end, its key tells where it stays. */
export async function askAlone(input: Uint8Array): Promise<Flaw[]> {
  const flaws = await once(new Judge(AS_IT_STANDS), input);
  if (!flaws.some(({ class: kind }) => kind === "hang" || kind === "memory")) return flaws;
  const folder = Deno.makeTempDirSync();
  try {
    const { guided, edgesFile } = await prepare(folder, { subject: SUBJECT });
    return await once(new Judge({ build: guided, edges: edgesFile }), input);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

async function once(judge: Judge, input: Uint8Array): Promise<Flaw[]> {
  try {
    return await judge.ask(input);
  } finally {
    await judge.close();
  }
}
