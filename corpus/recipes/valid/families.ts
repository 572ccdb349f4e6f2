/** The library's own artifacts as cases: the smallest of each class, and a family of richer ones. */
import type { Recipe } from "../case.ts";
import { bound, full, second, SMALLEST } from "../library.ts";
import { RICH } from "../rich.ts";

const smallest: Recipe = {
  name: "valid/smallest",
  reason: "the least artifact of each class; where the class allows, a manifest and nothing else",
  spec: "slm2.md 2 and 3",
  cites: ["slm2-9 *", "slm2-3 *", "slm2-2 The manifest is always present"],
  cases: () => SMALLEST.map((make) => make()),
};

const family: Recipe = {
  name: "valid/family",
  reason: "richer artifacts, bound to the smallest ones",
  spec: "slm2.md 2, classes.md 6",
  cites: ["slm2-2 Sections stand in this order"],
  cases: () => [full(), second(), bound()],
};

const rich: Recipe = {
  name: "valid/rich",
  reason: "an artifact of each class in which nothing optional is left out",
  spec: "classes.md 1 to 9",
  cites: [
    "classes-1 A field with no stated range",
    "classes-8 `notices` are content hashes",
    "classes-8 free.",
    "classes-0 a plain array keeps",
  ],
  cases: () => RICH.map((make) => make()),
};

export const families: readonly Recipe[] = [smallest, family, rich];
