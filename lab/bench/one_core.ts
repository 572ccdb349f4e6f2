/**
 * `one_core.ts`: prints the rows of the readers under guidance, measured in a process that collects
 * its garbage in the thread that makes it. V8's helpers would be a second core's work.
 */
import { fileURLToPath } from "node:url";
import { readerRows } from "./campaign.ts";
import type { Row } from "./rounds.ts";

const CONFIG = fileURLToPath(new URL("../../deno.json", import.meta.url));

export async function readerRowsOnOneCore(): Promise<Row[]> {
  const { stdout, success } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--quiet",
      "--config",
      CONFIG,
      "--v8-flags=--single-threaded-gc",
      fileURLToPath(import.meta.url),
    ],
    stderr: "inherit",
  }).output();
  if (!success) throw new Error("the readers were not measured");
  return JSON.parse(new TextDecoder().decode(stdout));
}

if (import.meta.main) console.log(JSON.stringify(await readerRows()));
