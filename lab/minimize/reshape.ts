/** A tensor of another shape: what its record and payload have to be then (section 7.3). */
import { TENSOR } from "../../corpus/writer/fields.ts";
import { ELEMENT_TYPES, QUANTIZED, TAIL } from "../../corpus/writer/profiles.ts";
import type { Entry } from "../../mutators/artifact.ts";
import { getU16, getU32, getU64, putU64 } from "../../mutators/bytes.ts";

const BYTES_OF = new Map<number, number>(
  Object.values(ELEMENT_TYPES).map(({ id, bytes }) => [id, bytes]),
);
/** Elements and stored bytes that a record's shape, type and blocks ask for (section 7.3). */
function asked(record: Uint8Array): { elements: number; stored: number } {
  const rank = Math.min(record[TENSOR.rank[0]], 8);
  const shape = Array.from({ length: rank }, (_, i) => getU64(record, TENSOR.shape_0[0] + 8 * i));
  const elements = shape.reduce((product, n) => product * n, 1);
  const type = getU16(record, TENSOR.element_type[0]);
  if (type !== QUANTIZED) return { elements, stored: elements * (BYTES_OF.get(type) ?? 1) };
  const block = Math.max(1, getU32(record, TENSOR.block_elements[0]));
  const row = getU16(record, TENSOR.tail_rule[0]) === TAIL.row ? shape.at(-1) ?? 1 : elements;
  const blocks = row === 0 ? 0 : elements / row * Math.ceil(row / block);
  return { elements, stored: blocks * getU32(record, TENSOR.block_bytes[0]) };
}

/**
 * Changes a record's shape or type; counts and payload follow, as far off as they were.
 * @param kept which end of the payload is left: what is wrong may stand at either
 */
export function reshaped(
  entry: Entry,
  change: (record: Uint8Array) => void,
  kept: "first" | "last" = "first",
): boolean {
  const { record, object } = entry;
  const [count, length] = [TENSOR.logical_element_count[0], TENSOR.payload_length[0]];
  const stored_bytes = TENSOR.stored_bytes[0];
  const before = asked(record);
  change(record);
  const after = asked(record);
  const grown = (at: number, by: number) => getU64(record, at) + by;
  const by = after.stored - before.stored;
  const values = [
    [count, grown(count, after.elements - before.elements)],
    [stored_bytes, grown(stored_bytes, by)],
    [length, grown(length, by)],
  ] as const;
  const size = object.length + by;
  const fits = [...values.map(([, value]) => value), size];
  if (!fits.every((value) => Number.isSafeInteger(value) && value >= 0) || size > object.length) {
    return false;
  }
  for (const [at, value] of values) putU64(record, at, value);
  entry.object = kept === "first" ? object.subarray(0, size) : object.subarray(-by);
  return true;
}
