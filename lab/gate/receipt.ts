/**
 * Receipts: what only a person can say, such as that licenses were reviewed. A receipt is a
 * statement about one specification and one corpus, signed with Ed25519 (RFC 8032) by
 * someone whose key stands in `reviewers.json`.
 */
import { Ajv2020 } from "ajv/2020";
import { join } from "node:path";
import type { Standing } from "./standing.ts";
import reviewers from "./reviewers.json" with { type: "json" };

export const RECEIPT_FORMAT = "slm2-receipt/1";

export interface Receipt {
  readonly format: typeof RECEIPT_FORMAT;
  /** what it is for: the id of a piece of evidence or a stop rule */
  readonly id: string;
  readonly statement: string;
  readonly by: string;
  readonly date: string;
  readonly corpus: string;
  readonly spec: string;
  /** over the receipt as JSON without whitespace, keys in order, this one left out; hexadecimal */
  readonly signature: string;
}

/** Names to raw Ed25519 public keys in hexadecimal. */
export type Reviewers = Readonly<Record<string, string>>;

export const REVIEWERS: Reviewers = reviewers;

const PROPERTIES = {
  format: { const: RECEIPT_FORMAT },
  ...Object.fromEntries(
    ["id", "statement", "by", "date", "corpus", "spec"].map((name) => [name, { type: "string" }]),
  ),
  signature: { type: "string", pattern: "^[0-9a-f]{128}$" },
};
const validate = new Ajv2020({ strict: false }).compile<Receipt>({
  type: "object",
  additionalProperties: false,
  required: Object.keys(PROPERTIES),
  properties: PROPERTIES,
});

/** The bytes that are signed. */
function signedBytes(
  { format, id, statement, by, date, corpus, spec }: Omit<Receipt, "signature">,
): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(
    JSON.stringify({ format, id, statement, by, date, corpus, spec }),
  );
}

/** Signs a statement. @param key PKCS #8 in PEM, as `openssl genpkey -algorithm ed25519` writes it */
export async function signReceipt(
  { id, statement, by, date }: Pick<Receipt, "id" | "statement" | "by" | "date">,
  { corpus, spec }: Standing,
  key: string,
): Promise<Receipt> {
  const der = Uint8Array.fromBase64(key.replace(/-----[^-]+-----/g, "").trim());
  const secret = await crypto.subtle.importKey("pkcs8", der, "Ed25519", false, ["sign"]);
  const body = { format: RECEIPT_FORMAT, id, statement, by, date, corpus, spec } as const;
  const signature = new Uint8Array(
    await crypto.subtle.sign("Ed25519", secret, signedBytes(body)),
  ).toHex();
  return { ...body, signature };
}

/** Why there is no valid receipt for `id` in the folder, or the receipt. */
export async function findReceipt(
  folder: string,
  id: string,
  now: Standing,
  trusted: Reviewers = REVIEWERS,
): Promise<Receipt | { readonly why: string }> {
  let receipt: unknown;
  try {
    receipt = JSON.parse(Deno.readTextFileSync(join(folder, `${id}.json`)));
  } catch (error) {
    return error instanceof Deno.errors.NotFound
      ? { why: "nobody has signed it" }
      : { why: "its receipt cannot be read" };
  }
  if (!validate(receipt) || receipt.id !== id) return { why: "its receipt is none" };
  const { corpus, spec, by } = receipt;
  if (spec !== now.spec) return { why: "its receipt is of another specification" };
  if (corpus !== now.corpus) return { why: "its receipt is of another corpus" };
  if (!Object.hasOwn(trusted, by)) {
    return { why: "its receipt is signed by nobody in reviewers.json" };
  }
  const key = await crypto.subtle.importKey(
    "raw",
    Uint8Array.fromHex(trusted[by]),
    "Ed25519",
    false,
    ["verify"],
  );
  const valid = await crypto.subtle.verify(
    "Ed25519",
    key,
    Uint8Array.fromHex(receipt.signature),
    signedBytes(receipt),
  );
  return valid ? receipt : { why: "the signature of its receipt does not verify" };
}
