/** Workers that end: that it is noticed, what is kept of it, and that none outlives its parent. */
import { assert, assertEquals } from "@std/assert";
import { Corpus } from "./corpus.ts";
import { type Way, WAYS } from "./deadly.ts";
import { SHAPES, timeToNotice } from "./dying.ts";
import { countersOf } from "./load.ts";
import { seedInput } from "./neutral.ts";
import { Pool } from "./pool.ts";
import { prepare } from "./prepare.ts";

Deno.test("the end of a worker is noticed, told or not, however its code was entered", async () => {
  const ways: Way[] = ["heap", "loop", "silent", "scavenge"];
  const noticed = await Promise.all(SHAPES.map((shape, i) => timeToNotice(shape, ways[i])));
  assert(noticed.every((milliseconds) => milliseconds >= 0));
});

Deno.test("an input that ends its worker is told of with its class, and its slice goes on", async () => {
  const folder = Deno.makeTempDirSync();
  const subject = { entry: "lab/campaign/deadly.ts", instrumented: ["lab/campaign/deadly.ts"] };
  const prepared = await prepare(folder, { subject });
  const pool = new Pool(prepared, new Corpus(countersOf(prepared.edges)), {
    workers: 2,
    limit: 64,
    edits: 0,
    structured: false,
  });
  const ends = WAYS.map((_, i) => Uint8Array.of(i));
  const told: string[] = [];
  const inputs = [Uint8Array.of(9), ...ends];
  const plans = [inputs.slice(0, 3), inputs.slice(3)].map((inputs) => ({
    seed: 1,
    executions: inputs.length,
    inputs,
    deterministic: [],
    skip: [],
  }));
  try {
    const reports = await pool.round([], plans, {
      deadly: ({ flaw, seen }) => told.push(`${WAYS[seen.input[0]]} ${flaw.class}`),
      found() {},
    });
    assertEquals(reports.size, 2);
  } finally {
    await pool.close();
    Deno.removeSync(folder, { recursive: true });
  }
  assertEquals(new Set(told.map((one) => one.split(" ")[0])), new Set(WAYS));
  for (const one of told) {
    const [way, kind] = one.split(" ");
    if (way === "silent") assertEquals(kind, "crash");
    else if (way === "loop") assertEquals(kind, "hang");
    else assert(kind === "memory" || kind === "hang", one); // a slow machine fills no heap in time
  }
});

Deno.test("where no input alone ends workers, their slice ends early, and one finding says so", async () => {
  const folder = Deno.makeTempDirSync();
  const subject = { entry: "lab/campaign/deadly.ts", instrumented: ["lab/campaign/deadly.ts"] };
  const prepared = await prepare(folder, { subject });
  const pool = new Pool(prepared, new Corpus(countersOf(prepared.edges)), {
    workers: 1,
    limit: 64,
    edits: 0,
    structured: false,
  });
  const tiring = Array.from({ length: 60 }, (_, i) => Uint8Array.of(200, i));
  const plan = { seed: 1, executions: 60, inputs: tiring, deterministic: [], skip: [] };
  const told: string[] = [];
  try {
    const reports = await pool.round([], [plan], {
      deadly: ({ flaw }) => told.push(flaw.key),
      found() {},
    });
    const executions = reports.get(0)?.executions ?? 0;
    assert(executions > 0 && executions < 60, `${executions}`);
  } finally {
    await pool.close();
    Deno.removeSync(folder, { recursive: true });
  }
  assertEquals(told, ["end of a worker, not alone"]);
});

Deno.test("a worker that holds too much is replaced after its slice, which changes nothing", async () => {
  const folder = Deno.makeTempDirSync();
  const neutral = "lab/campaign/neutral.ts";
  const prepared = await prepare(folder, { subject: { entry: neutral, instrumented: [neutral] } });
  const plans = [1, 2, 3].map((seed) => ({
    seed,
    executions: 500,
    inputs: [seedInput()],
    deterministic: [],
    skip: [],
  }));
  const digests = async (memory?: number) => {
    const options = { workers: 1, limit: 4096, edits: 0, structured: false, memory };
    const pool = new Pool(prepared, new Corpus(countersOf(prepared.edges)), options);
    try {
      const reports = await pool.round([], plans, { deadly() {}, found() {} });
      return { left: pool.processes.length, all: plans.map((_, i) => reports.get(i)?.digest) };
    } finally {
      await pool.close();
    }
  };
  try {
    const kept = await digests(), replaced = await digests(1);
    assertEquals([kept.left, replaced.left], [1, 0]);
    assertEquals(replaced.all, kept.all);
    assertEquals(new Set(kept.all).size, 3);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

Deno.test({
  name: "a worker in an endless loop ends with a parent that was killed",
  ignore: Deno.build.os !== "linux",
  fn: endsWithItsParent,
});

async function endsWithItsParent(): Promise<void> {
  const module = new URL("./dying.ts", import.meta.url).href;
  const code = `import { dying } from "${module}";
    const { child, beat } = dying("body", "loop");
    const feel = setInterval(() => {
      if (beat.beats > 0) { clearInterval(feel); console.log(child.pid); }
    }, 5);`;
  const parent = new Deno.Command(Deno.execPath(), {
    args: ["eval", "--config", new URL("../../deno.json", import.meta.url).pathname, code],
    stdout: "piped",
  }).spawn();
  const { value } = await parent.stdout.getReader().read();
  const pid = Number(new TextDecoder().decode(value));
  assert(isAlive(pid));
  parent.kill("SIGKILL");
  await parent.status;
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 50));
}

/** Whether a process runs; one that has ended and is not yet fetched by its parent does not. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(Deno.readTextFileSync(`/proc/${pid}/status`));
  } catch {
    return false;
  }
}
