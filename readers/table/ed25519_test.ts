import { assertEquals } from "@std/assert";
import { ed25519 } from "@noble/curves/ed25519.js";
import { dataTest } from "../../lab/data.ts";
import { verify } from "./ed25519.ts";
import { concat, fromHex, le, utf8 } from "./testing.ts";

dataTest("Wycheproof Ed25519", async (data) => {
  const file = new URL("vectors/ed25519_wycheproof.json", data);
  const { testGroups, numberOfTests } = JSON.parse(await Deno.readTextFile(file));
  let count = 0;
  for (const { publicKey, tests } of testGroups) {
    for (const { msg, sig, result, comment, tcId } of tests) {
      const isValid = verify(fromHex(publicKey.pk), fromHex(msg), fromHex(sig));
      assertEquals(isValid, result === "valid", `${tcId} ${comment}`);
      count++;
    }
  }
  assertEquals(count, numberOfTests);
});

const L = 2n ** 252n + 27742317777372353535851937790883648493n;
function le32(n: bigint): Uint8Array {
  return concat(...[0n, 64n, 128n, 192n].map((shift) => le((n >> shift) & (2n ** 64n - 1n), 8)));
}

Deno.test("classes.md section 8: one encoding, no cofactor, no small-order key", () => {
  const secret = new Uint8Array(32).fill(7);
  const key = ed25519.getPublicKey(secret);
  const message = utf8("statement");
  const signature = ed25519.sign(message, secret);
  assertEquals(verify(key, message, signature), true);

  const s = signature.slice(32).reduceRight((n, byte) => n << 8n | BigInt(byte), 0n);
  const shifted = concat(signature.subarray(0, 32), le32(s + L));
  assertEquals(verify(key, message, shifted), false, "S + L");

  // A key with a torsion component, and a signature that only the cofactor equation accepts.
  const torsion = ed25519.Point.fromHex(
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  );
  assertEquals(torsion.isSmallOrder(), true);
  const mixed = ed25519.Point.fromBytes(key).add(torsion).toBytes();
  const zero = new Uint8Array(32);
  const identity = ed25519.Point.ZERO.toBytes();
  assertEquals(verify(torsion.toBytes(), message, concat(identity, zero)), false, "small order A");
  const rejected = Array.from({ length: 64 }, (_, i) => verify(mixed, utf8(`m${i}`), signature));
  assertEquals(rejected.includes(true), false);
  // y = p + 1 encodes the identity a second way
  const noncanonical = le32(2n ** 255n - 19n + 1n);
  assertEquals(verify(noncanonical, message, concat(identity, zero)), false, "A not canonical");
});
