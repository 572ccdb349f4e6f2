/** The bounds of profiles are what their program builds, and they can say no. */
import { assert, assertEquals } from "@std/assert";
import { REGISTERED } from "../../corpus/writer/profiles.ts";
import { FAMILIES } from "./noise.ts";
import { noiseModels, profileBound } from "./profile_bounds_build.ts";
import BOUNDS from "./profile_bounds_data.ts";

Deno.test("bounds of a profile follow from its step size and the seeds", async () => {
  using models = await noiseModels();
  assertEquals(await profileBound(models, "q4-0.b32"), BOUNDS["q4-0.b32"]);
});

Deno.test("every family of profiles has a bound; a coarser grid has a larger one", () => {
  const names = [...REGISTERED.keys()].map((name) => name.slice(0, name.lastIndexOf(".")));
  assertEquals(new Set(names), new Set(FAMILIES));
  assertEquals(Object.keys(BOUNDS), FAMILIES);
  assert(BOUNDS["q8-0.b32"].absolute * 4 < BOUNDS["q5-0.b32"].absolute);
  assert(BOUNDS["q5-0.b32"].absolute < BOUNDS["q4-0.b32"].absolute);
});
