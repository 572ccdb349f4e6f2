/** Ctrl-C on a run whose testee does not answer. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeTinyCorpus } from "./tiny_corpus.ts";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));

/** Greets, then notes its process id once it has a request, and never answers that. */
const TESTEE = `read hello
echo '{"testee":{"name":"n","version":"1","language":"sh","stages":[1,26]}}'
read request
echo $$ > "$1"
exec sleep 1000
`;

Deno.test({
  name: "Ctrl-C ends a run, twice at once, and leaves no process behind",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const folder = await Deno.makeTempDir();
    writeTinyCorpus(folder);
    const [pidFile, testee] = [join(folder, "pid"), join(folder, "testee.sh")];
    Deno.writeTextFileSync(testee, TESTEE);
    const lab = new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "-A", MAIN, "conform", "--corpus", folder, "--time-limit", "100"],
        ...["--workers", "1", "--testee", `sh ${testee} ${pidFile}`],
      ],
      stdout: "null",
      stderr: "piped",
    }).spawn();
    const pid = await until(() => readPid(pidFile));
    lab.kill("SIGINT");
    const stderr = lab.stderr.pipeThrough(new TextDecoderStream()).getReader();
    assertStringIncludes((await stderr.read()).value!, "Ctrl-C again ends at once");
    assertEquals(isRunning(pid), true);
    lab.kill("SIGINT");
    assertEquals((await lab.status).code, 2);
    await until(() => isRunning(pid) ? null : true);
    await stderr.cancel();
    await Deno.remove(folder, { recursive: true });
  },
});

/** Waits until `look` sees something. */
async function until<T>(look: () => T | null): Promise<T> {
  for (;;) {
    const seen = look();
    if (seen !== null) return seen;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function readPid(path: string): number | null {
  try {
    return Number(Deno.readTextFileSync(path)) || null;
  } catch {
    return null;
  }
}

function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(Deno.readTextFileSync(`/proc/${pid}/status`));
  } catch {
    return false;
  }
}
