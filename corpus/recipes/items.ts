/** Changing one place of a manifest. */
import { encode, entriesOf, isMap, type Item } from "../writer/cbor.ts";
import { manifestOf } from "../writer/manifest.ts";
import type { ValidCase } from "./case.ts";
import { withManifest } from "./parts.ts";

/** Keys of maps and indexes of arrays, from the manifest down. */
export type Path = readonly (string | number)[];

/** The item at a path. @throws RangeError where there is none */
export function at(item: Item, path: Path): Item {
  return path.reduce<Item>((one, step) => {
    const found = typeof step === "number"
      ? (one as readonly Item[])[step]
      : isMap(one)
      ? entriesOf(one).find(([key]) => key === step)?.[1]
      : undefined;
    if (found === undefined) throw new RangeError(`nothing at ${path.join(".")}`);
    return found;
  }, item);
}

/** A copy in which `change` was made to the item at a path. */
export function changed(item: Item, path: Path, change: (item: Item) => Item): Item {
  const [step, ...rest] = path;
  if (step === undefined) return change(item);
  if (typeof step === "number") {
    return (item as readonly Item[]).map((one, i) => i === step ? changed(one, rest, change) : one);
  }
  return new Map(
    entriesOf(item as ReadonlyMap<string, Item>).map(([key, value]) => [
      key,
      key === step ? changed(value, rest, change) : value,
    ]),
  );
}

/** A map without a key. */
export const without = (map: Item, key: string): Item =>
  new Map(entriesOf(map as ReadonlyMap<string, Item>).filter(([name]) => name !== key));

/** A map with one entry more, or another value for a key. */
export const withEntry = (map: Item, key: string, value: Item): Item =>
  new Map([...entriesOf(map as ReadonlyMap<string, Item>), [key, value]]);

/** The manifest of a valid case. */
export const manifestItem = (one: ValidCase): Item => manifestOf(one.description).item;

/** The file of a valid case with one place of its manifest changed, and everything else repaired. */
export const edited = (one: ValidCase, path: Path, change: (item: Item) => Item): Uint8Array =>
  withManifest(one.artifact.bytes, encode(changed(manifestItem(one), path, change)));

/** The same with another value there. */
export const replaced = (one: ValidCase, path: Path, value: Item): Uint8Array =>
  edited(one, path, () => value);
