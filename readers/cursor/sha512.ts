/** SHA-512 (FIPS 180-4), for the few hundred bytes of a signature. */

const WORD = 64;
const BLOCK = 128;
const ROUNDS = 80;

const mod = (x: bigint) => BigInt.asUintN(WORD, x);
const rotr = (x: bigint, n: bigint) => mod(x >> n | x << (64n - n));

/** The greatest integer whose `power`-th power is at most `x`. */
function root(x: bigint, power: bigint): bigint {
  let low = 0n;
  let high = x + 1n;
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (middle ** power <= x) low = middle;
    else high = middle;
  }
  return low;
}

const PRIMES: readonly bigint[] = (() => {
  const primes: bigint[] = [];
  for (let n = 2n; primes.length < ROUNDS; n++) {
    if (primes.every((p) => n % p !== 0n)) primes.push(n);
  }
  return primes;
})();

/** 4.2.3: the first 64 bits of the fractional parts of the cube roots of 80 primes. */
const K = PRIMES.map((p) => mod(root(p << 192n, 3n)));
/** 5.3.5: the same of the square roots of the first eight. */
const INITIAL = PRIMES.slice(0, 8).map((p) => mod(root(p << 128n, 2n)));

function compress(state: bigint[], block: DataView): bigint[] {
  const w: bigint[] = [];
  for (let t = 0; t < 16; t++) w.push(block.getBigUint64(8 * t));
  for (let t = 16; t < ROUNDS; t++) {
    const [a, b] = [w[t - 15], w[t - 2]];
    const s0 = rotr(a, 1n) ^ rotr(a, 8n) ^ a >> 7n;
    const s1 = rotr(b, 19n) ^ rotr(b, 61n) ^ b >> 6n;
    w.push(mod(s1 + w[t - 7] + s0 + w[t - 16]));
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let t = 0; t < ROUNDS; t++) {
    const s1 = rotr(e, 14n) ^ rotr(e, 18n) ^ rotr(e, 41n);
    const t1 = h + s1 + (e & f ^ mod(~e) & g) + K[t] + w[t];
    const s0 = rotr(a, 28n) ^ rotr(a, 34n) ^ rotr(a, 39n);
    const t2 = s0 + (a & b ^ a & c ^ b & c);
    [a, b, c, d, e, f, g, h] = [mod(t1 + t2), a, b, c, mod(d + t1), e, f, g];
  }
  return [a, b, c, d, e, f, g, h].map((word, i) => mod(word + state[i]));
}

/** The 64 bytes of SHA-512 of `message`. */
export function sha512(message: Uint8Array): Uint8Array {
  const padded = new Uint8Array(Math.ceil((message.length + 17) / BLOCK) * BLOCK);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, BigInt(message.length) * 8n);
  let state = [...INITIAL];
  for (let at = 0; at < padded.length; at += BLOCK) {
    state = compress(state, new DataView(padded.buffer, at, BLOCK));
  }
  const digest = new DataView(new ArrayBuffer(64));
  state.forEach((word, i) => digest.setBigUint64(8 * i, word));
  return new Uint8Array(digest.buffer);
}
