/** The suite: which composition on which backend is held against what. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { REGISTERED } from "../../corpus/writer/profiles.ts";
import { dataFolder } from "../data.ts";
import { type Case, type LogitCase, type OperationsCase, sameBits, within } from "./case.ts";
import PROFILE_BOUNDS from "./profile_bounds_data.ts";

const FABLE = fileURLToPath(new URL("../../corpus/models/fable/", import.meta.url));

/** What is used here of a model's reference values. */
interface Prompt {
  readonly name: string;
  readonly sequence_ids: readonly number[];
  readonly logits: readonly { readonly position: number; readonly file: string }[];
}

const PROMPTS: readonly Prompt[] =
  JSON.parse(Deno.readTextFileSync(join(FABLE, "expected.json"))).prompts;
/** The one that backends, profiles, adapters and caches are compared on. */
export const TOKENS = PROMPTS[0].sequence_ids;
export const POSITIONS = [0, 8, 40, 100];

/** The reference and what is not it; webgpu's cases are skipped where there is no adapter. */
const BACKENDS = ["cpu", "wasm", "webgpu"];
const OTHERS = BACKENDS.slice(1);

const SOURCE_F32 = within(
  1e-4,
  true,
  "the model's README: two programs in other arithmetic lie 1.5e-5 apart on logits of 26, and the " +
    "smallest gap of the two largest is 2.6e-3",
);

/** 32 u a layer of the largest logit: BOUNDS.logits, both sides one envelope from the truth. */
const BACKEND_F32 = within(
  2 * 16 * 4 * 2 ** -24 * 26,
  true,
  "BOUNDS.logits of kernels/envelope.ts for 4 layers and logits of 26, once for each side",
);

const PROFILE_F32 = "16 passes of this model, each weight moved at random within its cell of the " +
  "profile's grid (the step by slm2.md 7.2 from the values of its block; noise.ts, seeds 1 to 16), " +
  "through all layers: mean and 3 standard deviations of the largest distance at these positions. " +
  "The profile's own rounding is one more such draw; a wrong scale, nibble or tail is none";

/** Every case, in the order in which it runs. */
export function allCases(): Case[] {
  return [
    ...BACKENDS.flatMap(fableCases),
    ...BACKENDS.flatMap(storiesCases),
    ...BACKENDS.flatMap(operationsCases),
    ...OTHERS.map((backend) => against(backend, "fable")),
    ...[...REGISTERED.keys()].flatMap(profileCases),
    ...BACKENDS.flatMap(adapterCases),
    ...BACKENDS.map(resumedCase),
  ];
}

/** f32 against the values that came with the bundled model. */
function fableCases(backend: string): LogitCase[] {
  return PROMPTS.map(({ name, sequence_ids, logits }) => ({
    name: `source/fable-${name}/${backend}`,
    model: "fable",
    backend,
    tokens: sequence_ids,
    positions: logits.map(({ position }) => position),
    reference: { files: logits.map(({ file }) => join(FABLE, file)) },
    envelope: SOURCE_F32,
  }));
}

/** f32 against llama2.c, and two profiles against a pass in doubles. */
function storiesCases(backend: string): LogitCase[] {
  const folder = dataFolder();
  const at = (file: string) => folder === null ? file : fileURLToPath(new URL(file, folder));
  const tokens = (prompt: string): number[] =>
    folder === null
      ? []
      : JSON.parse(Deno.readTextFileSync(at(`models/ref/${prompt}.json`))).sequence_ids;
  const one = (
    model: string,
    prompt: string,
    stem: string,
    positions: number[],
    derivation: string,
  ): LogitCase => ({
    name: `source/${model}-${prompt}/${backend}`,
    model,
    backend,
    tokens: tokens(prompt),
    positions,
    reference: {
      files: positions.map((position) =>
        at(`models/ref/${stem}.logits.${String(position).padStart(3, "0")}.f32`)
      ),
    },
    envelope: within(1e-4, true, derivation),
  });
  const llama2c = "run.c lies at most 2.5e-5 from a pass in doubles; smallest gap 9e-4";
  const doubles = "f32 sums lie 2e-5 from a pass in doubles over the same dequantised weights";
  return [
    ...["p1", "p2", "p3"].map((p) => one("stories260K", p, p, [0, 1, 7, 31, 100], llama2c)),
    one("stories260K/q8-0.b32.row+f32-down", "p1", "p1.q8_0", [7, 31, 100], doubles),
    one("stories260K/q4-0.b32.row+f32-down", "p1", "p1.q4_0", [7, 31, 100], doubles),
  ];
}

/** A backend against the reference backend, on one composition. */
function against(backend: string, model: string): LogitCase {
  return {
    name: `backend/${model}/${backend}`,
    model,
    backend,
    tokens: TOKENS,
    positions: POSITIONS,
    reference: { backend: "cpu", model },
    envelope: BACKEND_F32,
  };
}

/** One by one, on f32 and on each family of profiles. */
function operationsCases(backend: string): OperationsCase[] {
  const families = [...REGISTERED.keys()].filter((name) => !/\.(pad|exact)$/.test(name));
  return ["fable", "fable/q8-row.exact", ...families.map((name) => `fable/${name}`)].map((
    model,
  ) => ({
    name: `operations/${model}/${backend}`,
    model,
    backend,
    tokens: TOKENS.slice(0, 24),
  }));
}

/** A profile on each backend against f32, and on the others against the reference backend. */
function profileCases(profile: string): LogitCase[] {
  const model = `fable/${profile}`;
  const { absolute, kl } = PROFILE_BOUNDS[profile.slice(0, profile.lastIndexOf("."))];
  const f32 = (backend: string): LogitCase => ({
    name: `profile/${profile}/${backend}`,
    model,
    backend,
    tokens: TOKENS,
    positions: POSITIONS,
    reference: { backend: "cpu", model: "fable" },
    envelope: { ...within(absolute, false, PROFILE_F32), kl },
  });
  return [...BACKENDS.map(f32), ...OTHERS.map((backend) => against(backend, model))];
}

/** An adapter against the same weights formed beforehand in doubles. */
function adapterCases(backend: string): LogitCase[] {
  return [{
    name: `adapter/${backend}`,
    model: "fable/adapter",
    backend,
    tokens: TOKENS,
    positions: POSITIONS,
    reference: { backend: "cpu", model: "fable/merged" },
    envelope: within(1e-4, true, "weights that differ in their last bit, and one f32 pass each"),
  }];
}

/** A cache saved as an artifact and read back, against going on without a cut. */
function resumedCase(backend: string): LogitCase {
  return {
    name: `resumed/${backend}`,
    model: "fable",
    backend,
    tokens: TOKENS,
    positions: [40, 41, 100],
    resumeAt: 40,
    reference: { backend, model: "fable" },
    envelope: sameBits("an f32 cache is kept bit for bit, and the same operations follow"),
  };
}
