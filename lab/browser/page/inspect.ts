/// <reference lib="dom" />
/**
 * The inspect page: a file that a person drops or chooses goes to a worker of this page, and
 * what comes back is shown. Texts become text nodes, escaped and bounded, and nothing else.
 */
import type { Reject } from "../../../readers/contract.ts";
import { rejection } from "../../../reports/inspection.ts";
import { ITEM_LIMIT, rows } from "../../../reports/inspection_rows.ts";
import { foreign } from "../../../reports/terminal.ts";
import { bytesText, STAGE_NAMES } from "../../../reports/words.ts";
import type { Given, Judged, Said } from "./inspect_worker.ts";

/** The script of the worker, put here when the page is built. */
declare const WORKER_SCRIPT: string;

const find = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
const input = find<HTMLInputElement>("file");
const extensions = find<HTMLInputElement>("extensions");
const progress = find<HTMLProgressElement>("progress");
const state = find("state");
const result = find("result");

const workerAddress = URL.createObjectURL(new Blob([WORKER_SCRIPT], { type: "text/javascript" }));
let worker: Worker | null = null;
let last: File | null = null;

input.addEventListener("change", () => {
  const file = input.files?.[0];
  if (file !== undefined) inspect(file);
  // so that the same file may be chosen again
  input.value = "";
});

extensions.addEventListener("change", () => {
  if (last !== null) inspect(last);
});

for (const type of ["dragenter", "dragover"]) {
  addEventListener(type, (event) => {
    event.preventDefault();
    document.body.classList.add("dropping");
  });
}
addEventListener("dragleave", ({ relatedTarget }) => {
  if (relatedTarget === null) document.body.classList.remove("dropping");
});
addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("dropping");
  const file = event.dataTransfer?.files[0];
  if (file !== undefined) inspect(file);
});

/** Starts on a file; one that is under way is given up. */
function inspect(file: File): void {
  worker?.terminate();
  last = file;
  const own = worker = new Worker(workerAddress);
  result.replaceChildren();
  result.hidden = true;
  progress.hidden = false;
  progress.value = 0;
  say("working", `Both readers are reading ${bytesText(file.size)}.`);
  const end = () => {
    own.terminate();
    progress.hidden = true;
  };
  own.onmessage = ({ data }: MessageEvent<Said>) => {
    if ("done" in data) {
      progress.value = data.done;
      return;
    }
    end();
    if ("judged" in data) show(data.judged);
    else say("bad", `A reader failed, which is a fault of the lab: ${foreign(data.thrown)}`);
  };
  own.onerror = (event) => {
    event.preventDefault();
    end();
    say("bad", `The readers do not run in this browser: ${foreign(event.message ?? "no reason")}`);
  };
  own.postMessage({ file, extensions: extensions.checked } satisfies Given);
}

type Tone = "good" | "bad" | "working";

/** The one line that says how it stands; a screen reader speaks it. */
function say(tone: Tone, text: string): void {
  state.className = tone;
  state.textContent = text;
}

function show({ verdicts, agree, facts }: Judged): void {
  const [{ verdict }] = verdicts;
  if (!agree) say("bad", "The readers disagree. One of them is wrong: please report the file.");
  else if (verdict.verdict === "accept") say("good", "Accepted by both readers.");
  else say("bad", `Rejected by both readers: ${verdict.code}, at stage ${verdict.stage}.`);
  result.append(
    titled(
      "Verdicts",
      element(
        "div",
        { className: "cards" },
        verdicts.map(({ reader, verdict }) => {
          const tone = verdict.verdict === "accept" ? "good" : "bad";
          return element("section", { className: "card" }, [
            element("h3", {}, [`Reader ${reader}`]),
            element("p", { className: tone }, [
              verdict.verdict === "accept" ? "✓ accepted" : "✗ rejected",
            ]),
            ...(verdict.verdict === "reject" ? [reasons(verdict)] : []),
          ]);
        }),
      ),
    ),
  );
  if (facts !== null) {
    result.append(titled("Facts", list(rows(facts), "facts")));
  }
  const json = facts ??
    verdicts.flatMap(({ verdict }) => verdict.verdict === "reject" ? [rejection(verdict)] : [])[0];
  result.append(
    element("details", {}, [
      element("summary", {}, ["As JSON"]),
      element("pre", { tabIndex: 0 }, [plain(JSON.stringify(json, null, 2))]),
    ]),
  );
  result.hidden = false;
}

function reasons({ stage, code, section, offset, expected }: Reject): HTMLElement {
  return list([
    { label: "stage", text: `${stage}, ${STAGE_NAMES[stage]}` },
    { label: "code", text: code },
    { label: "section", text: section },
    ...(offset === undefined ? [] : [{ label: "offset", text: String(offset) }]),
    ...(expected === undefined ? [] : [{ label: "expected", text: expected }]),
  ]);
}

function titled(title: string, content: HTMLElement): HTMLElement {
  return element("section", {}, [element("h2", {}, [title]), content]);
}

interface Shown {
  readonly label: string;
  readonly text: string;
  readonly items?: readonly string[];
}

function list(shown: readonly Shown[], className = ""): HTMLElement {
  return element(
    "dl",
    { className },
    shown.flatMap(({ label, text, items = [] }) => [
      element("dt", {}, [label]),
      element("dd", {}, [
        worded(text),
        ...items.map((item) => element("div", {}, [worded(item)])),
      ]),
    ]),
  );
}

/** Foreign text; digests stand in fixed width. */
function worded(text: string): HTMLElement {
  return element(/[0-9a-f]{64}$/.test(text) ? "code" : "span", {}, [foreign(text, ITEM_LIMIT)]);
}

/** JSON with each line made safe. */
function plain(json: string): string {
  return json.split("\n").map((line) => foreign(line, ITEM_LIMIT)).join("\n");
}

/** An element; strings become text nodes. */
function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]>,
  content: readonly (HTMLElement | string)[],
): HTMLElementTagNameMap[Name] {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...content);
  return made;
}
