/** Processor time of a process and of the children that it has waited for. */

/** Fields of `/proc/PID/stat` behind the name (proc(5)): utime, stime, cutime and cstime, in ticks. */
const TIMES = [11, 12, 13, 14];

/** Linux gives it in hundredths whatever the clock of the kernel. */
const TICKS = 100;

/** In seconds; null where the system does not tell, or of a process that has gone. */
export function processorSeconds(pid: number = Deno.pid): number | null {
  if (Deno.build.os !== "linux") return null;
  let text: string;
  try {
    text = Deno.readTextFileSync(`/proc/${pid}/stat`);
  } catch {
    return null;
  }
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return TIMES.reduce((sum, at) => sum + Number(fields[at]), 0) / TICKS;
}
