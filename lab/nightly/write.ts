/** The files of a run's folder beyond logs and records. */
import { join } from "node:path";
import { html } from "../../reports/nightly/html.ts";
import { junit } from "../../reports/nightly/junit.ts";
import type { NightlyReport } from "../../reports/nightly/model.ts";
import { sarif } from "../../reports/nightly/sarif.ts";

export function writeReport(folder: string, report: NightlyReport): void {
  const write = (name: string, text: string) => Deno.writeTextFileSync(join(folder, name), text);
  write("index.html", html(report));
  write("junit.xml", junit(report));
  write("findings.sarif", sarif(report));
  write("report.json", JSON.stringify(report, null, 1) + "\n");
}
