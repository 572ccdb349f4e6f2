/** A subject that ends the process that it runs in, in each way in which that can happen. */
import process from "node:process";
import type { Subject } from "./subject.ts";

export const DIE = {
  /** large objects */
  heap() {
    for (const kept: unknown[] = [];;) kept.push(new Array(200_000).fill({}));
  },
  /** small ones, which fill the heap amid a scavenge: no limit of a thread's holds there */
  scavenge() {
    for (const kept: unknown[] = [];;) kept.push({ n: kept.length });
  },
  /** what is no heap of V8's */
  buffers() {
    for (const kept: unknown[] = [];;) kept.push(new Uint8Array(1 << 20).fill(1));
  },
  loop() {
    for (;;);
  },
  silent() {
    process.exit(0);
  },
} as const;

export type Way = keyof typeof DIE;
export const WAYS = Object.keys(DIE) as Way[];

/** Inputs of this first byte end a process that has run so many of them. */
const TIRING = 200, MOST = 50;
let tired = 0;

/** The first byte of an input says in which way it ends; from the last way on it does not. */
export const subject: Subject = {
  run(input) {
    const way = WAYS[input[0]];
    if (way) DIE[way]();
    if (input[0] === TIRING && ++tired === MOST) DIE.silent();
    return input.length & 7;
  },
};
