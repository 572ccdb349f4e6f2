/** The memory of this process: how much it has held, and what it can let go of. */

/** The most bytes that were ever resident at once; where the system does not tell, those of now. */
export function peakMemory(): number {
  try {
    const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(Deno.readTextFileSync("/proc/self/status"))!;
    return Number(kibibytes) * 1024;
  } catch {
    return Deno.memoryUsage().rss;
  }
}

/** What no longer serves goes back to the system; where there is no glibc to ask, nothing does. */
export interface Thrift {
  /** pages of the program that were read to start it: those that run come back by themselves */
  dropProgram(): void;
  /** garbage, where much is resident, and what malloc holds and nobody uses */
  dropFreed(): void;
}

/** madvise(2): a page of a file that nobody wrote to is read again when it is used again. */
const MADV_DONTNEED = 4;

/** A mapping of a file that is not writable and has no page of its own, as proc(5) shows it. */
const CLEAN =
  /^([0-9a-f]+)-([0-9a-f]+) r-[x-]p \S+ \S+ \S+ +\/.*\n(?:[A-Z].*\n)*?Anonymous: +0 kB$/gm;

/** Resident bytes above which garbage is collected at once; V8 forgets code then that it ran seldom. */
const MUCH = 95 << 20;

/** What this process can let go of; never throws. Needs `--allow-ffi`, else nothing is done. */
export function thrift(): Thrift {
  const { gc: collect } = globalThis as { gc?: () => void };
  try {
    const { symbols } = Deno.dlopen("libc.so.6", {
      madvise: { parameters: ["usize", "usize", "i32"], result: "i32" },
      malloc_trim: { parameters: ["usize"], result: "i32" },
    });
    return {
      dropProgram() {
        for (const [, from, to] of Deno.readTextFileSync("/proc/self/smaps").matchAll(CLEAN)) {
          const [start, end] = [BigInt(`0x${from}`), BigInt(`0x${to}`)];
          symbols.madvise(start, end - start, MADV_DONTNEED);
        }
      },
      dropFreed() {
        if (Deno.memoryUsage().rss > MUCH) collect?.();
        symbols.malloc_trim(0n);
      },
    };
  } catch {
    return { dropProgram() {}, dropFreed() {} };
  }
}
