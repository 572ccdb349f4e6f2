/**
 * Campaigns as they run: workers beside one another, the watch over them, and the real thing, which is
 * both readers with their oracles on small artifacts.
 */
import process from "node:process";
import { mutateArtifact } from "../../mutators/mutate.ts";
import { chooseRepair, repair } from "../../mutators/repair.ts";
import { seedArtifacts } from "../../mutators/seeds.ts";
import { endBuilding } from "../campaign/build.ts";
import { Campaign } from "../campaign/campaign.ts";
import { Corpus } from "../campaign/corpus.ts";
import { SUBJECT } from "../campaign/court.ts";
import type { Way } from "../campaign/deadly.ts";
import { SHAPES, timeToNotice } from "../campaign/dying.ts";
import { countersOf } from "../campaign/load.ts";
import { seedInput } from "../campaign/neutral.ts";
import { Pool } from "../campaign/pool.ts";
import { prepare } from "../campaign/prepare.ts";
import { planRound } from "../campaign/round.ts";
import { WHOLE_IN } from "../campaign/slice.ts";
import { buildBoth, type Builds, Solo } from "../campaign/solo.ts";
import { interleaveLater, type Row } from "./rounds.ts";

async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = Deno.makeTempDirSync();
  try {
    return await use(folder);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

const ROUNDS = 5;
/** Slices that take a tenth of a second, so that messages do not count. */
const CUT = { seed: 1, slices: 8, executions: 20_000 };

/** Two workers on the neutral target beside one. */
export function workerRows(): Promise<Row[]> {
  return inFolder(async (folder) => {
    const neutral = "lab/campaign/neutral.ts";
    const subject = { entry: neutral, instrumented: [neutral] };
    const pools: Pool[] = [];
    const contestant = async (workers: number) => {
      const own = `${folder}/${workers}`;
      Deno.mkdirSync(own);
      const prepared = await prepare(own, { subject });
      const corpus = new Corpus(countersOf(prepared.edges));
      const pool = new Pool(prepared, corpus, {
        workers,
        limit: 4096,
        edits: 0,
        structured: false,
      });
      pools.push(pool);
      let round = 0;
      return {
        name: `${workers}`,
        async run() {
          const plans = planRound(CUT, round, corpus, round++ === 0 ? [seedInput()] : [], Infinity);
          const reports = [...(await pool.round([], plans, { deadly() {}, found() {} })).values()];
          return reports.reduce((sum, { executions }) => sum + executions, 0);
        },
      };
    };
    const contestants = [await contestant(1), await contestant(2)];
    const [one, two] = await interleaveLater(contestants, ROUNDS);
    await Promise.all(pools.map((pool) => pool.close()));
    return [{
      group: "workers",
      name: "two / one",
      value: two.median / one.median,
      unit: "ratio",
      against: "one worker process, the same target",
      least: 1.8,
    }];
  });
}

const WAYS = { heap: "a full heap", loop: "an endless loop", silent: "a silent end" };

/** How soon the end of a worker is known: the slowest of the shapes in which code is entered. */
export async function watchRows(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [way, name] of Object.entries(WAYS)) {
    let slowest = 0;
    for (const shape of SHAPES) {
      slowest = Math.max(slowest, await timeToNotice(shape, way as Way) / 1000);
    }
    rows.push({ group: "watch", name: `${name}, known after`, value: slowest, unit: "s", most: 1 });
  }
  return rows;
}

/** Length in bytes of the artifacts that mutants are made of, at most. */
const ARTIFACT = 2048;
/** A campaign lasts for hours: it is measured when all code is compiled and finds have become seldom. */
const WARM_UP = 128_000, MEASURED = 64_000;

/**
 * The readers and their oracles, guided, in this thread: executions by processor time and wall, with
 * the cheap oracles alone, and as campaigns do it.
 */
export async function readerRows(): Promise<Row[]> {
  const builds = await buildBoth(SUBJECT);
  await endBuilding();
  const cheap = await measured(builds, 0);
  const all = await measured(builds, WHOLE_IN);
  const row = (name: string, value: number, unit: string, least?: number): Row => ({
    group: "readers",
    name,
    value,
    unit,
    least,
  });
  return [
    row("guided, cheap oracles", cheap.rate, "inputs/s"),
    row("for a second of the processor", cheap.processorRate, "inputs/s", 4000),
    row(`and all oracles at each ${WHOLE_IN}th`, all.processorRate, "inputs/s"),
    row("of reading is hashing", cheap.hashing, "%"),
    row("reach stage 20", cheap.from(20), "%", 30),
    row("pass stage 26", cheap.from(27), "%", 5),
  ];
}

/** @param wholeIn one execution in so many asks all oracles; 0: none does */
async function measured(builds: Builds, wholeIn: number) {
  const solo = await Solo.of(builds, {
    seed: 1,
    slices: 8,
    executions: 500,
    limit: 2 * ARTIFACT,
    edits: 768,
    wholeIn,
    digest: true,
    mutate: mutateArtifact,
    repair: (input, random, parent) => repair(input, chooseRepair(random), parent),
  }, seedArtifacts(1, 3, ARTIFACT));
  while (solo.executions < WARM_UP) solo.round();
  const stages = new Array<number>(33).fill(0);
  const sampled = { whole: 0, hashing: 0 };
  const [begun, before] = [performance.now(), process.cpuUsage()];
  while (solo.executions < WARM_UP + MEASURED) {
    for (const report of solo.round()) {
      report.stages.forEach((count, stage) => stages[stage] += count);
      sampled.whole += report.sampled.whole;
      sampled.hashing += report.sampled.hashing;
    }
  }
  const seconds = (performance.now() - begun) / 1000;
  const { user, system } = process.cpuUsage(before);
  const count = stages.reduce((a, b) => a + b);
  return {
    rate: count / seconds,
    processorRate: count / ((user + system) / 1e6),
    hashing: 100 * sampled.hashing / sampled.whole,
    from: (stage: number) => 100 * stages.slice(stage).reduce((a, b) => a + b) / count,
  };
}

/** What a campaign with one worker holds in memory. */
export function memoryRows(): Promise<Row[]> {
  return inFolder(async (out) => {
    const campaign = await Campaign.open({
      seed: 1,
      executions: 8000,
      workers: 1,
      out,
      resume: false,
    });
    const { memory } = await campaign.run();
    const row = (name: string, bytes: number, most?: number): Row => ({
      group: "memory",
      name,
      value: bytes / 2 ** 20,
      unit: "MiB",
      most,
    });
    return [row("one worker, at most", memory.worker, 120), row("its parent", memory.parent)];
  });
}
