/** Gives a page `kernelBits`. */
import { kernelBits } from "../kernel_bits.ts";

Object.assign(globalThis, { kernelBits });
