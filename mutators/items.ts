/** Items that mutators put into manifests, and heads that say anything (slm2.md section 5). */
import {
  array,
  bytes,
  MAP,
  NINT,
  type Node,
  node,
  opaque,
  simple,
  text,
  uint,
} from "./cbor_tree.ts";
import type { Random } from "./random.ts";

/** A head of `1 + wide` bytes, whatever the argument needs; big-endian. */
export function wideHead(major: number, argument: number | bigint, info: number): Uint8Array {
  const wide = 2 ** (info - 24);
  const made = new Uint8Array(1 + wide);
  made[0] = (major << 5) | info;
  let rest = BigInt(argument);
  for (let i = wide; i > 0; i--, rest >>= 8n) made[i] = Number(rest & 255n);
  return made;
}

/** The head of the fewest bytes. */
export function shortestHead(major: number, argument: bigint): Uint8Array {
  if (argument < 24n) return Uint8Array.of((major << 5) | Number(argument));
  const wider = [0x100n, 0x10000n, 2n ** 32n].filter((n) => argument >= n).length;
  return wideHead(major, argument, 24 + wider);
}

/** Arguments that are borders of encodings and of limits (sections 4 and 5). */
export const ARGUMENTS = [
  0n,
  1n,
  22n,
  23n,
  24n,
  25n,
  255n,
  256n,
  16383n,
  16384n,
  16385n,
  65535n,
  65536n,
  65537n,
  1048576n,
  1048577n,
  0x7fffffffn,
  0x80000000n,
  0xffffffffn,
  0x100000000n,
  2n ** 53n - 1n,
  2n ** 53n,
  2n ** 53n + 1n,
  2n ** 63n - 1n,
  2n ** 63n,
  2n ** 64n - 1n,
]; // deno-fmt-ignore

export const oddInteger = (random: Random): number | bigint => {
  const n = random.pick(ARGUMENTS);
  return n <= Number.MAX_SAFE_INTEGER ? Number(n) : n;
};

/** Items that the format does not have, or has only one of. */
export const FOREIGN = [
  "f7",
  "f6",
  "f5",
  "f4",
  "f0",
  "e0",
  "ff",
  "f800",
  "f820",
  "f814",
  "f93c00",
  "f97e00",
  "fa3f800000",
  "fb3ff0000000000000",
  "fc",
  "fd",
  "fe",
  "1c",
  "1d",
  "1e",
  "1f",
  "3c",
  "3f",
  "5c",
  "5f40ff",
  "5fff",
  "7f60ff",
  "7fff",
  "9fff",
  "bfff",
  "9f",
  "bf",
  "c000",
  "c1fb41d452d9e20000000",
  "d81800",
  "c249010000000000000000",
  "dc",
  "9c",
  "bd",
  "1800",
  "190000",
  "1a00000000",
  "1b0000000000000000",
  "5800",
  "7800",
  "9800",
  "b800",
  "3bffffffffffffffff",
  "3b8000000000000000",
  "3b7fffffffffffffff",
  "1bffffffffffffffff",
  "9bffffffffffffffff",
  "bb8000000000000000",
  "5bffffffffffffffff",
  "7b7fffffffffffffff",
  "994001",
  "b94001",
  "5a00100001",
  "7a00010001",
  "9a00010000",
  "5affffffff",
  "bb7fffffffffffffff",
  "d9d9f700",
  "c1",
  "a1",
  "81",
  "61",
  "41",
].map((hex) => Uint8Array.fromHex(hex.length % 2 === 0 ? hex : hex + "0")); // deno-fmt-ignore

/** An item of which there is nothing but the head. */
export const promise = (random: Random, major: number): Node =>
  opaque(shortestHead(major, random.pick(ARGUMENTS)));

/** A small good item of any type. */
export function anyItem(random: Random): Node {
  switch (random.below(8)) {
    case 0:
      return uint(oddInteger(random));
    case 1:
      return node(NINT, { value: random.pick([0, 23, 24, 255, 2 ** 31, 2n ** 63n - 1n]) });
    case 2:
      return bytes(random.bytes(random.pick([0, 1, 31, 32, 33, 64])));
    case 3:
      return text(random.pick(["", "a", "org.minimodel.slm/2.0", "constructor", "__proto__"]));
    case 4:
      return array(...Array.from({ length: random.below(3) }, () => uint(random.below(30))));
    case 5:
      return node(MAP, { items: random.oneIn(2) ? [] : [text("a"), uint(1)] });
    default:
      return simple(random.pick([20, 21, 22]));
  }
}
