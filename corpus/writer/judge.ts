/** Every fault of a description that the writer refuses, as a value. */
import { encode, entriesOf, isMap, type Item } from "./cbor.ts";
import { type Description, payloadSize, type TensorDescription } from "./description.ts";
import { ID_DOMAINS } from "./identity.ts";
import { manifestOf, repeatedMembers } from "./manifest.ts";
import { auxiliaryFault } from "./judge_auxiliary.ts";
import { elementsOf, meetsTailRule, storageOf, storedBytes } from "./storage.ts";
import { isIdentifier, textFault } from "./text.ts";

/** The closed list of what can be wrong with a description. */
export type WriteCode =
  | "UnknownClass"
  | "TableNotPermitted"
  | "BadText"
  | "BadInteger"
  | "LimitExceeded"
  | "RepeatedMember"
  | "RepeatedExtension"
  | "BadIdentifier"
  | "DuplicateName"
  | "UnknownType"
  | "UnusedProfile"
  | "BadPosition"
  | "BadShape"
  | "TailRule"
  | "PayloadLength"
  | "PayloadShort"
  | "BadAlignment"
  | "BadKind"
  | "UnknownTensor"
  | "BadAuxiliary";

/** A fault: what, where in the description, and what would be right. */
export interface WriteError {
  readonly code: WriteCode;
  /** a path as `tensors[2].shape`, counted as written down */
  readonly where: string;
  readonly expected: string;
}

/** Whether a result of the writer is a fault. */
export const isWriteError = (result: object): result is WriteError =>
  "code" in result && "where" in result && "expected" in result;

const fault = (code: WriteCode, where: string, expected: string): WriteError => ({
  code,
  where,
  expected,
});

/** Section 1. */
const MAX = Number.MAX_SAFE_INTEGER;

/** Section 4: the format limits that a description can exceed. */
const LIMITS = {
  manifest_length: 4 << 20,
  string_table_length: 16 << 20,
  profiles: 1024,
  tensors: 65536,
  blobs: 4096,
  auxiliaries: 262144,
  cbor_depth: 16,
  cbor_items: 65536,
  cbor_text: 65536,
  cbor_bytes: 1 << 20,
  cbor_entries: 16384,
  rank: 8,
  judged_blob: 64 << 20,
} as const;

/** Section 3, in the columns' order: 1 required, 0 optional, -1 no. */
const TABLES = ["tensors", "profiles", "blobs", "auxiliaries"] as const;
// deno-fmt-ignore
const PERMITTED: readonly (readonly number[])[] = [
  [],
  [1, 0, -1, 0], [1, 0, -1, 0], [1, 0, -1, 0], [-1, -1, 1, -1], [-1, -1, 0, -1],
  [-1, -1, -1, -1], [1, -1, -1, -1], [1, 0, 1, 0], [-1, -1, 1, -1], [-1, -1, -1, -1],
  [-1, -1, 0, -1], [-1, -1, 0, -1], [-1, -1, -1, -1],
];

/** The first fault of a description, or null. Work is linear in the description. */
export function judge(description: Description): WriteError | null {
  return classFault(description) ?? manifestFault(description) ?? tensorsFault(description) ??
    blobsFault(description) ?? namesFault(description) ?? auxiliaryFault(description);
}

function classFault(description: Description): WriteError | null {
  const { artifact_class } = description;
  const permitted = PERMITTED[artifact_class];
  if (permitted === undefined || artifact_class === 0) {
    return fault("UnknownClass", "artifact_class", `1 to ${ID_DOMAINS.length - 1}`);
  }
  for (const [column, table] of TABLES.entries()) {
    const count = description[table]?.length ?? 0;
    const quantized = table === "profiles" &&
      (description.tensors ?? []).some(({ type }) => storageOf(type).profile !== null);
    const present = count > 0 || quantized;
    if (present ? permitted[column] < 0 : permitted[column] > 0) {
      return fault("TableNotPermitted", table, present ? "none in this class" : "at least one");
    }
    if (count > LIMITS[table]) return fault("LimitExceeded", table, `at most ${LIMITS[table]}`);
  }
  return null;
}

function manifestFault(description: Description): WriteError | null {
  const { item } = manifestOf(description);
  const budget = { items: LIMITS.cbor_items };
  const found = itemFault(item, "manifest", 1, budget);
  if (found) return found;
  if (encode(item).length > LIMITS.manifest_length) {
    return fault("LimitExceeded", "manifest", `at most ${LIMITS.manifest_length} bytes`);
  }
  const [set] = repeatedMembers(description);
  if (set !== undefined) return fault("RepeatedMember", set, "each member of a set once");
  const keys = (description.extensions ?? []).map(({ id, version }) => `${id} ${version}`);
  const twin = keys.findIndex((key, i) => keys.indexOf(key) < i);
  return twin < 0
    ? null
    : fault("RepeatedExtension", `extensions[${twin}]`, "another id or version");
}

/** Section 5: what an item lacks to be encoded and read. */
function itemFault(
  item: Item,
  where: string,
  depth: number,
  budget: { items: number },
): WriteError | null {
  const limit = (what: string, most: number) =>
    fault("LimitExceeded", where, `at most ${most} ${what}`);
  if (--budget.items < 0) return limit("items", LIMITS.cbor_items);
  if (typeof item === "number" || typeof item === "bigint") {
    const exact = typeof item === "bigint" || Number.isSafeInteger(item);
    return exact && item >= -(2n ** 63n) && item < 2n ** 64n
      ? null
      : fault("BadInteger", where, "an integer from -2^63 to 2^64 - 1, a bigint above 2^53 - 1");
  }
  if (typeof item === "string") {
    const expected = textFault(item);
    if (expected !== null) return fault("BadText", where, expected);
    return new TextEncoder().encode(item).length > LIMITS.cbor_text
      ? limit("bytes of text", LIMITS.cbor_text)
      : null;
  }
  if (item instanceof Uint8Array) {
    return item.length > LIMITS.cbor_bytes ? limit("bytes", LIMITS.cbor_bytes) : null;
  }
  if (item === null || typeof item === "boolean") return null;
  if (depth > LIMITS.cbor_depth) return limit("levels", LIMITS.cbor_depth);
  const entries: [string, Item][] = isMap(item)
    ? entriesOf(item).map(([key, value]) => [`${where}.${key}`, value])
    : item.map((value, i) => [`${where}[${i}]`, value]);
  if (entries.length > LIMITS.cbor_entries) return limit("entries", LIMITS.cbor_entries);
  if (isMap(item)) {
    for (const [key] of entriesOf(item)) {
      const found = itemFault(key, `${where}, a key`, depth, budget);
      if (found) return found;
    }
  }
  for (const [path, value] of entries) {
    const found = itemFault(value, path, depth + 1, budget);
    if (found) return found;
  }
  return null;
}

function tensorsFault({ tensors = [], profiles = [] }: Description): WriteError | null {
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

const IDENTIFIER = "[a-z0-9][a-z0-9._/-]{0,254} without empty, . or .. components";

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

function blobsFault({ blobs = [] }: Description): WriteError | null {
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
function namesFault({ tensors = [], blobs = [] }: Description): WriteError | null {
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
