/** A headless Chromium with a profile of its own; both are gone after `close`. */
import { delimiter, join } from "node:path";
import { Devtools, DevtoolsError } from "./devtools.ts";
import { Tab } from "./tab.ts";

/** Names under which systems install it. */
const NAMES = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/**
 * No sandbox, for the lab runs as root in containers and shows only pages of its own; no
 * traffic of the browser's own.
 */
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--disable-dev-shm-usage",
  "--no-first-run",
  "--no-default-browser-check",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-domain-reliability",
  "--disable-extensions",
  "--disable-sync",
  "--metrics-recording-only",
  "--hide-scrollbars",
  "--remote-debugging-port=0",
];

/**
 * Keeps the browser no longer than the lab: however that ends, this one's input does too. All
 * of it is one process group; the profile goes last.
 */
const KEEPER = `{ "$@"; kill -9 $$; } </dev/null & browser=$!
read -r _; trap "" TERM; kill 0; wait $browser; rm -rf "$PROFILE"; kill -9 0`;

/** How long it may take to say where it listens. */
const START_MS = 60_000;

/** How long it may take to end by itself. */
const EXIT_MS = 3000;

/** The line on standard error that says where it listens. */
const LISTENING = /DevTools listening on (ws:\/\/127\.0\.0\.1:\S+)/;

/** The path of an installed Chromium, or null. `SLMLAB_CHROMIUM` names another one. */
export function findChromium(): string | null {
  const given = Deno.env.get("SLMLAB_CHROMIUM");
  const folders = (Deno.env.get("PATH") ?? "").split(delimiter).filter(Boolean);
  const paths = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  return (given ? [given] : paths).find(isFile) ?? null;
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

export class Chromium {
  private constructor(
    private readonly process: Deno.ChildProcess,
    private readonly profile: string,
    private readonly devtools: Devtools,
    /** as it names itself, such as `Chrome/140.0.7339.80` */
    readonly version: string,
  ) {}

  /** @throws DevtoolsError where it does not start */
  static async launch(path: string): Promise<Chromium> {
    const profile = await Deno.makeTempDir({ prefix: "slmlab-chromium-" });
    const command = [path, ...FLAGS, `--user-data-dir=${profile}`, "about:blank"];
    if (Deno.build.os !== "windows") command.unshift("sh", "-c", KEEPER, "keeper");
    const process = new Deno.Command(command[0], {
      args: command.slice(1),
      // its libraries keep state in the runtime folder, which is to go with the profile
      env: { PROFILE: profile, XDG_RUNTIME_DIR: profile },
      stdin: "piped",
      stdout: "null",
      stderr: "piped",
      // a process group of its own, so that all its processes end with it
      detached: true,
    }).spawn();
    try {
      const devtools = await Devtools.connect(await listening(process));
      const { product } = await devtools.call("Browser.getVersion");
      return new Chromium(process, profile, devtools, String(product));
    } catch (error) {
      await end(process, profile);
      throw error;
    }
  }

  /** Opens a page; it has loaded when this returns. */
  tab(address: string): Promise<Tab> {
    return Tab.open(this.devtools, address);
  }

  /** Ends it and removes its profile. */
  async close(): Promise<void> {
    await this.devtools.call("Browser.close").catch(() => {});
    await this.devtools.close();
    await end(this.process, this.profile);
  }
}

/** Reads standard error until it says the address, and then on, so that the pipe never fills. */
async function listening({ stderr, status }: Deno.ChildProcess): Promise<string> {
  const found = Promise.withResolvers<string>();
  let text = "";
  (async () => {
    for await (const chunk of stderr.pipeThrough(new TextDecoderStream())) {
      text = (text + chunk).slice(-4096);
      const address = text.match(LISTENING)?.[1];
      if (address !== undefined) found.resolve(address);
    }
    await status;
    found.reject(new DevtoolsError(`Chromium ended before it listened: ${text.trim()}`));
  })();
  const timer = setTimeout(
    () => found.reject(new DevtoolsError(`Chromium did not start: ${text.trim()}`)),
    START_MS,
  );
  try {
    return await found.promise;
  } finally {
    clearTimeout(timer);
  }
}

async function end(process: Deno.ChildProcess, profile: string): Promise<void> {
  const timer = setTimeout(() => signal(process), EXIT_MS);
  await process.stdin.close().catch(() => {});
  await process.status;
  clearTimeout(timer);
  // the browser itself is gone; whatever it started goes too
  signal(process);
  removeProfile(profile);
}

function signal(process: Deno.ChildProcess): void {
  try {
    if (Deno.build.os === "windows") process.kill("SIGKILL");
    else Deno.kill(-process.pid, "SIGKILL");
  } catch {
    // it has ended already
  }
}

/** A process that is just ending may still write into its profile, so this is tried again. */
function removeProfile(profile: string): void {
  for (let tries = 5;; tries--) {
    try {
      return Deno.removeSync(profile, { recursive: true });
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return;
      if (tries === 0) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    }
  }
}
