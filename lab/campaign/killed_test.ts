/** Campaigns that are ended from outside: nothing that was found is lost, and they go on. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { TextLineStream } from "@std/streams";
import { fileURLToPath } from "node:url";
import { UsageError } from "../exit.ts";
import { faultNamed } from "../faults/bench.ts";
import { Campaign } from "./campaign.ts";
import { bucketName, filedFindings } from "./findings.ts";
import { STORE } from "./inputs.ts";
import { type Killable, READY } from "./killable.ts";
import { CampaignStore } from "./store.ts";

const SCRIPT = fileURLToPath(new URL("./killable.ts", import.meta.url));
const FAULT = "u16-endian";
const EXECUTIONS = 6000;

/** Runs a campaign, and kills it so long after it began. @returns the lines that it told */
async function killedAfter(options: Killable, milliseconds = Infinity): Promise<string[]> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "--cached-only", SCRIPT, JSON.stringify(options)],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const lines: string[] = [];
  const decoded = child.stdout.pipeThrough(new TextDecoderStream())
    .pipeThrough(new TextLineStream());
  let timer: ReturnType<typeof setTimeout> | undefined;
  for await (const line of decoded) {
    if (line === READY && milliseconds < Infinity) {
      timer = setTimeout(() => child.kill("SIGKILL"), milliseconds);
    } else if (line !== READY) lines.push(line);
  }
  clearTimeout(timer);
  await child.status;
  return lines;
}

Deno.test("a campaign that is killed again and again loses no finding and goes on to the same end", async () => {
  const folder = Deno.makeTempDirSync();
  try {
    const out = `${folder}/killed`;
    const told: string[] = [];
    for (const [i, milliseconds] of [300, 1200, 2400].entries()) {
      const options = { out, fault: FAULT, executions: EXECUTIONS, resume: i > 0 };
      told.push(...await killedAfter(options, milliseconds));
      const names = filedFindings(`${out}/findings`).map(({ finding }) => finding.key);
      for (const key of told.filter((line) => !line.startsWith("{"))) {
        assert(names.includes(key), `${key} was told of and is not there`);
      }
    }
    const killed = await killedAfter({ out, fault: FAULT, executions: EXECUTIONS, resume: true });
    const whole = { out: `${folder}/whole`, fault: FAULT, executions: EXECUTIONS, resume: false };
    const undisturbed = await killedAfter(whole);
    assertEquals(killed.at(-1), undisturbed.at(-1));
    const [left, right] = [out, whole.out].map((path) =>
      filedFindings(`${path}/findings`).map(({ finding }) => bucketName(finding)).sort()
    );
    assertEquals(left, right);
    assert(left.length > 0, "the planted fault is found");
    const store = new CampaignStore(`${out}/${STORE}`);
    assertEquals(store.findings().map(({ key }) => key).sort(), keysIn(`${out}/findings`));
    store.close();
    await assertRejects(
      () => Campaign.open({ out, seed: 9, workers: 1, resume: true, fault: faultNamed(FAULT) }),
      UsageError,
      "another seed",
    );
    await assertRejects(
      () => Campaign.open({ out, workers: 1, resume: true }),
      UsageError,
      "another subject",
    );
    const seeds = [Uint8Array.of(1)], fault = faultNamed(FAULT);
    await assertRejects(
      () => Campaign.open({ out, workers: 1, resume: true, fault, seeds }),
      UsageError,
      "another corpus: none, not 1 inputs",
    );
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

const keysIn = (folder: string) => filedFindings(folder).map(({ finding }) => finding.key).sort();
