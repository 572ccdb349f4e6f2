/** Integers that readers get wrong: neighbours, borders, other widths, other ends. */
import { cut, putU16, putU32 } from "./bytes.ts";
import type { Random } from "./random.ts";

/** Sizes, limits, counts and marks of the format (sections 2 to 7), which are borders somewhere. */
const NOTABLE = [
  0,
  1,
  2,
  3,
  4,
  5,
  6,
  7,
  8,
  9,
  12,
  13,
  14,
  16,
  17,
  23,
  24,
  31,
  32,
  33,
  48,
  63,
  64,
  65,
  80,
  96,
  127,
  128,
  129,
  192,
  224,
  254,
  255,
  256,
  257,
  1023,
  1024,
  1025,
  4095,
  4096,
  4097,
  16383,
  16384,
  16385,
  32767,
  32768,
  65534,
  65535,
  65536,
  65537,
  131072,
  262144,
  262145,
  1048576,
  1048577,
  4194304,
  16777216,
  67108864,
  67108865,
  2147483647,
  2147483648,
  4294967294,
  4294967295,
] as const; // deno-fmt-ignore

/** What is written into the upper half of a u64: bits that a 32-bit or a double reader loses. */
const UPPER = [1, 2, 0x1f_ffff, 0x20_0000, 0x20_0001, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];

/**
 * Changes the little-endian integer of `size` bytes (1 to 8) at `at`, and only that. The change
 * is never nothing.
 */
export function perturb(bytes: Uint8Array, at: number, size: number, random: Random): void {
  const field = cut(bytes, at, size);
  const before = field.slice();
  for (let tries = 0; tries < 4; tries++) {
    change(field, random);
    if (field.some((byte, i) => byte !== before[i])) return;
  }
  if (field.length > 0) field[0] ^= 1;
}

function change(field: Uint8Array, random: Random): void {
  const { length } = field;
  switch (random.below(length === 8 ? 10 : 8)) {
    case 0:
      return add(field, 1);
    case 1:
      return add(field, -1);
    case 2:
      return add(field, random.pick([2, -2, 4, -4, 8, 16, 32, -32, 64, -64, 128, 4096]));
    case 3:
    case 4: {
      const n = random.pick(NOTABLE);
      field.fill(0);
      for (let i = 0; i < Math.min(4, length); i++) field[i] = n >>> (8 * i);
      return;
    }
    case 5:
      field[random.below(length)] ^= 1 << random.below(8);
      return;
    case 6:
      if (random.oneIn(2)) field.fill(random.pick([0, 0xff]));
      else field.reverse();
      return;
    case 7:
      field[random.below(length)] = random.u32();
      return;
    case 8:
      putU32(field, 4, random.pick(UPPER));
      return;
    default:
      putU32(field, 4, random.pick(UPPER));
      if (random.oneIn(2)) field.fill(random.pick([0, 0xff]), 0, 4);
      else field[0] ^= 1;
  }
}

/** Adds modulo the width. */
function add(field: Uint8Array, n: number): void {
  for (let i = 0, carry = n; i < field.length && carry !== 0; i++) {
    const sum = field[i] + carry;
    field[i] = sum;
    carry = Math.floor(sum / 256);
  }
}

/** A notable integer, mostly small. */
export function notable(random: Random): number {
  return random.oneIn(3) ? random.pick(NOTABLE) : random.pick(NOTABLE.slice(0, 40));
}

/** Writes `n` into a field of 1, 2 or 4 bytes. */
export function put(bytes: Uint8Array, at: number, size: number, n: number): void {
  if (size === 1) bytes[at] = n;
  else if (size === 2) putU16(bytes, at, n);
  else putU32(bytes, at, n);
}
