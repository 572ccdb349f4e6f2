/** The files of `conform --out`: one folder that says it all, to be kept by a nightly. */
import { join } from "node:path";
import { badge } from "../../reports/conformance/badge.ts";
import { html } from "../../reports/conformance/html.ts";
import { reportJson } from "../../reports/conformance/json.ts";
import { junit } from "../../reports/conformance/junit.ts";
import { type Claim, claimText } from "./claim.ts";
import type { Conformed } from "./conform.ts";

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
    if (claim === null) continue;
    write(`claim-${i + 1}.json`, claimText(claim));
    write(`badge-${i + 1}.svg`, badgeOf(claim));
  }
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
