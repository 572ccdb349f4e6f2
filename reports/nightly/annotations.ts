/** GitHub Actions annotations: workflow commands, one a line, escaped as its toolkit does. */
import type { NightlyReport } from "./model.ts";

/** Annotations that GitHub shows of one step and kind. */
const MOST = 10;

/** Characters of one. */
const LENGTH = 500;

export function annotations(report: NightlyReport): string[] {
  const open = report.findings.filter(({ state }) => state !== "fixed");
  const parts = report.parts.filter(({ exit, fault }) => exit !== 0 || fault !== null);
  const errors = [
    ...open.slice(0, MOST).map(({ class: kind, name, key, replay }) =>
      command("error", `${kind} ${name}`, `${key}\n${replay}`)
    ),
    ...parts.map(({ name, exit, fault }) =>
      command("error", `nightly ${name}`, fault ?? `ended with exit code ${exit}`)
    ),
    ...report.quiet.slice(0, MOST).map((line) => command("error", "quiet lab", line)),
  ];
  const warnings = report.regressions.slice(0, MOST).map((line) =>
    command("warning", "regression", line)
  );
  return [...errors.slice(0, MOST), ...warnings.slice(0, MOST)];
}

function command(kind: "error" | "warning", title: string, message: string): string {
  const property = data(title).replaceAll(":", "%3A").replaceAll(",", "%2C");
  return `::${kind} title=${property}::${data(message)}`;
}

function data(text: string): string {
  return text.slice(0, LENGTH).toWellFormed().replaceAll("%", "%25").replaceAll("\r", "%0D")
    .replaceAll("\n", "%0A");
}
