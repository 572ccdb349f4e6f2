/** One place of a body changed, so that a relation of its class fails (stage 18). */
import type { Code } from "../../../readers/contract.ts";
import { encode, type Item } from "../../writer/cbor.ts";
import { type Case, corrupt, type Recipe, type Rejection, type ValidCase } from "../case.ts";
import { manifestItem, type Path, replaced } from "../items.ts";
import { withManifest } from "../parts.ts";
import { withPlaces } from "./schema.ts";

export const BAD: Rejection = [18, "BadValue", "manifest"];

/** One place of a parent's body with another value. */
export function one(
  recipe: Recipe,
  parent: ValidCase,
  local: string,
  path: Path,
  value: Item,
  why: string,
  cite: string,
  code: Code = "BadValue",
): Case {
  return corrupt(
    parent,
    `${recipe.name}/${local}`,
    why,
    replaced(parent, ["body", ...path], value),
    [18, code, "manifest"],
    { cites: [cite] },
  );
}

export const several = (parent: ValidCase, places: readonly (readonly [Path, Item])[]) =>
  withManifest(
    parent.artifact.bytes,
    encode(
      withPlaces(manifestItem(parent), places.map(([path, value]) => [["body", ...path], value])),
    ),
  );
