/** Oracle: the runtime's ids of a text are those of the plain tokenizer, or both refuse it. */
import { clause } from "./clauses.ts";
import type { Oracle } from "./oracle.ts";
import { DECIDES, decidingSteps } from "./plain/deciding.ts";
import { type PlainIds, plainIds, type PlainOptions } from "./plain/encode.ts";
import { isSettled } from "./plain/ops.ts";
import { bytesOf, type PlainParts, plainParts, textOf } from "./plain/parts.ts";
import { shown } from "./plain/shown.ts";
import { type Accepted, onAccepted, type RuntimeFlaw, type RuntimeParts } from "./runtime.ts";
import { throwPlace } from "./total.ts";

const TOKENIZER = 4;
/** Tokenizers with more of these are not asked: plain steps take too long. */
const MOST_TOKENS = 4096, MOST_OPS = 32, MOST_PAIRS = 256;
/** Own words that texts are made of, and the bytes of the longest of them. */
const OWN = 6, LONGEST_OWN = 16;

/** What trips splits, ops, merges and fallback. */
const TEXTS = [
  "",
  "ababbaabbbab",
  "ab ba  ab\u3000\u3000a\u2003\u2028b \u0085\u00a0 a\tb\r\n",
  "They're he'll'd 's I'D it'S don't've'm'v 1234567 \u0661\u0664\u0662x\u00bd_a-b.!",
  "e\u0301 \u00e9\u00c9 \u{1f680}\u{1f680}\u0000\ufeff\n\t  \u4e00\u4e01",
  "\u1100\u1161 \u0130\u03a3\u03c3 \ufb01\uff21 $<=>?@[\\^`{|}~\u00bf",
];

type Parts = Pick<RuntimeParts, "loadTokenizer">;

interface Difference {
  readonly text: string;
  readonly plain: PlainIds;
  readonly runtime: PlainIds;
}

export const sameIds = ({ loadTokenizer }: Parts): Oracle =>
  onAccepted(
    "same-ids",
    [TOKENIZER],
    throwPlace,
    (accepted) => flawOf(loadTokenizer, accepted) ?? flawOf(loadTokenizer, shown(accepted)),
  );

function flawOf(
  loadTokenizer: Parts["loadTokenizer"],
  accepted: Accepted | null,
): RuntimeFlaw | null {
  const found = accepted && difference(loadTokenizer, accepted);
  if (!found) return null;
  const steps = decidingSteps(accepted, (one) => difference(loadTokenizer, one) !== null);
  const { text, plain, runtime } = found;
  return {
    what: steps.join(" "),
    class: "disagreement",
    detail: `${JSON.stringify(text)}: ${told(runtime)}, plainly ${told(plain)}`,
    clause: clause(DECIDES[steps[0]]),
  };
}

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
  const { normalizer, pretokenizer, replacements } = parts;
  if (normalizer.length + pretokenizer.length > MOST_OPS) return null;
  if (replacements.length > MOST_PAIRS) return null;
  const { added, bos, eos } = parts;
  const asks: PlainOptions[] = [{ special: false, content: true }];
  if (added.length > 0 || bos.auto || eos.auto) asks.push({ special: true, content: false });
  for (const text of [...TEXTS, ...ownTexts(parts)]) {
    for (const options of asks) {
      const ids = tokenizer.encode(text, options);
      if ("error" in ids && ids.error === "TooLarge") continue;
      const runtime = "error" in ids ? null : Array.from(ids);
      const plain = plainIds(parts, text, options);
      if (plain !== "no opinion" && plain?.join() !== runtime?.join()) {
        return { text, plain, runtime };
      }
    }
  }
  return null;
}

/** Texts of what ops look for and of tokens: with something or nothing between, and each twice. */
function ownTexts({ normalizer, replacements, entries }: PlainParts): string[] {
  const operands = normalizer.flatMap(([, operand]) =>
    typeof operand === "string" ? [bytesOf(operand)] : []
  );
  const own: string[] = [];
  for (const bytes of [...operands, ...replacements.map(([source]) => source), ...entries]) {
    if (own.length === OWN) break;
    const text = bytes.length <= LONGEST_OWN ? textOf(bytes) : null;
    if (text && isSettled(text)) own.push(text);
  }
  return ["", " ", "-", "\u3000"].map((between) => own.join(between))
    .concat(own.map((text) => text + text).join(""));
}
