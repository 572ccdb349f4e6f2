/** Oracle: the runtime's ids of a text are those of the plain tokenizer, or both refuse it. */
import { clause } from "./clauses.ts";
import type { Oracle } from "./oracle.ts";
import { DECIDES, decidingSteps } from "./plain/deciding.ts";
import { plainIds, type PlainIds, type PlainOptions } from "./plain/encode.ts";
import { isSettled } from "./plain/ops.ts";
import { plainParts } from "./plain/parts.ts";
import { type Accepted, onAccepted, type RuntimeParts } from "./runtime.ts";
import { throwPlace } from "./total.ts";

const TOKENIZER = 4;
/** Tokenizers with more tokens are not asked: they take too long. */
const MOST_TOKENS = 4096;
/** Own tokens that texts are made of, and the bytes of the longest of them. */
const OWN = 6, LONGEST_OWN = 16;

/** What trips splits, ops, merges and fallback. */
const TEXTS = [
  "",
  "ab ba  ab\u3000\u3000a\u2003\u2028b \u0085\u00a0 ",
  "They're he'll 's I'D don't'v 1234567 \u0661\u0664\u0662x\u00bd_a-b.!",
  "e\u0301 \u00e9\u00c9 \u{1f680}\u{1f680}\u0000\ufeff\n\t  \u4e00\u4e01",
  "\u1100\u1161 \u0130\u03a3\u03c3 \ufb01\uff21",
];

type Parts = Pick<RuntimeParts, "loadTokenizer">;

interface Difference {
  readonly text: string;
  readonly plain: PlainIds;
  readonly runtime: PlainIds;
}

export const sameIds = ({ loadTokenizer }: Parts): Oracle =>
  onAccepted("same-ids", [TOKENIZER], throwPlace, (accepted) => {
    const found = difference(loadTokenizer, accepted);
    if (found === null) return null;
    const steps = decidingSteps(accepted, (one) => difference(loadTokenizer, one) !== null);
    const { text, plain, runtime } = found;
    return {
      what: steps.join(" "),
      class: "disagreement",
      detail: `${JSON.stringify(text)}: ${told(runtime)}, plainly ${told(plain)}`,
      clause: clause(DECIDES[steps[0]]),
    };
  });

const told = (ids: PlainIds): string => ids === null ? "refused" : `[${ids}]`;

/** The first text on which the two part. */
function difference(
  loadTokenizer: Parts["loadTokenizer"],
  { candidate, blobs }: Accepted,
): Difference | null {
  const tokenizer = loadTokenizer(candidate, blobs);
  if ("error" in tokenizer) return null; // a runtime may have bounds of its own
  if (tokenizer.vocabSize > MOST_TOKENS) return null;
  const parts = plainParts(candidate, blobs);
  const asks: readonly PlainOptions[] = [
    { special: false, content: true },
    { special: true, content: false },
  ];
  for (const text of [...TEXTS, ...ownTexts(tokenizer)]) {
    for (const options of asks) {
      const ids = tokenizer.encode(text, options);
      if ("error" in ids && ids.error === "TooLarge") continue;
      const runtime = "error" in ids ? null : Array.from(ids);
      const plain = plainIds(parts, text, options);
      if (plain !== "unsettled" && plain?.join() !== runtime?.join()) {
        return { text, plain, runtime };
      }
    }
  }
  return null;
}

/** Texts of the tokenizer's own tokens: of each twice, of two with something between, of all. */
function ownTexts({ vocabSize, token }: { vocabSize: number; token(id: number): Uint8Array }) {
  const own: string[] = [];
  for (let id = 0; id < vocabSize && own.length < OWN; id++) {
    const bytes = token(id);
    if (bytes.length === 0 || bytes.length > LONGEST_OWN) continue;
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
    if (!text.includes("\ufffd") && isSettled(text)) own.push(text);
  }
  return [own.join(" "), own.map((text) => text + text).join(""), own.join("-"), own.join("\u3000")];
}
