/**
 * A part's process and all that it starts, which end together: when the part ends, when its time is
 * up, and when the nightly itself is killed, for the keeper holds the other end of a pipe of ours.
 */

/**
 * Runs the part, and ends with its exit code. Whenever its input ends, all of the group is asked to
 * end, then made to; what they left in their temporary folder goes with them.
 */
const KEEPER = `exec 3<&0
"$@" </dev/null 3<&- & part=$!
{ read -r _ <&3; trap "" TERM; kill 0; sleep 1; rm -rf "$TMPDIR"; kill -9 0; } >/dev/null 2>&1 &
exec 3<&-
wait $part`;

export class Group {
  readonly #process: Deno.ChildProcess;
  /** of the part alone */
  readonly stdout: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly stderr: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** its exit code, once nothing of the group writes any more */
  readonly code: Promise<number>;

  /** @param cwd where it runs */
  constructor(args: readonly string[], cwd: string) {
    const keeper = Deno.build.os !== "windows";
    const TMPDIR = keeper ? Deno.makeTempDirSync({ prefix: "slm2-nightly-" }) : undefined;
    const command = [Deno.execPath(), ...args];
    if (keeper) command.unshift("sh", "-c", KEEPER, "keeper");
    this.#process = new Deno.Command(command[0], {
      args: command.slice(1),
      cwd,
      env: { NO_COLOR: "1", ...(TMPDIR !== undefined && { TMPDIR }) },
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
      // a process group of its own: an interrupt from the keyboard is for the nightly
      detached: true,
    }).spawn();
    this.stdout = this.#process.stdout;
    this.stderr = this.#process.stderr;
    this.code = this.#process.status.then(({ code }) => {
      this.end();
      return code;
    });
  }

  /** Ends all of it; `code` follows. */
  end(): void {
    this.#process.stdin.close().catch(() => {});
    if (Deno.build.os === "windows") this.#kill();
  }

  #kill(): void {
    try {
      this.#process.kill("SIGKILL");
    } catch {
      // it has ended already
    }
  }
}
