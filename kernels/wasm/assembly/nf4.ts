/**
 * Products with nf4 panels, in f32: codes are looked up byte by byte in four tables, then put
 * together. Sums over a block of 64 run in lane order, then y += sum * scale.
 */
import { mulAdd, sums } from "./lanes";
import { NF4_PANEL } from "./layout";

// The bytes of the codebook's f32 values (slm2.md 7.2), lowest byte first.
const BYTE_0 = memory.data<u8>([0, 0xb1, 0x30, 0xa0, 0x4d, 0x3f, 0x71, 0, 0xff, 0xe3, 0xdd, 0x3a, 0xb8, 0xab, 0xb3, 0], 16);
const BYTE_1 = memory.data<u8>([0, 0x39, 0x6b, 0x32, 0xa2, 0x35, 0x78, 0, 0xfa, 0xca, 0x04, 0x03, 0xa4, 0x07, 0x13, 0], 16);
const BYTE_2 = memory.data<u8>([0x80, 0x32, 0x06, 0xca, 0x91, 0x3d, 0xba, 0, 0xa2, 0x24, 0x7c, 0xad, 0xe1, 0x10, 0x39, 0x80], 16);
const BYTE_3 = memory.data<u8>([0xbf, 0xbf, 0xbf, 0xbe, 0xbe, 0xbe, 0xbd, 0, 0x3d, 0x3e, 0x3e, 0x3e, 0x3e, 0x3f, 0x3f, 0x3f], 16);

/** sum + 16 codebook values, one a byte of `c`, times the 16 of x at `x`. */
@inline
function sixteen(sum: v128, c: v128, x: usize, t0: v128, t1: v128, t2: v128, t3: v128): v128 {
  const b0 = i8x16.swizzle(t0, c), b1 = i8x16.swizzle(t1, c);
  const b2 = i8x16.swizzle(t2, c), b3 = i8x16.swizzle(t3, c);
  const low01 = v128.shuffle<u8>(b0, b1, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const high01 = v128.shuffle<u8>(b0, b1, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  const low23 = v128.shuffle<u8>(b2, b3, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const high23 = v128.shuffle<u8>(b2, b3, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  sum = mulAdd(sum, v128.shuffle<u16>(low01, low23, 0, 8, 1, 9, 2, 10, 3, 11), v128.load(x));
  sum = mulAdd(sum, v128.shuffle<u16>(low01, low23, 4, 12, 5, 13, 6, 14, 7, 15), v128.load(x, 16));
  sum = mulAdd(sum, v128.shuffle<u16>(high01, high23, 0, 8, 1, 9, 2, 10, 3, 11), v128.load(x, 32));
  return mulAdd(sum, v128.shuffle<u16>(high01, high23, 4, 12, 5, 13, 6, 14, 7, 15), v128.load(x, 48));
}

/** One row's block of 64: byte i of its first vector has the codes of columns i and 16 + i, of
 * its second those of 32 + i and 48 + i, low nibble first. */
@inline
function row(w: usize, x: usize, mask: v128, t0: v128, t1: v128, t2: v128, t3: v128): v128 {
  const a = v128.load(w), b = v128.load(w, 16);
  let sum = sixteen(f32x4.splat(0), v128.and(a, mask), x, t0, t1, t2, t3);
  sum = sixteen(sum, i8x16.shr_u(a, 4), x + 64, t0, t1, t2, t3);
  sum = sixteen(sum, v128.and(b, mask), x + 128, t0, t1, t2, t3);
  return sixteen(sum, i8x16.shr_u(b, 4), x + 192, t0, t1, t2, t3);
}

/** y, zero before, = W x: x = d * codebook[q]. `x` is f32, zero up to a multiple of 64. */
export function nf4(y: usize, x: usize, w: usize, blocks: i32, rows: i32): void {
  const top = y + (<usize>rows << 2), mask = i8x16.splat(15);
  const t0 = v128.load(BYTE_0), t1 = v128.load(BYTE_1), t2 = v128.load(BYTE_2), t3 = v128.load(BYTE_3);
  for (let block = 0; block < blocks; block++) {
    for (let at = y; at < top; at += 16) {
      const sum = sums(
        row(w + 16, x, mask, t0, t1, t2, t3),
        row(w + 48, x, mask, t0, t1, t2, t3),
        row(w + 80, x, mask, t0, t1, t2, t3),
        row(w + 112, x, mask, t0, t1, t2, t3),
      );
      v128.store(at, mulAdd(v128.load(at), sum, v128.load(w)));
      w += NF4_PANEL;
    }
    x += 256;
  }
}
