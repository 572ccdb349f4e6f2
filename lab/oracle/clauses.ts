/** Which sentence of the specification a verdict stands on, and in which order checks run. */
import table from "../../corpus/spec/clauses.json" with { type: "json" };
import { HEADER, RECORDS } from "../../corpus/writer/fields.ts";
import { getU64 } from "../../mutators/bytes.ts";
import type { Reject } from "../../readers/contract.ts";

/** A sentence and its stable id. */
export interface Clause {
  readonly id: string;
  readonly text: string;
}

const CLAUSES: readonly Clause[] = Object.entries(table).map(([id, text]) => ({ id, text }));

/** Sections whose sentences hold the codes of a stage, where it is not `slm2-8.STAGE`. */
const ELSEWHERE: { readonly [stage: number]: readonly string[] } = {
  17: ["slm2-5-"],
  18: ["classes-1-", "slm2-8.18-", "classes-4-", "classes-5-"],
  25: ["slm2-8.25-", "classes-6-", "classes-3-"],
  27: ["classes-7-", "slm2-8.27-"],
  28: ["classes-8-", "slm2-8.28-"],
};

/** Of the sentences on a code, the one that decides where nothing speaks for another. */
const GENERAL: { readonly [check: string]: string } = {
  "17 CborTruncated": "slm2-5-9",
  "18 BadValue": "classes-1-5",
  "18 UnsortedSet": "classes-1-9",
  "18 WrongType": "classes-1-4",
  "23 AuxFieldInvalid": "slm2-8.23-2",
  "26 BlobContent": "slm2-8.26-3",
  "28 SignatureInvalid": "classes-8-37",
};

/** A clause by its id. @throws RangeError where there is none: ids never go away */
export function clause(id: string): Clause {
  const text = (table as Record<string, string>)[id];
  if (text === undefined) throw new RangeError(`no clause ${id}`);
  return { id, text };
}

/** Sentences that hold the codes of a stage, in the order of the text. */
const sentencesOf = (stage: number): Clause[] =>
  (ELSEWHERE[stage] ?? [`slm2-8.${stage}-`])
    .flatMap((prefix) => CLAUSES.filter(({ id }) => id.startsWith(prefix)));

const names = ({ text }: Clause, code: string): boolean => text.includes(`\`${code}\``);

/** What a reader says where one sentence decides that may share no word with it. */
const SPEAKING: readonly (readonly [check: string, expected: RegExp, id: string])[] = [
  ["17 CborTruncated", /^an argument/, "slm2-5-16"],
  ["18 BadValue", /instruction/, "classes-5-11"],
  ["18 BadValue", /\bop\b|operand|^a name first/, "classes-4-17"],
  ["18 BadValue", /id below vocab_size/, "classes-4-22"],
  ["18 BadValue", /^no such dependency|^subject\b/, "classes-1-38"],
  ["18 BadValue", /of class \d/, "classes-1-35"],
  ["18 UnsortedSet", /extension/, "classes-1-26"],
  ["26 BlobContent", /needs/, "slm2-8.26-4"],
];

/** What is common to every sentence of its kind, and so tells none from another. */
const COMMON = new Set(
  wordsOf("a an and at in it its of on or that the then to with is are not no"),
);

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[a-z]{2,}|[0-9]+/g) ?? [];
}

/**
 * The sentence that a rejection stands on; null where none names its code. Of several, the one that
 * shares most words with what the reader expected there, and the general one unless others share
 * more than a word.
 */
export function clauseOf({ stage, code, expected = "" }: Reject): Clause | null {
  const check = `${stage} ${code}`;
  const spoken = SPEAKING.find(([at, words]) => at === check && words.test(expected));
  if (spoken) return clause(spoken[2]);
  const general = GENERAL[check];
  const sentences = sentencesOf(stage).filter((one) => names(one, code));
  const words = new Set(wordsOf(expected).filter((word) => !COMMON.has(word)));
  let best = general === undefined ? sentences.at(0) ?? null : clause(general);
  let most = general === undefined ? 0 : 1;
  for (const one of sentences) {
    const shared = new Set(wordsOf(one.text).filter((word) => words.has(word))).size;
    if (shared > most) [best, most] = [one, shared];
  }
  return best;
}

interface Check {
  readonly clause: Clause;
  /** place of the check among those of its stage */
  readonly order: number;
}

const checks = new Map<string, Check | null>();

/** The sentence that names `code` at `stage`, and how early its check runs; null where none does. */
export function checkOf(stage: number, code: string): Check | null {
  const key = `${stage} ${code}`;
  let found = checks.get(key);
  if (found === undefined) {
    const sentences = sentencesOf(stage);
    const index = sentences.findIndex((one) => names(one, code));
    found = index < 0 ? null : {
      clause: sentences[index],
      order: index + sentences[index].text.indexOf(`\`${code}\``) / 2 ** 16,
    };
    checks.set(key, found);
  }
  return found;
}

/** Sections of records: there, all checks of one run before the next. */
const RECORD_TABLES: { readonly [section: string]: typeof RECORDS[keyof typeof RECORDS] } = {
  quant: RECORDS.quant,
  tensors: RECORDS.tensor,
  blobs: RECORDS.blob,
};
const TABLE_STAGES: readonly number[] = [20, 21, 22];

/** Where all checks of one item run before the next one is read (section 5). */
const MANIFEST_ENCODING = 17;

/**
 * Which of two rejections is of the earlier check: by stage, then by record or item, then in the
 * order of the text. Negative where it is `a`.
 * @param file what is rejected: it says where its tables begin
 */
export function earlier(a: Reject, b: Reject, file: Uint8Array): number {
  if (a.stage !== b.stage) return a.stage - b.stage;
  if (a.stage === MANIFEST_ENCODING && a.offset !== undefined && b.offset !== undefined) {
    if (a.offset !== b.offset) return a.offset - b.offset;
  }
  const table = a.section === b.section ? RECORD_TABLES[a.section] : undefined;
  if (table && TABLE_STAGES.includes(a.stage)) {
    const start = getU64(file, HEADER[table.offset][0]);
    const record = ({ offset = 0 }: Reject) => Math.floor((offset - start) / table.size);
    if (record(a) !== record(b)) return record(a) - record(b);
  }
  return (checkOf(a.stage, a.code)?.order ?? Infinity) -
    (checkOf(b.stage, b.code)?.order ?? Infinity);
}
