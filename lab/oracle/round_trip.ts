/**
 * Oracle: an accepted tokenizer loads or is refused by a value, encodes any text or says why not,
 * and gives back what it took wherever its own steps lose nothing (classes.md section 4).
 */
import type { Candidate, Value } from "../../readers/contract.ts";
import type { Tokenizer } from "../../readers/runtime/tokenizer/tokenizer.ts";
import { clause } from "./clauses.ts";
import type { Oracle } from "./oracle.ts";
import { onAccepted, type RuntimeFlaw, type RuntimeParts } from "./runtime.ts";
import { throwPlace } from "./total.ts";

const TOKENIZER = 4;
/** The blob that replaces text before anything else. */
const NORMALIZER = 4;

const utf8 = new TextEncoder();

/** What trips splits, merges, fallback and streams. */
const TEXTS = [
  "",
  " ",
  "a",
  "ab ba  ab",
  "Hello, world! it's 12345",
  "e\u0301 \u00e9 \u{1f680}\u0000\ufeff",
  "\u4e00\u1100\u1161 \u0130\u03a3",
  "<s>[end]\n\t ",
];

export const roundTrip = ({ loadTokenizer }: Pick<RuntimeParts, "loadTokenizer">): Oracle =>
  onAccepted("round-trip", [TOKENIZER], throwPlace, ({ candidate, blobs }) => {
    const tokenizer = loadTokenizer(candidate, blobs);
    if ("error" in tokenizer) return null; // a runtime may have bounds of its own
    const lossless = losesNothing(candidate);
    const own = Array.from(
      { length: Math.min(tokenizer.vocabSize, 4) },
      (_, id) => tokenizer.token(id),
    );
    for (const text of [...TEXTS, ...own.flatMap(textOf)]) {
      const flaw = flawOf(tokenizer, text, lossless);
      if (flaw) return flaw;
    }
    return null;
  });

const textOf = (bytes: Uint8Array): string[] => {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  return utf8.encode(text).length === bytes.length ? [text] : [];
};

function flawOf(tokenizer: Tokenizer, text: string, lossless: boolean): RuntimeFlaw | null {
  const flaw = (what: string, decides: string, detail: string): RuntimeFlaw => ({
    what,
    class: "disagreement",
    detail: `${JSON.stringify(text)}: ${detail}`,
    clause: clause(decides),
  });
  const ids = tokenizer.encode(text, { special: false, content: true });
  if ("error" in ids) return null;
  const over = ids.find((id) => id >= tokenizer.vocabSize);
  if (over !== undefined) return flaw("id", "classes-4-55", `id ${over} of ${tokenizer.vocabSize}`);
  const whole = tokenizer.decodeText(ids, { special: true });
  const stream = tokenizer.stream({ special: true });
  const streamed = Array.from(ids, (id) => stream.push(id)).join("") + stream.end();
  if (streamed !== whole) return flaw("stream", "classes-4-58", `${streamed} for ${whole}`);
  if (!lossless || whole === text) return null;
  return flaw("text", "classes-4-55", `comes back as ${JSON.stringify(whole)}`);
}

/** Whether no step on the way in or out drops or changes anything, by the manifest alone. */
function losesNothing({ manifest, blobs }: Candidate): boolean {
  const body = manifest.get("body") as ReadonlyMap<string, Value>;
  const list = (key: string) => body.get(key) as readonly Value[];
  const unknown = body.get("unknown") as ReadonlyMap<string, Value>;
  return list("normalizer").length === 0 && !blobs.some(({ kind }) => kind === NORMALIZER) &&
    list("pretokenizer").every((op) => (op as readonly Value[])[0] !== "whitespace-split") &&
    list("decoder").every((step) =>
      step !== "strip-space-marker" && step !== "wordpiece-cleanup"
    ) &&
    body.get("space_marker") === null && body.get("added_prefix_space") === false &&
    unknown.get("policy") !== "token";
}
