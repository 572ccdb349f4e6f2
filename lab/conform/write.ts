/** The files of `conform --out`: one folder that says it all, to be kept by a nightly. */
import { join } from "node:path";
import { badge } from "../../reports/conformance/badge.ts";
import { html } from "../../reports/conformance/html.ts";
import { reportJson } from "../../reports/conformance/json.ts";
import { junit } from "../../reports/conformance/junit.ts";
import type { Report, TesteeReport } from "../../reports/conformance/model.ts";
import { type Claim, claimText } from "./claim.ts";
import type { Conformed } from "./conform.ts";
import { KNOWN_FORMAT, type KnownFailure, type KnownList } from "./known.ts";

/**
 * Writes them. Names do not come from testees, which could name themselves anything: claims
 * are numbered in the order of the command line.
 */
export function writeReports(folder: string, { report, claims }: Conformed): void {
  Deno.mkdirSync(folder, { recursive: true });
  const write = (name: string, text: string) => Deno.writeTextFileSync(join(folder, name), text);
  write("junit.xml", junit(report));
  write("report.json", reportJson(report));
  write("report.html", html(report));
  for (const [i, claim] of claims.entries()) {
    const draft = draftOf(report, report.testees[i]);
    if (draft !== null) write(`expected-failures-${i + 1}.json`, draft);
    if (claim === null) continue;
    write(`claim-${i + 1}.json`, claimText(claim));
    write(`badge-${i + 1}.svg`, badgeOf(claim));
  }
}

/** A list of all that a testee fails in now, its reasons to be written; null where there is nothing. */
function draftOf({ cases }: Report, { name, results }: TesteeReport): string | null {
  const failures = results.flatMap(({ status, result, why }, i): KnownFailure[] => {
    if (status === "known") return [{ id: cases[i].id, result, reason: why! }];
    return status === "fail" || status === "changed"
      ? [{ id: cases[i].id, result, reason: "" }]
      : [];
  });
  const list: KnownList = { format: KNOWN_FORMAT, testee: name, failures };
  return failures.length === 0 ? null : JSON.stringify(list, null, 1) + "\n";
}

/** The badge that a claim earns: what it met of what is within its scope. */
export function badgeOf({ reader, corpus, counts }: Claim): string {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return badge({
    corpusVersion: corpus.version,
    contentId: corpus.content_id,
    reader: `${reader.name} ${reader.version}`,
    passed: counts.pass,
    asked: all - counts["out-of-scope"],
  });
}
