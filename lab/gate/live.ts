/** The checks that the gate makes itself, each time it is asked: no record can be stale in them. */
import { fileURLToPath } from "node:url";
import { GOLDEN } from "../../corpus/golden.ts";
import { holds } from "../../reports/conformance/model.ts";
import { isBuilt, loadCorpus } from "../conform/cases.ts";
import { conform } from "../conform/conform.ts";
import { READER_NAMES } from "../readers.ts";
import type { Judgement, Live } from "./check.ts";
import { type Clauses, clauses } from "./clauses.ts";
import { type Filed, filedIn, withReplays } from "./findings.ts";
import { auditIndependence, type Independence, isIndependent, MOST_SHARE } from "./independence.ts";
import { unpinned } from "./pins.ts";
import type { Found } from "./record.ts";
import { ROOT } from "./standing.ts";

export interface LiveResult {
  readonly judgements: Readonly<Record<Live, Judgement>>;
  /** two implementations disagree, on the corpus or on a finding: the release stop */
  readonly disagreement: boolean;
  readonly clauses: Clauses;
  readonly independence: Independence;
  readonly open: readonly Filed[];
}

const held = (why: string): Judgement => ({ state: "held", why, command: "" });
const broken = (why: string, command: string): Judgement => ({ state: "broken", why, command });

/**
 * @param folders where findings are filed
 * @param campaign the record of the last campaign
 */
export async function live(folders: readonly string[], campaign: Found): Promise<LiveResult> {
  const agreement = await agree();
  const { open, unknown, disagreements, more } = await openFindings(folders);
  const independence = auditIndependence(), sentences = clauses(campaign);
  return {
    disagreement: agreement.contradictions > 0 || disagreements.length > 0,
    clauses: sentences,
    independence,
    open,
    judgements: {
      agreement: agreement.judgement,
      disagreements: disagreements.length + more === 0
        ? held("no finding divides the readers")
        : broken(
          `${disagreements.length} open${more > 0 ? `, ${more} not looked at` : ""}: ${
            names(disagreements)
          }`,
          "deno task lab triage",
        ),
      findings: open.length + unknown.length + more === 0 ? held("no finding is open") : broken(
        `${open.length} open, ${unknown.length + more} that only replay can tell: ${
          names([...open, ...unknown])
        }`,
        "deno task lab triage",
      ),
      clauses: judgeClauses(sentences),
      independence: judgeIndependence(independence),
      pins: judgePins(unpinned()),
      ratified: ratified(),
    },
  };
}

async function agree(): Promise<{ judgement: Judgement; contradictions: number }> {
  const corpus = loadCorpus(fileURLToPath(GOLDEN));
  const entries = corpus.index.entries.filter((one) => !one.withdrawn && isBuilt(corpus, one));
  const who = READER_NAMES.map((reader) => ({ reader }));
  const { report } = await conform(corpus, entries, who, {
    selection: "",
    notes: [],
    known: [],
    workers: 1,
    limits: { milliseconds: 10_000, memory: 2 ** 30 },
    giveUp: Infinity,
    send: "bytes",
    stopped: new AbortController().signal,
  });
  const contradictions = report.contradictions.length;
  const wrong = report.testees.filter((one) => !holds(one)).map(({ name }) => name);
  const command = `deno task lab conform --reader ${READER_NAMES.join(",")}`;
  const judgement = contradictions > 0
    ? broken(
      `the readers contradict each other in ${contradictions} cases: ${
        report.contradictions.slice(0, 5).map(({ id }) => id).join(", ")
      }`,
      command,
    )
    : wrong.length > 0
    ? broken(`${wrong.join(" and ")} answers otherwise than the corpus`, command)
    : held(
      `${READER_NAMES.join(" and ")} give ${entries.length} cases the same verdicts, just now`,
    );
  return { judgement, contradictions };
}

function openFindings(folders: readonly string[]) {
  return withReplays(async (replayed) => {
    const open: Filed[] = [],
      unknown: Filed[] = [],
      disagreements: Filed[] = [],
      seen = new Set<string>();
    let more = 0;
    for (const folder of folders) {
      const filed = await filedIn(folder);
      more += filed.more;
      for (const one of filed.findings) {
        if (seen.has(one.name)) continue;
        seen.add(one.name);
        const { standing, divides } = await replayed(one);
        if (standing === "open") open.push(one);
        if (standing === "unknown") unknown.push(one);
        if (divides) disagreements.push(one);
      }
    }
    return { open, unknown, disagreements, more };
  });
}

const names = (findings: readonly Filed[]) =>
  findings.slice(0, 5).map(({ name }) => name).join(", ") + (findings.length > 5 ? ", …" : "");

function judgeClauses({ all, withoutVector, unreached, strays }: Clauses): Judgement {
  if (strays.length > 0) {
    return broken(
      `${strays.length} sentences are not the same in list and corpus`,
      "deno task lab corpus build",
    );
  }
  if (withoutVector.length > 0) {
    return broken(
      `${withoutVector.length} of ${all} sentences have no vector`,
      "deno task lab corpus check",
    );
  }
  const command = "deno task lab nightly --part fuzz";
  if (unreached === null) return { state: "missing", why: "no campaign counts", command };
  if (unreached.length > 0) {
    const why = `${unreached.length} of ${all} sentences were reached by no campaign`;
    return { state: "missing", why, command };
  }
  return held(`all ${all} sentences have a vector or a reason, and a campaign reached them`);
}

function judgeIndependence(found: Independence): Judgement {
  const { strays, packages, similarity: { shared, of, share } } = found;
  const text = `${shared} of ${of} runs of tokens are the same, ${(100 * share).toFixed(2)} % ` +
    `(at most ${100 * MOST_SHARE} %); shared packages: ${packages.join(", ") || "none"}`;
  if (isIndependent(found)) return held(text);
  return broken([text, ...strays.slice(0, 5)].join("; "), "deno task lab gate --json");
}

function judgePins(lines: readonly string[]): Judgement {
  if (lines.length === 0) return held("packages by version and hash, Unicode data by release");
  return broken(lines.slice(0, 5).join("; "), "deno task lab gate --json");
}

/** Whether the specification itself says that it is ratified (its first sentence). */
function ratified(): Judgement {
  const text = Deno.readTextFileSync(`${ROOT}corpus/spec/slm2.md`).slice(0, 4096);
  if (/Status:\s*ratified/i.test(text)) return held("the specification says that it is ratified");
  return { state: "missing", why: "the specification is not ratified", command: "" };
}
