/// <reference lib="dom" />
/** The page around `testee_worker.ts`: gives the lab `ask`, one line at a time. */
import type { JsonObject } from "../../testee/line.ts";
import type { Said } from "./testee_worker.ts";

declare global {
  /** Hands a line to the worker; rejects with what it threw, or with why it did not run. */
  var ask: (line: JsonObject) => Promise<JsonObject>;
}

const worker = new Worker("/worker.js", { name: location.hash.slice(1) });

globalThis.ask = (line) =>
  new Promise((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<Said>) =>
      "answer" in data ? resolve(data.answer) : reject(new Error(data.thrown));
    worker.onerror = (event) => reject(new Error(event.message));
    worker.postMessage(line);
  });
