/**
 * jsfuzz under Node on the neutral target: what a user would take instead. It is no dependency that
 * runs under Deno, so the folder in which it is installed comes by the environment.
 */
import { transform } from "esbuild";
import { endBuilding } from "../campaign/build.ts";
import { seedInput } from "../campaign/neutral.ts";
import type { Row } from "./rounds.ts";

const SECONDS = 10;

const NEUTRAL = new URL("../campaign/neutral.ts", import.meta.url);

/** What jsfuzz calls; no bug is planted, for it ends at the first. */
const TARGET = `
Object.assign(planted, { magic: false, repeated: false, aligned: false });
module.exports = { fuzz: (bytes) => subject.run(bytes, () => {}) };
`;

/** @param guided executions a second of our engine in the same run */
export async function jsfuzzRow(guided: number): Promise<Row> {
  const row = {
    group: "rate",
    name: "guided / jsfuzz under Node",
    unit: "times",
    against: "jsfuzz on the same target, from the same seed",
    least: 60,
  };
  const folder = Deno.env.get("SLMLAB_JSFUZZ");
  const missing = (why: string): Row => ({ ...row, value: NaN, missing: why });
  if (!folder) return missing("SLMLAB_JSFUZZ names no folder in which jsfuzz is installed");
  const rate = await jsfuzzRate(folder);
  return rate === null ? missing("jsfuzz did not run there") : { ...row, value: guided / rate };
}

/** Executions a second: the median of what it tells, or null. */
async function jsfuzzRate(folder: string): Promise<number | null> {
  const work = Deno.makeTempDirSync();
  try {
    const { code } = await transform(Deno.readTextFileSync(NEUTRAL), {
      loader: "ts",
      format: "cjs",
    });
    await endBuilding();
    Deno.mkdirSync(`${work}/corpus`);
    Deno.writeTextFileSync(`${work}/package.json`, '{"type":"commonjs"}');
    Deno.writeTextFileSync(`${work}/target.js`, code + TARGET);
    Deno.writeFileSync(`${work}/corpus/seed.bin`, seedInput());
    const process = new Deno.Command("node", {
      args: [`${folder}/node_modules/jsfuzz/build/src/index.js`, "target.js", "corpus"],
      cwd: work,
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    // its own child ends with the channel between them
    const end = setTimeout(() => process.kill("SIGKILL"), SECONDS * 1000);
    const { stdout, stderr } = await process.output();
    clearTimeout(end);
    const text = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
    const rates = [...text.matchAll(/PULSE.*exec\/s: (\d+)/g)].map(([, rate]) => Number(rate));
    rates.sort((a, b) => a - b);
    return rates.length === 0 ? null : rates[rates.length >> 1];
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  } finally {
    Deno.removeSync(work, { recursive: true });
  }
}
