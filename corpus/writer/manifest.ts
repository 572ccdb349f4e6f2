/** The manifest of a description (classes.md section 1), its sets sorted. */
import { compare, utf8 } from "./bytes.ts";
import { encode, entriesOf, isMap, type Item, sortSet } from "./cbor.ts";
import type { Description } from "./description.ts";

/** The fields that are sets, by class; `*` is each element of an array. */
export const SETS: { readonly [artifact_class: number]: readonly string[] } = {
  4: ["decoder", "stop_bytes", "stop_tokens"],
  5: ["fields", "roles", "stop_tokens"],
  6: ["generation.stop_tokens"],
  11: ["licenses", "notices", "sources.*.files"],
  13: ["licenses", "receipts"],
};

/** A manifest: its parts as items, in the form in which they are encoded. */
export interface Manifest {
  readonly body: Item;
  readonly requirements: Item;
  /** the whole manifest */
  readonly item: Item;
  /** the same without its noncritical extensions */
  readonly semantic: Item;
}

/** The manifest of a description as it was written down, absent parts filled in, nothing sorted. */
export function unsortedManifest(description: Description) {
  const { artifact_class, body, requirements } = description;
  return {
    artifact_class,
    body: body as Item,
    dependencies: (description.dependencies ?? []).map((one) => ({
      artifact_class: one.artifact_class,
      id: one.id,
      role: one.role,
      whole_file: one.whole_file ?? null,
    })),
    extensions: (description.extensions ?? []).map(({ critical, id, payload, version }) => ({
      critical,
      id,
      payload,
      version,
    })),
    requirements: {
      features: requirements?.features ?? [],
      memory_bytes: requirements?.memory_bytes ?? 0,
    },
    schema: "org.minimodel.slm/2.0",
  };
}

/** The manifest that a description has, whatever the order in which it was written down. */
export function manifestOf(description: Description): Manifest {
  const written = unsortedManifest(description);
  const body = (SETS[description.artifact_class] ?? []).reduce<Item>(
    (item, path) => withSet(item, path.split(".")),
    written.body,
  );
  const requirements = {
    ...written.requirements,
    features: sortSet(written.requirements.features),
  };
  const extensions = written.extensions.sort((a, b) =>
    compare(utf8(a.id), utf8(b.id)) || Number(a.version > b.version) - Number(a.version < b.version)
  );
  const item = { ...written, body, requirements, extensions };
  const semantic = { ...item, extensions: extensions.filter(({ critical }) => critical) };
  return { body, requirements, item, semantic };
}

/** A copy of `item` in which the array under `path` is sorted as a set; as it is if there is none. */
function withSet(item: Item, path: readonly string[]): Item {
  const [key, ...rest] = path;
  if (Array.isArray(item)) {
    return key === undefined
      ? sortSet(item)
      : key === "*"
      ? item.map((element: Item) => withSet(element, rest))
      : item;
  }
  if (key === undefined || !isMap(item)) return item;
  return new Map(
    entriesOf(item).map(([name, value]) => [name, name === key ? withSet(value, rest) : value]),
  );
}

/** The places in a body where a set has two equal members, as paths with indexes. */
export function repeatedMembers(description: Description): string[] {
  const faults: string[] = [];
  const visit = (item: Item | undefined, path: readonly string[], where: string): void => {
    const [key, ...rest] = path;
    if (Array.isArray(item)) {
      if (key === "*") item.forEach((element, i) => visit(element, rest, `${where}[${i}]`));
      else if (
        key === undefined && new Set(item.map((one) => encode(one).toHex())).size < item.length
      ) {
        faults.push(where);
      }
    } else if (key !== undefined && isMap(item)) {
      for (const [name, value] of entriesOf(item)) {
        if (name === key) visit(value, rest, `${where}.${name}`);
      }
    }
  };
  for (const path of SETS[description.artifact_class] ?? []) {
    visit(description.body, path.split("."), "body");
  }
  visit(description.requirements?.features, [], "requirements.features");
  return faults;
}
