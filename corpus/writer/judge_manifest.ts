/** Section 5 and classes.md section 1: what a description's manifest lacks to be encoded and read. */
import { utf8 } from "./bytes.ts";
import { encode, entriesOf, isMap, type Item } from "./cbor.ts";
import type { Description } from "./description.ts";
import { fault, IDENTIFIER, LIMITS, type WriteError } from "./fault.ts";
import { manifestOf, repeatedMembers, unsortedManifest } from "./manifest.ts";
import { isIdentifier, textFault } from "./text.ts";

/** The first fault of the manifest. */
export function manifestFault(description: Description): WriteError | null {
  const budget = { items: LIMITS.cbor_items };
  const found = itemFault(unsortedManifest(description), "", 1, budget);
  if (found) return found;
  if (encode(manifestOf(description).item).length > LIMITS.manifest_length) {
    return fault("LimitExceeded", "manifest", `at most ${LIMITS.manifest_length} bytes`);
  }
  const bad = identifierFault(description) ?? digestFault(description);
  if (bad) return bad;
  for (const list of ["dependencies", "extensions"] as const) {
    if ((description[list] ?? []).length > LIMITS[list]) {
      return fault("LimitExceeded", list, `at most ${LIMITS[list]}`);
    }
  }
  const [set] = repeatedMembers(description);
  if (set !== undefined) return fault("RepeatedMember", set, "each member of a set once");
  const keys = (description.extensions ?? []).map(({ id, version }) => `${id} ${version}`);
  const twin = keys.findIndex((key, i) => keys.indexOf(key) < i);
  return twin < 0
    ? null
    : fault("RepeatedExtension", `extensions[${twin}]`, "another id or version");
}

/** The identifiers outside the body. */
function identifierFault(description: Description): WriteError | null {
  const { dependencies = [], extensions = [], requirements } = description;
  const identifiers: [where: string, text: string][] = [
    ...dependencies.map(({ role }, i): [string, string] => [`dependencies[${i}].role`, role]),
    ...extensions.map(({ id }, i): [string, string] => [`extensions[${i}].id`, id]),
    ...(requirements?.features ?? []).map((feature, i): [string, string] => [
      `requirements.features[${i}]`,
      feature,
    ]),
  ];
  const bad = identifiers.find(([, text]) => !isIdentifier(text));
  return bad ? fault("BadIdentifier", bad[0], IDENTIFIER) : null;
}

/** `b32`: the digests of dependencies. */
function digestFault({ dependencies = [] }: Description): WriteError | null {
  for (const [i, { id, whole_file }] of dependencies.entries()) {
    for (const [field, bytes] of Object.entries({ id, whole_file })) {
      if (bytes && bytes.length !== 32) {
        return fault("BadDigest", `dependencies[${i}].${field}`, "32 bytes");
      }
    }
  }
  return null;
}

/** Bytes of a UTF-16 code unit in UTF-8, at most. */
const MOST_UTF8 = 3;

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
    const fits = MOST_UTF8 * item.length <= LIMITS.cbor_text ||
      utf8(item).length <= LIMITS.cbor_text;
    return fits ? null : limit("bytes of text", LIMITS.cbor_text);
  }
  if (item instanceof Uint8Array) {
    return item.length > LIMITS.cbor_bytes ? limit("bytes", LIMITS.cbor_bytes) : null;
  }
  if (item === null || typeof item === "boolean") return null;
  if (depth > LIMITS.cbor_depth) return limit("levels", LIMITS.cbor_depth);
  const path = where === "" ? "" : `${where}.`;
  const entries: [string, Item][] = isMap(item)
    ? entriesOf(item).map(([key, value]) => [`${path}${key}`, value])
    : item.map((value, i) => [`${where}[${i}]`, value]);
  if (entries.length > LIMITS.cbor_entries) return limit("entries", LIMITS.cbor_entries);
  if (isMap(item)) {
    for (const [key] of entriesOf(item)) {
      const found = itemFault(key, `${where}, a key`, depth, budget);
      if (found) return found;
    }
  }
  for (const [at, value] of entries) {
    const found = itemFault(value, at, depth + 1, budget);
    if (found) return found;
  }
  return null;
}
