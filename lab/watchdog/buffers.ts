/**
 * What array buffers take in this thread, whoever made them: memory of which an allocator was told
 * nothing. Buffers that were dropped count until they are collected, so only growth says something.
 */
import { getHeapStatistics } from "node:v8";

/** Under a microsecond; Deno's own account of memory takes ten times as long. */
const buffers = (): number => getHeapStatistics().external_memory;

/**
 * @returns what the call gave, and the bytes by which buffers grew while it ran, 0 at least: a
 * collection that falls into it may hide what it made
 */
export function grown<T>(call: () => T): readonly [result: T, bytes: number] {
  const before = buffers();
  const result = call();
  return [result, Math.max(0, buffers() - before)];
}

/** Dropped buffers of less in all are left where they are: collecting takes milliseconds. */
const MUCH = 16 << 20;

const MOST = 4;

/**
 * Collects buffers that nobody holds, where they are many, so that no collection falls into the next
 * call: in a process that was started with `--expose-gc`.
 */
export function collectBuffers(): void {
  const { gc } = globalThis as { gc?: () => void };
  // what one collection finds is counted out when the next begins
  for (let i = 0; gc && i < MOST && buffers() > MUCH; i++) gc();
}
