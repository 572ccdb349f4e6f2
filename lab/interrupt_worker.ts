/** The thread of `leavingNothing`: on a signal, removes temporary files, then ends the process. */
import { join } from "node:path";
import type { Temporaries } from "./interrupt.ts";

const SIGNALS: readonly Deno.Signal[] = Deno.build.os === "windows"
  ? ["SIGINT", "SIGBREAK"]
  : ["SIGINT", "SIGTERM", "SIGHUP"];

const owner = self as unknown as Worker;

owner.onmessage = ({ data }: MessageEvent<Temporaries>) => {
  for (const signal of SIGNALS) {
    const end = () => {
      removeAll(data);
      Deno.removeSignalListener(signal, end);
      Deno.kill(Deno.pid, signal);
    };
    Deno.addSignalListener(signal, end);
  }
  owner.postMessage("ready");
};

/** The other thread may rename or remove a file at the same time. */
function removeAll({ folder, prefix }: Temporaries): void {
  try {
    for (const { name } of Deno.readDirSync(folder)) {
      if (name.startsWith(prefix)) Deno.removeSync(join(folder, name));
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
