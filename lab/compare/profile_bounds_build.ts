/**
 * Builds `profile_bounds_data.ts`: how far a profile may carry the bundled model's logits, from what
 * random errors of its step size do to them (`noise.ts`).
 *
 *     deno run -A lab/compare/profile_bounds_build.ts
 */
import { isReject, logits } from "../../readers/runtime/mod.ts";
import { loadBackend } from "../backends.ts";
import { loadReaders } from "../readers.ts";
import { POSITIONS, TOKENS } from "./cases.ts";
import { distance } from "./distance.ts";
import { Models } from "./models.ts";
import { FAMILIES } from "./noise.ts";

/** Seeds 1 .. DRAWS. */
const DRAWS = 16;
/** Standard deviations above the mean: one draw in 700 lies beyond, were they normal; in 10, at most. */
const DEVIATIONS = 3;

export interface ProfileBound {
  readonly absolute: number;
  readonly kl: number;
}

/** The bounds of one family of profiles. */
export async function profileBound(models: Models, family: string): Promise<ProfileBound> {
  const at = async (name: string) => {
    const context = await models.context(name, "wasm");
    const found = await logits(context, TOKENS, POSITIONS);
    if (isReject(found)) throw new Error(found.code);
    return found.map((one) => one.logits);
  };
  const want = await at("fable"), draws: { absolute: number; kl: number }[] = [];
  for (let seed = 1; seed <= DRAWS; seed++) {
    const got = await at(`fable/noise:${family}:${seed}`);
    const apart = got.map((one, i) => distance(one, want[i]));
    draws.push({
      absolute: Math.max(...apart.map(({ absolute }) => absolute)),
      kl: Math.max(...apart.map(({ kl }) => kl)),
    });
  }
  return {
    absolute: bound(draws.map(({ absolute }) => absolute)),
    kl: bound(draws.map(({ kl }) => kl)),
  };
}

/** Mean and so many deviations, to two digits. */
function bound(draws: readonly number[]): number {
  const mean = draws.reduce((a, b) => a + b) / draws.length;
  const variance = draws.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (draws.length - 1);
  return Number((mean + DEVIATIONS * Math.sqrt(variance)).toPrecision(2));
}

/** The suite's models, on the backend that the draws are made on. */
export async function noiseModels(): Promise<Models> {
  const [reader] = await loadReaders("cursor");
  return new Models(reader, { wasm: await loadBackend("wasm") });
}

if (import.meta.main) {
  using models = await noiseModels();
  const lines: string[] = [];
  for (const family of FAMILIES) {
    const { absolute, kl } = await profileBound(models, family);
    lines.push(`  ${JSON.stringify(family)}: { absolute: ${absolute}, kl: ${kl} },\n`);
  }
  Deno.writeTextFileSync(
    new URL("profile_bounds_data.ts", import.meta.url),
    "/** Built by profile_bounds_build.ts. */\n" +
      "export default {\n" + lines.join("") +
      "} as Readonly<Record<string, { readonly absolute: number; readonly kl: number }>>;\n",
  );
}
