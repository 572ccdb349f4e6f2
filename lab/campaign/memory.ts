/** How much memory this process has held. */

/** The most bytes that were ever resident at once; where the system does not tell, those of now. */
export function peakMemory(): number {
  try {
    const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(Deno.readTextFileSync("/proc/self/status"))!;
    return Number(kibibytes) * 1024;
  } catch {
    return Deno.memoryUsage().rss;
  }
}
