/** Stage 26: lanes of a tensor's last blocks that hold no element (section 7.2, `tail_rule`). */
import type { Artifact } from "./artifact.ts";
import { ceilDiv, hex, u16, u32 } from "./bytes.ts";
import { REGISTRY } from "./profiles.ts";
import {
  DENSE,
  IN_BLOCK,
  PROFILE,
  QUANT_RECORD,
  rowsOf,
  TAIL_EXACT,
  TAIL_ROW,
  tensor,
} from "./records.ts";
import { FACTOR_BYTES } from "./types.ts";

/** Judges the padded lanes of one tensor while its payload goes by. */
export class Lanes {
  #position = 0;
  /** Offset in the payload of the first byte whose padded lanes are wrong, or -1. */
  wrong = -1;

  /**
   * @param mask which bits of each byte of a last block belong to padded lanes
   * @param want what those bits are
   * @param runBytes bytes of a run, whose last block is padded
   */
  constructor(
    readonly mask: Uint8Array,
    readonly want: Uint8Array,
    readonly runBytes: number,
  ) {}

  /** Takes the next bytes of the payload. */
  feed(part: Uint8Array): void {
    const from = this.#position;
    const to = this.#position = from + part.length;
    const block = this.mask.length;
    const over = from % this.runBytes;
    for (let start = from - over + this.runBytes - block; start < to; start += this.runBytes) {
      for (let k = Math.max(0, from - start); k < block && start + k < to; k++) {
        if ((part[start + k - from] & this.mask[k]) !== this.want[k] && this.wrong < 0) {
          this.wrong = start + k;
        }
      }
    }
  }
}

/** The lanes to judge in the tensor record at `at`, or null where its blocks are all full. */
export function lanesOf(artifact: Artifact, at: number): Lanes | null {
  const { bytes, sections: { quant } } = artifact;
  const profile = tensor.profile(bytes, at);
  if (profile === DENSE) return null;
  const its = quant.offset + QUANT_RECORD * profile;
  const tail = u16(bytes, its + PROFILE.tail_rule);
  if (tail === TAIL_EXACT) return null;
  const block = u32(bytes, its + PROFILE.block_elements);
  const run = tensor.elements(bytes, at) / (tail === TAIL_ROW ? rowsOf(bytes, at) : 1);
  const used = run % block;
  if (used === 0) return null;
  const blockBytes = u32(bytes, its + PROFILE.block_bytes);
  const mask = new Uint8Array(blockBytes);
  const want = new Uint8Array(blockBytes);
  const code = REGISTRY.get(hex(bytes, its, 32)) ?? 0;
  for (let lane = used; lane < block; lane++) placeLane(bytes, its, lane, code, mask, want);
  return new Lanes(mask, want, ceilDiv(run, block) * blockBytes);
}

/** Marks the bits of `lane` in a block of the profile at `its`, by its packing order. */
function placeLane(
  bytes: Uint8Array,
  its: number,
  lane: number,
  code: number,
  mask: Uint8Array,
  want: Uint8Array,
): void {
  const factor = (type: number, placement: number) =>
    u16(bytes, its + placement) === IN_BLOCK ? FACTOR_BYTES[u16(bytes, its + type)] : 0;
  const codes = factor(PROFILE.scale_type, PROFILE.scale_placement) +
    factor(PROFILE.zero_point_type, PROFILE.zero_point_placement);
  const half = u32(bytes, its + PROFILE.block_elements) / 2;
  const nibble = (at: number, high: boolean) => {
    mask[at] |= high ? 0xf0 : 0x0f;
    want[at] |= (code % 16) * (high ? 16 : 1);
  };
  switch (bytes[its + PROFILE.packing_order]) {
    case 1:
      mask[codes + lane] = 0xff;
      want[codes + lane] = code;
      return;
    case 2:
      return nibble(codes + lane % half, lane >= half);
    case 3:
      return nibble(codes + Math.floor(lane / 2), lane % 2 === 1);
    case 4: {
      const at = codes + Math.floor(lane / 8);
      mask[at] |= 1 << lane % 8;
      if (code >= 16) want[at] |= 1 << lane % 8;
      return nibble(codes + 4 + lane % half, lane >= half);
    }
  }
}
