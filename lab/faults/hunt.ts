/** How long a seeded fault lives in a campaign, and how small what shows it becomes. */
import { Campaign } from "../campaign/campaign.ts";
import { AS_IT_STANDS, inCourt } from "../campaign/court.ts";
import { Judge } from "../campaign/judge.ts";
import { PROBE_MS, questionOf } from "../campaign/probe_name.ts";
import type { Flaw } from "../campaign/subject.ts";
import { minimize } from "../minimize/minimize.ts";
import type { SeededFault } from "./fault.ts";
import { processorSeconds } from "../processor_time.ts";

/** The end of one hunt. */
export interface Hunt {
  readonly fault: SeededFault;
  /** until it was filed, or given up: building the readers with the fault counts */
  readonly seconds: number;
  /** of all processes, until the campaign had ended; null where the system does not tell */
  readonly processorSeconds: number | null;
  readonly executions: number;
  /** null: it survived */
  readonly found: {
    readonly flaw: Flaw;
    readonly input: Uint8Array;
    /** keys under which it was filed in the round that showed it */
    readonly buckets: readonly string[];
    /** what is left of the input, and the time that took; null where it was not asked for */
    readonly minimized: { readonly input: Uint8Array; readonly seconds: number } | null;
  } | null;
}

export interface HuntOptions {
  readonly seed: number;
  readonly workers: number;
  /** given up after so much time */
  readonly seconds: number;
  /** time for making the input smaller; 0: it stays as it is */
  readonly minimize: number;
}

/** Hunts a fault by a campaign of its own, until a finding is filed that sound readers do not give. */
export async function hunt(fault: SeededFault, options: HuntOptions): Promise<Hunt> {
  const out = Deno.makeTempDirSync({ prefix: "hunt-" });
  const sound = new Judge(AS_IT_STANDS);
  const processor = processorSeconds();
  const begun = performance.now();
  const passed = () => (performance.now() - begun) / 1000;
  let seconds = 0;
  const filed: { flaw: Flaw; input: Uint8Array }[] = [];
  const looks: Promise<void>[] = [];
  try {
    const campaign = await Campaign.open({
      ...options,
      out,
      resume: false,
      fault,
      filed({ flaw }, input) {
        const at = passed();
        looks.push(
          sound.ask(questionOf(flaw, input)).then((known) => {
            if (known.some(({ key }) => key === flaw.key)) return;
            if (filed.push({ flaw, input }) === 1) seconds = at;
            campaign.stop();
          }),
        );
      },
    });
    const { executions } = await campaign.run();
    await Promise.all(looks);
    const ended = {
      fault,
      seconds: filed.length > 0 ? seconds : passed(),
      processorSeconds: processor === null ? null : (processorSeconds() ?? 0) - processor,
      executions,
    };
    if (filed.length === 0) return { ...ended, found: null };
    const buckets = filed.map(({ flaw }) => flaw.key);
    const minimized = options.minimize > 0
      ? await smaller(fault, filed[0], options.minimize)
      : null;
    return { ...ended, found: { ...filed[0], buckets, minimized } };
  } finally {
    await sound.close();
    Deno.removeSync(out, { recursive: true });
  }
}

async function smaller(
  fault: SeededFault,
  { flaw: { key, class: kind, probe }, input }: { flaw: Flaw; input: Uint8Array },
  seconds: number,
) {
  const counted = kind === "hang" || kind === "memory";
  return await inCourt(counted ? "counters" : "plain", fault, async (court) => {
    const judge = new Judge(court, probe === undefined ? undefined : PROBE_MS);
    const begun = performance.now();
    try {
      const best = await minimize(input, { key, probe, seconds, judge: (one) => judge.ask(one) });
      return { input: best.input, seconds: (performance.now() - begun) / 1000 };
    } finally {
      await judge.close();
    }
  });
}
