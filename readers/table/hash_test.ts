import { assertEquals } from "@std/assert";
import { blake3 } from "@noble/hashes/blake3.js";
import { dataTest } from "../../lab/data.ts";
import { hex } from "./fields.ts";
import { SlmHash } from "./hash.ts";
import { digest, digests, fill32, ident, raw, slmHash, u16, u32, u64, utf8 } from "./testing.ts";

function pattern(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => i % 251);
}

dataTest("BLAKE3 vectors", async (data) => {
  for (const name of ["blake3_test_vectors.json", "blake3_extra.json"]) {
    const { cases } = JSON.parse(await Deno.readTextFile(new URL(`vectors/${name}`, data)));
    for (const { input_len, hash } of cases) {
      if (input_len > 2 ** 20) continue;
      assertEquals(hex(blake3(pattern(input_len))), hash.slice(0, 64));
    }
  }
});

Deno.test("SLM_HASH is that of one concatenated message, whatever the pieces", () => {
  const hash = new SlmHash(256);
  for (const length of [0, 1, 63, 64, 65, 150, 200, 255, 256, 257, 1000, 5000]) {
    const bytes = pattern(length);
    const expected = slmHash(
      "test",
      u16(7),
      raw(bytes),
      u32(2 ** 32 - 1),
      u64(2n ** 64n - 1n),
      u64(2 ** 53 - 1),
      digest(null),
      digest(fill32(3)),
      digests([fill32(1), fill32(2)]),
      ident("name"),
    );
    for (const step of [1, 7, 64, 300, 5000]) {
      hash.begin("test", 9).u16(7).open(length);
      for (let at = 0; at < length; at += step) hash.add(bytes.subarray(at, at + step));
      const actual = hash.u32(2 ** 32 - 1).u64(2n ** 64n - 1n).u64(2 ** 53 - 1).digest(null)
        .digest(fill32(3)).digests(2).add(fill32(1)).add(fill32(2)).ident(utf8("name")).end();
      assertEquals(hex(actual), hex(expected), `${length} by ${step}`);
    }
    assertEquals(bytes, pattern(length), "the caller's bytes are as before");
  }
});

Deno.test("one view twice, and views at any offset, have one hash", () => {
  const bytes = pattern(3000);
  const expected = hex(slmHash("test", raw(bytes)));
  for (const offset of [0, 1, 2, 3]) {
    const buffer = new Uint8Array(3000 + 8).fill(0xaa);
    buffer.set(bytes, offset);
    const view = buffer.subarray(offset, offset + 3000);
    for (let i = 0; i < 2; i++) {
      assertEquals(hex(new SlmHash(64).begin("test", 1).raw(view).end()), expected);
    }
  }
});
