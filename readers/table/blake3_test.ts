/** BLAKE3 of this reader against the published vectors and against another implementation. */
import { blake3 as noble } from "@noble/hashes/blake3.js";
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { dataTest } from "../../lab/data.ts";
import { Blake3, blake3 } from "./blake3.ts";

const pattern = (length: number) => Uint8Array.from({ length }, (_, i) => i % 251);

dataTest("BLAKE3: the published vectors, and longer ones", (data) => {
  let tried = 0;
  for (const name of ["blake3_test_vectors.json", "blake3_extra.json"]) {
    const text = Deno.readTextFileSync(new URL(`vectors/${name}`, data));
    const { cases } = JSON.parse(text) as { cases: { input_len: number; hash: string }[] };
    for (const { input_len, hash } of cases) {
      assertEquals(blake3(pattern(input_len)).toHex(), hash.slice(0, 64), `${input_len} bytes`);
      tried++;
    }
  }
  assertEquals(tried > 35, true);
});

Deno.test("BLAKE3: every length up to five chunks, in two parts", () => {
  const input = pattern(5 * 1024);
  const hash = new Blake3();
  for (let length = 0; length <= input.length; length += length < 130 ? 1 : 37) {
    const cut = (length * 7) % (length + 1);
    hash.update(input.subarray(0, cut)).update(input.subarray(cut, length));
    assertEquals(hash.digest(), noble(input.subarray(0, length)), `${length} bytes`);
  }
});

Deno.test("BLAKE3: any cuts, views at any offset, input unchanged", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 9000 }),
      fc.array(fc.nat(9000), { maxLength: 6 }),
      fc.nat(3),
      (bytes, cuts, shift) => {
        const buffer = new Uint8Array(bytes.length + shift);
        buffer.set(bytes, shift);
        const view = buffer.subarray(shift);
        const hash = new Blake3();
        let at = 0;
        for (const cut of [...cuts, bytes.length].sort((a, b) => a - b)) {
          hash.update(view.subarray(at, cut));
          at = Math.max(at, Math.min(cut, bytes.length));
        }
        assertEquals(hash.digest(), noble(bytes));
        assertEquals(buffer.subarray(shift), bytes);
      },
    ),
    { numRuns: 200 },
  );
});
