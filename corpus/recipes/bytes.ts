/** Payloads for recipes: small, dull and always the same. */
import { clearPadding, setCode } from "../writer/padding.ts";
import { REGISTERED } from "../writer/profiles.ts";
import { storageOf, storedBytes } from "../writer/storage.ts";

/** `length` bytes that differ from their neighbours and from those of another seed. */
export function ramp(length: number, seed = 1): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let i = 0, state = seed * 2654435761 % 4294967296; i < length; i++) {
    state = (state * 1664525 + 1013904223) % 4294967296;
    bytes[i] = Math.floor(state / 65536);
  }
  return bytes;
}

/** `count` little-endian f32, small multiples of 1/8. */
export function floats(count: number, seed = 1): Uint8Array {
  const view = new DataView(new ArrayBuffer(4 * count));
  for (let i = 0; i < count; i++) view.setFloat32(4 * i, ((i * 7 + seed) % 17 - 8) / 8, true);
  return new Uint8Array(view.buffer);
}

/** 32 bytes that name nothing. */
export const digestOf = (seed: number): Uint8Array => ramp(32, seed);

/** f16 1.0 and 0.5 */
const ONE = [0x00, 0x3c], HALF = [0x00, 0x38];

/**
 * The blocks of a tensor of a registered profile: scale 1.0 (and minimum 0.5), codes that count
 * up, and every padded lane as it must be.
 */
export function blocks(profile: string, shape: readonly number[], seed = 1): Uint8Array {
  const { fields } = REGISTERED.get(profile)!;
  const payload = new Uint8Array(Number(storedBytes(shape, storageOf(profile))));
  for (let at = 0; at < payload.length; at += fields.block_bytes) {
    const block = payload.subarray(at, at + fields.block_bytes);
    if (fields.scale_placement === 1) block.set(ONE);
    if (fields.zero_point_placement === 1) block.set(HALF, 2);
    for (let lane = 0; lane < fields.block_elements; lane++) {
      setCode(block, lane, (lane * 5 + at + seed) % 2 ** fields.code_bits, fields);
    }
  }
  clearPadding(payload, shape, fields);
  return payload;
}
