/** Envelopes against trust metadata (classes.md section 8): times, keys, and the signature itself. */
import { ed25519 } from "@noble/curves/ed25519.js";
import { keyId, statementDigest } from "../../corpus/writer/identity.ts";
import { parse } from "../artifact.ts";
import { at, bytes, type Node, parseTree, text, uint } from "../cbor_tree.ts";
import type { Random } from "../random.ts";
import type { Line, Request } from "../request.ts";
import { type Asker, listAt, near, objectAt, otherHash, withTree } from "./asker.ts";

/** Keys that campaigns sign with. */
const SEEDS = [1, 2, 3].map((n) => new Uint8Array(32).fill(n));
/** RFC 8032 section 5.1: the order of the group, and the field's prime. */
const L = 2n ** 252n + 27742317777372353535851937790883648493n;
const P = 2n ** 255n - 19n;
const TERMS = ["signed_at", "expires_at", "trust_epoch"] as const;
/** Half of them are no f64. */
const BORDERS = [2n ** 64n - 1n, 2n ** 63n, 2n ** 63n + 1n, 2n ** 53n, 2n ** 53n + 1n, 2 ** 53 - 1];
const TYPES = ["release/1", "evaluation/1", "release"];

const little = (n: bigint): Uint8Array =>
  Uint8Array.from({ length: 32 }, (_, i) => Number(n >> BigInt(8 * i) & 255n));
const big = (b: Uint8Array): bigint => b.reduceRight((n, byte) => n << 8n | BigInt(byte), 0n);

/** What the envelope says. */
function body({ artifacts }: Request): Node | undefined {
  return at(parseTree(parse(artifacts[0]).manifest).root, "body");
}
const numberIn = (body: Node | undefined, key: string): number =>
  Number(body ? at(body, key)?.value ?? 0 : 0);
const hexIn = (body: Node | undefined, key: string): string =>
  (body && at(body, key)?.bytes.toHex()) || "00".repeat(32);

function put(body: Node, key: string, by: Node): void {
  const there = at(body, key);
  if (there) Object.assign(there, by);
}

/** Signatures that a lenient verifier takes for good, or a strict one for bad. */
const SIGNATURES: readonly ((signature: Uint8Array, random: Random) => Uint8Array)[] = [
  // S + L: the same equation
  (s) => new Uint8Array([...s.subarray(0, 32), ...little(big(s.subarray(32)) + L)]),
  // an R that is no canonical point, or one of small order
  (s, random) => new Uint8Array([...little(P + BigInt(random.below(19))), ...s.subarray(32)]),
  (s, random) => new Uint8Array([...random.pick(SMALL), ...s.subarray(32)]),
  (s) => new Uint8Array([...s.subarray(32), ...s.subarray(0, 32)]),
  (s) => s.map((byte, i) => i === 31 || i === 63 ? byte ^ 0x80 : byte),
  (s, random) => s.with(random.below(64), random.below(256)),
  () => new Uint8Array(64),
];

/** Points of small order, canonical and not (RFC 8032; their y are 1, -1, 0, and p, p + 1). */
const SMALL = [1n, P - 1n, 0n, P, P + 1n, 1n | 1n << 255n, 1n << 255n].map(little);

/** Signs the envelope anew, by one of the campaign's keys, and trusts that key for it. */
function resign(request: Request, random: Random): boolean {
  const seed = random.pick(SEEDS);
  const public_key = ed25519.getPublicKey(seed);
  let signed = false;
  request.artifacts[0] = withTree(request.artifacts[0], (root) => {
    const body = at(root, "body");
    if (!body || !at(body, "signature")) return;
    signed = true;
    if (random.oneIn(4)) put(body, "statement_type", text(random.pick(TYPES)));
    const hash = (key: string) => at(body, key)?.bytes ?? new Uint8Array(32);
    const term = (key: typeof TERMS[number]) => at(body, key)?.value ?? 0;
    put(body, "public_key", bytes(public_key));
    put(body, "key_id", bytes(keyId(public_key)));
    const digest = statementDigest({
      statement_type: new TextDecoder().decode(hash("statement_type")),
      subject_class: numberIn(body, "subject_class") % 65536,
      subject_id: hash("subject_id"),
      subject_whole_file: hash("subject_whole_file"),
      statement_hash: hash("statement_hash"),
      signed_at: term("signed_at"),
      expires_at: term("expires_at"),
      trust_epoch: term("trust_epoch"),
    });
    const signature = ed25519.sign(digest, seed);
    const broken = random.oneIn(2) ? random.pick(SIGNATURES)(signature, random) : signature;
    put(body, "signature", bytes(broken));
    if (random.oneIn(8)) put(body, "public_key", bytes(random.pick(SMALL)));
    if (random.oneIn(8)) put(body, "key_id", bytes(keyId(hash("public_key"))));
  });
  if (signed) trusted(request);
  return signed;
}

