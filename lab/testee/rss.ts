/** How much memory a program and its descendants hold, where the system shows it (Linux). */

/** Whether this system shows it at all. */
export const RSS_WATCHED = Deno.build.os === "linux";

/**
 * Resident bytes of process `pid` and its descendants; 0 for what has ended meanwhile.
 * Source: `VmRSS` and `children` of proc(5).
 */
export function residentNow(pid: number): number {
  let bytes = 0;
  const open = [pid];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    bytes += statusBytes(one, "VmRSS");
    open.push(...children(one));
  }
  return bytes;
}

/**
 * The most that process `pid` itself ever held resident (`VmHWM`): shows a peak that
 * came and went between two looks.
 */
export function residentPeak(pid: number): number {
  return statusBytes(pid, "VmHWM");
}

function statusBytes(pid: number, field: string): number {
  const status = read(`/proc/${pid}/status`);
  const at = status.indexOf(`${field}:`);
  return at === -1 ? 0 : parseInt(status.slice(at + field.length + 1), 10) * 1024;
}

function children(pid: number): number[] {
  return read(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean).map(Number);
}

function read(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return "";
  }
}
