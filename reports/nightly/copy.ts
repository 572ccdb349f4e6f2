/**
 * A command with a button that copies it. The page's one script does that and nothing else; its
 * policy names it by its hash, so no other script can run. It asks no network, and where scripts
 * are off there is no button.
 */
import { createHash } from "node:crypto";
import { type Markup, markup } from "../markup.ts";

/** Without a secure context there is no clipboard, but a selection can still be copied. */
export const COPY_SCRIPT = `for (const button of document.querySelectorAll("button.copy")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const text = button.previousElementSibling;
    const done = await navigator.clipboard?.writeText(text.textContent).then(() => true, () => false);
    if (!done) {
      getSelection().selectAllChildren(text);
      document.execCommand("copy");
    }
    button.textContent = "Copied";
    setTimeout(() => button.textContent = "Copy", 2000);
  });
}
`;

/** What the policy of the page lets run. */
export const COPY_POLICY = `'sha256-${createHash("sha256").update(COPY_SCRIPT).digest("base64")}'`;

export function command(text: string): Markup {
  return markup`<div class="command"><code>${text}</code><button type="button" class="copy" title="${text}" aria-live="polite" hidden>Copy</button></div>`;
}
