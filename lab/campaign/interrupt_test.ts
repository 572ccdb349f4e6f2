/** Ctrl-C on `fuzz`: it says what happened, and a campaign that runs ends with its summary. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { STORE } from "./inputs.ts";
import { CampaignStore } from "./store.ts";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));

/**
 * Runs a campaign, and interrupts it when `ready`: twice, as a terminal and a task runner do for one
 * Ctrl-C on a busy machine.
 */
async function interrupted(out: string, ready: () => boolean) {
  const lab = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", MAIN, "fuzz", "--seconds", "600", "--workers", "1", "--out", out],
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const ended = lab.output();
  while (!ready()) await pause(20);
  lab.kill("SIGINT");
  const over = await Promise.race([pause(300), ended]);
  if (over === undefined) lab.kill("SIGINT");
  const { code, stdout, stderr } = await ended;
  const [told, said] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  return { code, told, said };
}

const pause = (milliseconds: number) =>
  new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

/** Whether a campaign has kept a round. */
function hasBegun(out: string): boolean {
  if (!existsSync(`${out}/${STORE}`)) return false;
  const store = new CampaignStore(`${out}/${STORE}`);
  try {
    return store.lastRound() !== null;
  } finally {
    store.close();
  }
}

Deno.test({
  name: "Ctrl-C: while the readers are built all stays as it was, later it ends with a summary",
  ignore: Deno.build.os === "windows",
  async fn() {
    const folder = Deno.makeTempDirSync();
    try {
      const out = `${folder}/out`;
      const isBuilding = () => existsSync(`${out}/work/lock`);
      const early = await interrupted(out, isBuilding);
      assertEquals(early.code, 2);
      assertStringIncludes(early.said, "interrupted while the readers were being built");
      assertEquals(existsSync(out), false, "nothing is left half-written");
      // a store that two processes make at once is locked: it is made when its log stands beside it
      const isMade = () => existsSync(`${out}/${STORE}-wal`);
      const later = await interrupted(out, () => isMade() && hasBegun(out));
      assertEquals(later.code, 0);
      assertStringIncludes(later.told, "digest of all inputs in order");
      Deno.removeSync(`${out}/work`, { recursive: true });
      await interrupted(out, isBuilding);
      assertEquals(hasBegun(out), true, "the campaign before is where it was");
    } finally {
      Deno.removeSync(folder, { recursive: true });
    }
  },
});
