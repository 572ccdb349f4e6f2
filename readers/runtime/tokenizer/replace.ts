/** Replacement of byte strings, leftmost and longest, the output not read again. */
import type { Replacements } from "./blobs.ts";
import { entry, Lookup } from "./lookup.ts";
import type { Sink } from "./sink.ts";

/** A step from text to text; `begins` says whether the text begins the input. */
export type Step = (text: Uint8Array, out: Sink, begins: boolean) => void;

/** The step of the kind 4 blob: whatever source is longest at a place becomes its target. */
export function replaceAll({ sources, targets }: Replacements): Step {
  const lookup = new Lookup(sources, () => true);
  return (text, out) => {
    let copied = 0;
    for (let at = 0; at < text.length;) {
      const match = lookup.longest(text, at, text.length);
      if (match === null) {
        at++;
        continue;
      }
      out.append(text, copied, at);
      out.append(entry(targets, match.index));
      at = copied = match.end;
    }
    out.append(text, copied);
  };
}

/** The step that replaces each `source` by `target`; an empty source stands nowhere. */
export function replaceOne(source: Uint8Array, target: Uint8Array): Step {
  return replaceAll({
    sources: { offsets: Uint32Array.of(0, source.length), bytes: source },
    targets: { offsets: Uint32Array.of(0, target.length), bytes: target },
  });
}
