/**
 * The registered quantization profiles (slm2.md 7.2) as a runtime knows them: every field of
 * the record, from which the profile id follows.
 */
import type { Hex } from "../contract.ts";
import type { Format, Tail } from "../../kernels/backend.ts";
import { profileId } from "./identity.ts";

export interface RegisteredProfile {
  readonly name: string;
  readonly profile_id: Hex;
  /** bytes 36 to 127 of the record */
  readonly record: Uint8Array;
  readonly format: Format;
  readonly tail: Tail;
}

/** Element types (7.1). */
const F32 = 1, F16 = 2, I8 = 5, U8 = 6;
/** Type, count per block and placement (7.2) of a scale or zero point. */
const NONE = [0, 0, 0], IN_BLOCK = [F16, 1, 1], AUXILIARY = [F32, 0, 2];
const TAIL_RULE: Readonly<Record<Tail, number>> = { pad: 1, exact: 2, row: 3 };

/** The table "Registered profiles" (7.2): its columns, then codebook_kind and rounding_mode. */
// deno-fmt-ignore
const FAMILIES = [
  // format      storage bits block bytes sign pack scale    zero point contract codebook rounding
  ["q8-0.b32",   I8,     8,   32,   34,   1,   1,  IN_BLOCK,  NONE,     1,       0,       1],
  ["q4-0.b32",   U8,     4,   32,   18,   2,   2,  IN_BLOCK,  NONE,     2,       0,       3],
  ["q4-1.b32",   U8,     4,   32,   20,   0,   2,  IN_BLOCK,  IN_BLOCK, 3,       0,       3],
  ["q5-0.b32",   U8,     5,   32,   22,   2,   4,  IN_BLOCK,  NONE,     2,       0,       3],
  ["nf4.b64",    U8,     4,   64,   34,   3,   3,  IN_BLOCK,  NONE,     4,       1,       2],
  ["q8-row",     I8,     8,   1,    1,    1,   1,  AUXILIARY, NONE,     5,       0,       1],
] as const;

type Family = typeof FAMILIES[number];

/** Bytes 36 to 127 of the record, field by field as 7.2 lists them. */
function recordOf(family: Family, tail: Tail): Uint8Array {
  const [, storage, bits, block, bytes, sign, packing, scale, zero, contract, codebook, rounding] =
    family;
  const record = new Uint8Array(92);
  const view = new DataView(record.buffer);
  const u16 = (offset: number, ...values: number[]) =>
    values.forEach((value, i) => view.setUint16(offset - 36 + 2 * i, value, true));
  u16(36, 1, 0, storage, F32, F32, bits); // version, flags, types stored, decoded, accumulated
  view.setUint32(48 - 36, block, true);
  view.setUint32(52 - 36, bytes, true);
  u16(56, block);
  record.set([sign, packing], 58 - 36);
  u16(60, ...scale, ...zero, codebook, TAIL_RULE[tail], rounding);
  u16(78, 1, contract, scale === AUXILIARY ? 1 : 0); // saturation, contract, auxiliary mask
  return record; // calibration and reserved fields: zero
}

/** Every registered profile by its id: q8-row under one tail rule, the others under three. */
export const REGISTERED: ReadonlyMap<Hex, RegisteredProfile> = new Map(
  FAMILIES.flatMap((family) => {
    const format = family[0];
    const tails: Tail[] = format === "q8-row" ? ["exact"] : ["pad", "exact", "row"];
    return tails.map((tail) => {
      const name = `${format}.${tail}`;
      const record = recordOf(family, tail);
      const profile_id = profileId(name, record);
      return [profile_id, { name, profile_id, record, format, tail }] as const;
    });
  }),
);
