/**
 * The inspect page as one HTML file that works offline: both readers in a worker, nothing
 * uploaded. Its policy names the one script and the one style by their hashes and forbids every
 * connection, so that no text of a file could run or tell anything.
 */
import { createHash } from "node:crypto";
import { Markup, markup } from "../../reports/markup.ts";
import { bundle } from "./bundle.ts";
import { INSPECT_STYLE } from "./inspect_style.ts";

/**
 * @param extensions whether the page begins with extensions shown, bounded and escaped
 * @throws where the page cannot be bundled
 */
export async function inspectPage({ extensions = false } = {}): Promise<string> {
  const module = (name: string) => new URL(`page/${name}.ts`, import.meta.url);
  const worker = await bundle(module("inspect_worker"));
  const script = await bundle(module("inspect"), { WORKER_SCRIPT: worker });
  // esbuild escapes both; a page in which it did not would not be whole
  if (/<\/script|<!--/i.test(script)) throw new Error("the script would end its element");
  const policy = [
    "default-src 'none'",
    `script-src ${hash(script)} 'wasm-unsafe-eval'`,
    `style-src ${hash(INSPECT_STYLE)}`,
    "worker-src blob:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return "<!doctype html>\n" + markup`<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="referrer" content="no-referrer">
<title>Inspect an SLM2 file</title>
<style>${new Markup(INSPECT_STYLE)}</style>
<header>
<h1>Inspect an SLM2 file</h1>
<p class="quiet">Two independent readers judge the file in this page. It is not uploaded: the page
may not connect to anything, and works offline.</p>
</header>
<main>
<label class="drop" for="file"><input type="file" id="file">
<span><strong>Choose a file</strong> or drop one anywhere</span></label>
<p class="option"><input type="checkbox" id="extensions"${
    extensions ? markup` checked` : []
  }><label for="extensions">Show extensions too, bounded and escaped</label></p>
<noscript><p class="bad">The readers are scripts, and scripts are off here.</p></noscript>
<p id="state" role="status"></p>
<progress id="progress" aria-label="Bytes read" max="1" value="0" hidden></progress>
<div id="result" hidden></div>
</main>
<script>${new Markup(script)}</script>
</html>
`.text;
}

const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