/** Trusts the envelope's key for what it says, when it says it. */
function trusted(request: Request): void {
  const its = body(request);
  const at_ = numberIn(its, "signed_at");
  request.line.trust = {
    epoch: numberIn(its, "trust_epoch"),
    keys: [{
      key_id: hexIn(its, "key_id"),
      public_key: hexIn(its, "public_key"),
      roles: [new TextDecoder().decode(its && at(its, "statement_type")?.bytes)],
      valid_from: at_,
      valid_until: at_ + 1,
    }],
    revoked: [],
  };
  request.line.now = at_;
}

export const signatureAskers: readonly Asker[] = [
  {
    name: "signature-anew",
    reason: "a key of the campaign, and signatures that strict and lenient verifiers part on",
    op: "signature",
    ask: resign,
  },
  {
    name: "signature-terms",
    reason: "times and epochs at their borders, signed for",
    op: "signature",
    ask(request, random) {
      request.artifacts[0] = withTree(request.artifacts[0], (root) => {
        const its = at(root, "body");
        if (!its) return;
        const key = random.pick(TERMS);
        const value = random.oneIn(2)
          ? random.pick(BORDERS)
          : near(numberIn(its, random.pick(TERMS)), random);
        put(its, key, uint(value));
      });
      return resign(request, random);
    },
  },
  {
    name: "signature-now",
    reason: "a clock at either end of the signature's time",
    op: "signature",
    ask(request, random) {
      const its = body(request);
      request.line.now = near(numberIn(its, random.pick(["signed_at", "expires_at"])), random);
      return true;
    },
  },
  {
    name: "signature-key",
    reason: "a trusted key for another time or role, twice, or under another id",
    op: "signature",
    ask(request, random) {
      const its = body(request);
      const keys = listAt(objectAt(request.line, "trust"), "keys");
      if (keys.length === 0) return false;
      const i = random.below(keys.length);
      const key = { ...keys[i] as Line };
      const name = random.pick(["key_id", "public_key", "roles", "valid_from", "valid_until"]);
      if (name === "roles") key.roles = random.pick([[], ["release/1"], ["release/1", "x"], ["x"]]);
      else if (name.startsWith("valid")) key[name] = near(numberIn(its, "signed_at"), random);
      else key[name] = random.oneIn(2) ? hexIn(its, name) : otherHash(String(key[name]), random);
      if (random.oneIn(2)) keys[i] = key;
      else keys.splice(random.below(keys.length + 1), 0, key);
      return true;
    },
  },
  {
    name: "signature-no-key",
    reason: "a key less",
    op: "signature",
    ask({ line }, random) {
      const keys = listAt(objectAt(line, "trust"), "keys");
      if (keys.length === 0) return false;
      keys.splice(random.below(keys.length), 1);
      return true;
    },
  },
  {
    name: "signature-revoked",
    reason: "a key that is revoked from about the time at which it signed",
    op: "signature",
    ask(request, random) {
      const its = body(request);
      const trust = objectAt(request.line, "trust");
      const revoked = trust.revoked = listAt(trust, "revoked");
      if (revoked.length > 0 && random.oneIn(3)) {
        revoked.splice(random.below(revoked.length), 1);
        return true;
      }
      const id = hexIn(its, "key_id");
      revoked.splice(random.below(revoked.length + 1), 0, {
        key_id: random.oneIn(4) ? otherHash(id, random) : id,
        from: near(numberIn(its, "signed_at"), random),
      });
      return true;
    },
  },
  {
    name: "signature-epoch",
    reason: "trust of the epoch before and after",
    op: "signature",
    ask(request, random) {
      objectAt(request.line, "trust").epoch = near(numberIn(body(request), "trust_epoch"), random);
      return true;
    },
  },
  {
    name: "signature-subject",
    reason: "the subject of the envelope, each key of it alone, and others; its statement too",
    op: "signature",
    ask(request, random) {
      const { line } = request;
      const its = body(request);
      const subject = objectAt(line, "subject");
      const hash = (key: string) =>
        random.oneIn(2) ? hexIn(its, key) : otherHash(hexIn(its, key), random);
      switch (random.below(5)) {
        case 0:
          subject.class = near(numberIn(its, "subject_class"), random);
          break;
        case 1:
          subject.artifact_id = hash("subject_id");
          break;
        case 2:
          subject.whole_file = hash("subject_whole_file");
          break;
        case 3:
          line.statement = hash("statement_hash");
          break;
        default:
          delete line.subject;
          delete line.statement;
      }
      return true;
    },
  },
];
