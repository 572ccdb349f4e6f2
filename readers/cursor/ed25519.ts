/**
 * Ed25519 verification (RFC 8032 section 5.1), as strict as `classes.md` section 8 asks:
 * canonical A and R, S < L, A not of small order, the cofactorless equation. It holds no
 * secrets, so it takes no care of time.
 */
import { equalBytes } from "./bytes.ts";
import { sha512 } from "./sha512.ts";

const P = 2n ** 255n - 19n;
const L = 2n ** 252n + 27742317777372353535851937790883648493n;

const mod = (x: bigint) => ((x % P) + P) % P;

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let e = exponent; e > 0n; e >>= 1n) {
    if (e & 1n) result = mod(result * base);
    base = mod(base * base);
  }
  return result;
}

const invert = (x: bigint) => power(x, P - 2n);

const D = mod(-121665n * invert(121666n));
const SQRT_MINUS_1 = power(2n, (P - 1n) / 4n);

/** Extended coordinates (5.1.4): x = X/Z, y = Y/Z, xy = T/Z. */
interface Point {
  readonly x: bigint;
  readonly y: bigint;
  readonly z: bigint;
  readonly t: bigint;
}

const IDENTITY: Point = { x: 0n, y: 1n, z: 1n, t: 0n };

/** 5.1.4; complete, so it also doubles. */
function add(p: Point, q: Point): Point {
  const a = mod((p.y - p.x) * (q.y - q.x));
  const b = mod((p.y + p.x) * (q.y + q.x));
  const c = mod(2n * D * p.t * q.t);
  const d = mod(2n * p.z * q.z);
  const [e, f, g, h] = [b - a, d - c, d + c, b + a];
  return { x: mod(e * f), y: mod(g * h), z: mod(f * g), t: mod(e * h) };
}

function multiply(n: bigint, point: Point): Point {
  let result = IDENTITY;
  for (let q = point; n > 0n; n >>= 1n, q = add(q, q)) if (n & 1n) result = add(result, q);
  return result;
}

const negate = (p: Point): Point => ({ ...p, x: mod(-p.x), t: mod(-p.t) });

function littleEndian(bytes: Uint8Array): bigint {
  return bytes.reduceRight((sum, byte) => sum << 8n | BigInt(byte), 0n);
}

/** 5.1.3: the point that 32 bytes encode, or null where none has this encoding. */
function decode(bytes: Uint8Array): Point | null {
  const encoded = littleEndian(bytes);
  const sign = encoded >> 255n;
  const y = encoded & (2n ** 255n - 1n);
  if (y >= P) return null;
  const [u, v] = [mod(y * y - 1n), mod(D * y * y + 1n)];
  let x = mod(u * v ** 3n) * power(mod(u * v ** 7n), (P - 5n) / 8n) % P;
  if (mod(v * x * x) === mod(-u)) x = mod(x * SQRT_MINUS_1);
  if (mod(v * x * x) !== u) return null;
  if (x === 0n && sign === 1n) return null;
  if ((x & 1n) !== sign) x = mod(-x);
  return { x, y, z: 1n, t: mod(x * y) };
}

/** 5.1.2 */
function encode(p: Point): Uint8Array {
  const z = invert(p.z);
  let rest = mod(p.y * z) | (mod(p.x * z) & 1n) << 255n;
  return Uint8Array.from({ length: 32 }, () => {
    const byte = Number(rest & 0xffn);
    rest >>= 8n;
    return byte;
  });
}

const isIdentity = (p: Point) => p.x === 0n && p.y === p.z;

const BASE_Y = mod(4n * invert(5n));
const BASE = decode(encode({ x: 0n, y: BASE_Y, z: 1n, t: 0n }));

/**
 * Whether `signature` is one of `message` under `publicKey`.
 *
 * @param signature 64 bytes: R, then S
 * @param publicKey 32 bytes
 */
export function verifyEd25519(
  signature: Uint8Array,
  message: Uint8Array,
  publicKey: Uint8Array,
): boolean {
  if (signature.length !== 64 || publicKey.length !== 32 || BASE === null) return false;
  const r = signature.subarray(0, 32);
  const s = littleEndian(signature.subarray(32));
  const a = decode(publicKey);
  if (s >= L || a === null || isIdentity(multiply(8n, a))) return false;
  const k = littleEndian(sha512(Uint8Array.of(...r, ...publicKey, ...message))) % L;
  // [S]B - [k]A has one encoding: a point that is not R, or R encoded otherwise, differs.
  return equalBytes(encode(add(multiply(s, BASE), negate(multiply(k, a)))), r);
}
