/**
 * Ends children whose parent is gone, whatever they stand in. A shell waits at a pipe that ends with
 * this process, and kills those that were its children then. (A thread in each child could do it
 * too, for ten MiB each.)
 */

/** The last line that came is all that count. A terminal interrupts the shell too: it stays. */
const SCRIPT =
  'trap "" INT TERM HUP; while read -r line; do ids="$line"; done; [ -z "$ids" ] || kill -9 $ids';

const ids = new Set<number>();
let shell: Deno.ChildProcess | null = null;
let pipe: WritableStreamDefaultWriter<Uint8Array> | null = null;

/** From now on process `id` ends with this one. Where there is no shell, it does not. */
export function keep(id: number): void {
  if (Deno.build.os === "windows") return;
  ids.add(id);
  if (shell === null) {
    shell = new Deno.Command("sh", { args: ["-c", SCRIPT], stdin: "piped" }).spawn();
    pipe = shell.stdin.getWriter();
  }
  tell();
}

/** Process `id` has ended. */
export async function release(id: number): Promise<void> {
  if (!ids.delete(id)) return;
  tell();
  if (ids.size > 0) return;
  const [ended, writer] = [shell, pipe];
  shell = pipe = null;
  await writer?.close().catch(() => {}); // someone else may have ended it
  await ended?.status;
}

function tell(): void {
  pipe?.write(new TextEncoder().encode([...ids].join(" ") + "\n")).catch(() => {});
}
