/** Products with a weight of any kind. */
import { denseMatmul, denseMatvec, dot } from "./dense";
import { FIXED_BLOCK, toFixed } from "./fixed";
import { nf4 } from "./nf4";
import { q4_0, q4_1, q5_0, q8 } from "./blocks";
import { BF16, NF4, Q4_0, Q4_1, Q5_0, Q8, STRADDLING, Weight } from "./layout";

/** The host decodes row `row` of a straddling weight to f32 at `into`. */
@external("host", "decodeRow")
declare function decodeRow(weight: usize, row: i32, into: usize): void;

/** Room for one x in the forms that quantised products want; set by the host. */
let padded: usize = 0; // f32, zero up to a multiple of 64
let fixed: usize = 0; // the records of fixed.ts
let decoded: usize = 0; // one row of a straddling weight

/** Bytes of the room that `setRoom` is given for x of up to `columns` columns. */
export function roomFor(columns: i32): usize {
  return f32Room(columns) * 2 + <usize>((columns + 31) >> 5) * FIXED_BLOCK;
}

@inline
function f32Room(columns: i32): usize {
  return <usize>((columns + 63) >> 6) * 256;
}

export function setRoom(at: usize, columns: i32): void {
  padded = at;
  decoded = padded + f32Room(columns);
  fixed = decoded + f32Room(columns);
}

/** Brings x [n] into the forms that `multiply` wants of it for quantised weights. */
export function prepare(x: usize, n: i32): void {
  const bytes = <usize>n << 2;
  memory.copy(padded, x, bytes);
  memory.fill(padded + bytes, 0, f32Room(n) - bytes);
  toFixed(fixed, x, n);
}

/**
 * y [rows] = W x. y has room for a multiple of four rows. Unless W is dense, x is the one that
 * was last prepared.
 */
export function multiply(weight: Weight, y: usize, x: usize): void {
  const kind = weight.kind, rows = weight.rows, columns = weight.columns, w = weight.data;
  if (kind <= BF16) return denseMatvec(kind, y, x, w, columns, rows);
  if (kind == STRADDLING) {
    for (let row = 0; row < rows; row++) {
      decodeRow(changetype<usize>(weight), row, decoded);
      store<f32>(y + (<usize>row << 2), dot(decoded, x, columns));
    }
    return;
  }
  memory.fill(y, 0, <usize>((rows + 3) & ~3) << 2);
  const blocks = (columns + 31) >> 5;
  if (kind == Q8) q8(y, fixed, w, blocks, rows);
  else if (kind == Q4_0) q4_0(y, fixed, w, blocks, rows);
  else if (kind == Q4_1) q4_1(y, fixed, w, blocks, rows);
  else if (kind == Q5_0) q5_0(y, fixed, w, blocks, rows);
  else if (kind == NF4) nf4(y, padded, w, (columns + 63) >> 6, rows);
}

/** Y [count, rows padded to four] = X [count, columns] W^T: each row has the bits of `multiply`. */
export function multiplyAll(weight: Weight, y: usize, x: usize, count: i32): void {
  const stride = <usize>((weight.rows + 3) & ~3) << 2;
  if (weight.kind <= BF16) {
    denseMatmul(weight.kind, y, stride, x, weight.data, weight.columns, weight.rows, count);
    return;
  }
  for (let i = 0; i < count; i++) {
    prepare(x, weight.columns);
    multiply(weight, y, x);
    y += stride;
    x += <usize>weight.columns << 2;
  }
}
