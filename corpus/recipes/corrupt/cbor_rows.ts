/** Raw items in a manifest, one case a row. */
import type { Code } from "../../../readers/contract.ts";
import { type Case, corrupt, type Recipe } from "../case.ts";
import { site } from "../cbor_site.ts";

export const hex = (text: string) => Uint8Array.fromHex(text.replaceAll(" ", ""));

export type Row = readonly [local: string, raw: string, code: Code, why: string];

/** One case a row; `place` says where the row's bytes are put. */
export function rows(
  recipe: Recipe,
  list: readonly Row[],
  place: (raw: Uint8Array) => Uint8Array,
): Case[] {
  return list.map(([local, raw, code, why]) =>
    corrupt(site(), `${recipe.name}/${local}`, why, place(hex(raw)), [17, code, "manifest"])
  );
}

export const MAJORS = ["uint", "nint", "bytes", "text", "array", "map"] as const;

export const initial = (major: number, info: number) =>
  (major * 32 + info).toString(16).padStart(2, "0");
