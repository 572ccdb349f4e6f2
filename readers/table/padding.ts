/** Padded lanes of quantized tensors (section 7.2, `tail_rule`), judged at stage 26. */
import type { Artifact } from "./artifact.ts";
import type { Judge } from "./content.ts";
import { type Fault, reject } from "./fault.ts";
import { Q } from "./layouts.ts";
import { Objects } from "./payload.ts";
import { FIFTH_BIT_PLANE, inBlockBytes, ONE_A_BYTE, PAIRS } from "./quant.ts";
import { blocksOf, TensorRow } from "./tensors.ts";

/** The code that decodes to zero, by kernel contract, of codes with `bits` bits. */
const ZERO_CODE: ReadonlyMap<number, (bits: number) => number> = new Map<
  number,
  (bits: number) => number
>([
  [1, () => 0],
  [2, (bits) => 2 ** (bits - 1)],
  [3, () => 0],
  [4, () => 7],
  [5, () => 0],
]);

/** Bits that a byte of a block must have. */
interface Lane {
  readonly offset: number;
  readonly mask: number;
  readonly bits: number;
}

/** The bits of lanes `from` .. n - 1 of a block. */
function lanes(t: TensorRow, from: number): Lane[] {
  const bits = t.profile(Q.code_bits);
  const n = t.profile(Q.block_elements);
  const code = ZERO_CODE.get(t.profile(Q.kernel_contract))?.(bits) ?? 0;
  const packing = t.profile(Q.packing_order);
  const head = inBlockBytes(t.profile(Q.scale_type), t.profile(Q.scale_placement)) +
    inBlockBytes(t.profile(Q.zero_point_type), t.profile(Q.zero_point_placement));
  const plane = packing === FIFTH_BIT_PLANE ? n / 8 : 0;
  const out: Lane[] = [];
  for (let lane = from; lane < n; lane++) {
    if (packing === ONE_A_BYTE) {
      out.push({ offset: head + lane, mask: 0xff, bits: code });
      continue;
    }
    const byte = packing === PAIRS ? Math.floor(lane / 2) : lane % (n / 2);
    const isHigh = packing === PAIRS ? lane % 2 === 1 : lane >= n / 2;
    const shift = isHigh ? 4 : 0;
    out.push({ offset: head + plane + byte, mask: 15 << shift, bits: (code & 15) << shift });
    if (plane > 0) {
      const bit = lane % 8;
      const offset = head + Math.floor(lane / 8);
      out.push({ offset, mask: 1 << bit, bits: (code >> 4) << bit });
    }
  }
  return out;
}

class Padding implements Judge {
  #at = 0;
  #fault = -1;

  /**
   * @param run bytes of a run of blocks
   * @param last offset of the last block in its run
   * @param start absolute offset of the tensor
   */
  constructor(
    readonly run: number,
    readonly last: number,
    readonly block: number,
    readonly lanes: readonly Lane[],
    readonly start: number,
  ) {}

  add(bytes: Uint8Array): void {
    const from = this.#at;
    const to = this.#at = from + bytes.length;
    if (this.#fault >= 0) return;
    let at = Math.max(0, Math.floor((from - this.last - this.block) / this.run)) * this.run +
      this.last;
    for (; at < to; at += this.run) {
      for (const { offset, mask, bits } of this.lanes) {
        const i = at + offset - from;
        if (i >= 0 && i < bytes.length && (bytes[i] & mask) !== bits) {
          this.#fault = this.start + at + offset;
          return;
        }
      }
    }
  }

  end(): Fault {
    if (this.#fault < 0) return null;
    const expected = "the code that decodes to zero in padded lanes";
    return reject(26, "PaddedLane", "payload", this.#fault, expected);
  }
}

/** A judge of a tensor's padded lanes, or null where it has none. */
export function paddingJudge(artifact: Artifact, row: number): Judge | null {
  const t = new TensorRow(artifact).to(row);
  if (t.isDense) return null;
  const block = t.profile(Q.block_elements);
  const bytes = t.profile(Q.block_bytes);
  const { length } = t.run;
  const used = length % block;
  if (used === 0) return null;
  const run = blocksOf(length, block) * bytes;
  const { start } = new Objects(artifact).extent(row);
  return new Padding(run, run - bytes, bytes, lanes(t, used), start);
}
