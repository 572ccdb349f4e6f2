/** Sections 6 and 7: what tensors, profiles and blobs lack to have records. */
import { type Description, payloadSize, type TensorDescription } from "./description.ts";
import { fault, IDENTIFIER, LIMITS, MAX, type WriteError } from "./fault.ts";
import { elementsOf, meetsTailRule, storageOf, storedBytes } from "./storage.ts";
import { isIdentifier } from "./text.ts";

/** The first fault of the tensors, and of the profiles that they name. */
export function tensorsFault({ tensors = [], profiles = [] }: Description): WriteError | null {
  for (const [i, tensor] of tensors.entries()) {
    const found = tensorFault(tensor, `tensors[${i}]`, profiles);
    if (found) return found;
  }
  const used = new Set(tensors.map(({ type }) => type));
  for (const [i, { name }] of profiles.entries()) {
    const where = `profiles[${i}].name`;
    if (!isIdentifier(name)) return fault("BadIdentifier", where, IDENTIFIER);
    if (!used.has(name)) return fault("UnusedProfile", where, "a profile that a tensor names");
    if (storageOf(name).element_type !== 0 || profiles.findIndex((p) => p.name === name) < i) {
      return fault("DuplicateName", where, "a name that no other profile or type has");
    }
  }
  return null;
}

function tensorFault(
  tensor: TensorDescription,
  where: string,
  profiles: Description["profiles"],
): WriteError | null {
  const { role, name, layer = -1, subindex_0 = -1, subindex_1 = -1, shape, type } = tensor;
  for (const [field, text] of Object.entries({ role, name })) {
    if (!isIdentifier(text)) return fault("BadIdentifier", `${where}.${field}`, IDENTIFIER);
  }
  for (const [field, n] of Object.entries({ layer, subindex_0, subindex_1 })) {
    if (!Number.isInteger(n) || n < -1 || n > 0x7fffffff) {
      return fault("BadPosition", `${where}.${field}`, "-1 or 0 to 2^31 - 1");
    }
  }
  const storage = storageOf(type, profiles);
  if (storage.element_type === 0) {
    return fault("UnknownType", `${where}.type`, "an element type or a profile");
  }
  if (
    shape.length > LIMITS.rank ||
    shape.some((n) => !Number.isInteger(n) || n < 1 || n > 0xffffffff)
  ) {
    return fault("BadShape", `${where}.shape`, "at most 8 dimensions from 1 to 2^32 - 1");
  }
  const stored = storedBytes(shape, storage);
  if (elementsOf(shape) > MAX || stored > MAX) {
    return fault("BadShape", `${where}.shape`, "at most 2^53 - 1 elements and bytes");
  }
  if (storage.profile && !meetsTailRule(shape, storage.profile.fields)) {
    const { block_elements } = storage.profile.fields;
    return fault("TailRule", `${where}.shape`, `a multiple of ${block_elements} elements`);
  }
  if (BigInt(payloadSize(tensor.payload)) !== stored) {
    return fault("PayloadLength", `${where}.payload`, `${stored} bytes`);
  }
  return alignmentFault(tensor.alignment, where);
}

function alignmentFault(alignment = 64, where: string): WriteError | null {
  return [64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536].includes(alignment)
    ? null
    : fault("BadAlignment", `${where}.alignment`, "a power of two from 64 to 65536");
}

/** Section 4, last row: kinds whose content readers hold in memory. */
const JUDGED_KINDS: readonly number[] = [1, 2, 3, 4, 5, 6, 16, 32];

/** The first fault of the blobs. */
export function blobsFault({ blobs = [] }: Description): WriteError | null {
  for (const [i, { kind, name, media_type, payload, alignment }] of blobs.entries()) {
    const where = `blobs[${i}]`;
    for (const [field, text] of Object.entries({ name, media_type })) {
      if (!isIdentifier(text)) return fault("BadIdentifier", `${where}.${field}`, IDENTIFIER);
    }
    if (!Number.isInteger(kind) || kind < 1 || kind > 0xffff) {
      return fault("BadKind", `${where}.kind`, "1 to 65535");
    }
    const most = JUDGED_KINDS.includes(kind) ? LIMITS.judged_blob : MAX;
    const size = payloadSize(payload);
    if (size < 1 || size > most) {
      return fault("PayloadLength", `${where}.payload`, `1 to ${most} bytes`);
    }
    const found = alignmentFault(alignment, where);
    if (found) return found;
  }
  return null;
}

/** Section 7.4: no name twice within or across tensors and blobs; and the string table's limit. */
export function namesFault({ tensors = [], blobs = [] }: Description): WriteError | null {
  const seen = new Set<string>();
  for (const [table, list] of Object.entries({ tensors, blobs })) {
    for (const [i, { name }] of list.entries()) {
      if (seen.has(name)) {
        return fault("DuplicateName", `${table}[${i}].name`, "a name that no other object has");
      }
      seen.add(name);
    }
  }
  for (const { role } of tensors) seen.add(role);
  for (const { media_type } of blobs) seen.add(media_type);
  const length = [...seen].reduce((sum, text) => sum + 4 + text.length, 12);
  return length > LIMITS.string_table_length
    ? fault("LimitExceeded", "names", `a string table of at most ${LIMITS.string_table_length}`)
    : null;
}
