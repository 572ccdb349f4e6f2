/** From a file's blocks to panels (`layout.ts`), as the bytes come in. */
import { fromHalf4 } from "./lanes";
import {
  NF4, NF4_PANEL, Q4_0, Q4_0_PANEL, Q4_1, Q4_1_PANEL, Q5_0, Q5_0_PANEL, Q8, Q8_PANEL,
} from "./layout";

@inline
function half(p: usize): f32 {
  return f32x4.extract_lane(fromHalf4(i32x4.splat(load<u16>(p))), 0);
}

/** Sixteen bytes of pairs (column j low, 16 + j high) to words of four columns 8 apart. */
function packNibbles(to: usize, from: usize): void {
  for (let j: usize = 0; j < 8; j++) {
    const first = load<u8>(from + j), second = load<u8>(from + j, 8);
    store<u8>(to + 2 * j, (first & 15) | (second << 4));
    store<u8>(to + 2 * j, (first >> 4) | (second & 0xf0), 1);
  }
}

/** Bit j of `bits` to the place that `blocks.ts` wants: column 8k + w to bit 16 (w & 1) + 4 (w >> 1) + k. */
function packFifths(bits: u32): u32 {
  let packed: u32 = 0;
  for (let column: u32 = 0; column < 32; column++) {
    const word = column & 7, place = 16 * (word & 1) + 4 * (word >> 1) + (column >> 3);
    packed |= ((bits >> column) & 1) << place;
  }
  return packed;
}

/** The nibbles of 32 columns, pairs in order, to columns i (low) and 16 + i (high) of a byte. */
function packPairs(to: usize, from: usize): void {
  for (let i: usize = 0; i < 16; i++) {
    const shift = <u8>((i & 1) << 2);
    const first = load<u8>(from + (i >> 1)) >> shift, second = load<u8>(from + (i >> 1), 8) >> shift;
    store<u8>(to + i, (first & 15) | (second << 4));
  }
}

/**
 * Puts `count` blocks that stand at `from` in file order, the first of them block `first` of
 * the matrix, into the panels at `to`. A row has `blocks` blocks; `groups` is the number of
 * panels of one block column. `to` is zero before.
 */
export function pack(
  kind: i32, to: usize, from: usize, first: u32, count: u32, blocks: u32, groups: u32,
): void {
  let row = first / blocks, block = first % blocks;
  for (let i: u32 = 0; i < count; i++) {
    const panel = <usize>block * groups + (row >> 2), lane = <usize>(row & 3);
    if (kind == Q8) {
      const at = to + panel * Q8_PANEL;
      store<f32>(at + 4 * lane, half(from));
      memory.copy(at + 16 + 32 * lane, from + 2, 32);
      from += 34;
    } else if (kind == Q4_0) {
      const at = to + panel * Q4_0_PANEL;
      store<f32>(at + 4 * lane, half(from));
      packNibbles(at + 16 + 16 * lane, from + 2);
      from += 18;
    } else if (kind == Q4_1) {
      const at = to + panel * Q4_1_PANEL;
      store<f32>(at + 4 * lane, half(from));
      store<f32>(at + 16 + 4 * lane, half(from + 2));
      packNibbles(at + 32 + 16 * lane, from + 4);
      from += 20;
    } else if (kind == Q5_0) {
      const at = to + panel * Q5_0_PANEL;
      store<f32>(at + 4 * lane, half(from));
      store<u32>(at + 16 + 4 * lane, packFifths(load<u32>(from, 2)));
      packNibbles(at + 32 + 16 * lane, from + 6);
      from += 22;
    } else if (kind == NF4) {
      const at = to + panel * NF4_PANEL;
      store<f32>(at + 4 * lane, half(from));
      packPairs(at + 16 + 32 * lane, from + 2);
      packPairs(at + 32 + 32 * lane, from + 18);
      from += 34;
    }
    if (++block == blocks) {
      block = 0;
      row++;
    }
  }
}

/**
 * Puts bytes of a q8-row matrix that stand at `from`, the first of them element `first` of row
 * `row`, into q8-0 panels whose blocks all bear their row's scale.
 */
export function packRow(
  to: usize, from: usize, row: u32, columns: u32, groups: u32, scale: f32,
): void {
  for (let block: u32 = 0; block * 32 < columns; block++) {
    const at = to + (<usize>block * groups + (row >> 2)) * Q8_PANEL, lane = <usize>(row & 3);
    store<f32>(at + 4 * lane, scale);
    memory.copy(at + 16 + 32 * lane, from + block * 32, min<u32>(32, columns - block * 32));
  }
}
