/** Whatever the bytes: no throw, and a verdict that the tables of section 8 know. */
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { isWriteError } from "../../corpus/writer/fault.ts";
import { write } from "../../corpus/writer/write.ts";
import { anyDescription } from "../../mutators/arbitraries/any.ts";
import { CODES, type Stage } from "../contract.ts";
import { memorySource } from "../source.ts";
import { cursor } from "./reader.ts";

/** Numbers that sit at borders, little-endian in 8 bytes. */
const BORDERS = [0n, 1n, 2n ** 31n, 2n ** 32n - 1n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 64n - 1n];

const edit = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  bytes: fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 4 }),
    fc.constantFrom(...BORDERS).map((n) => new Uint8Array(BigUint64Array.of(n).buffer)),
  ),
});

Deno.test("total: mutated files get a verdict that there is, the same one twice", () => {
  fc.assert(
    fc.property(
      anyDescription,
      fc.array(edit, { minLength: 1, maxLength: 4 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.boolean(),
      (description, edits, cut, resolves) => {
        const written = write(description);
        assert(!isWriteError(written));
        const file = written.bytes.slice(0, cut < 0.9 ? undefined : cut * written.bytes.length);
        for (const { at, bytes } of edits) {
          // Most edits go where structure is.
          const end = Math.min(file.length, at < 0.5 ? 256 : Infinity);
          const offset = Math.max(0, Math.floor(at * end) - bytes.length);
          file.set(bytes.subarray(0, file.length - offset), offset);
        }
        const source = memorySource(file);
        const resolve = resolves ? [{ source }] : undefined;
        const { verdict } = cursor.read({ source, resolve });
        assertEquals(cursor.read({ source, resolve }).verdict, verdict);
        if (verdict.verdict === "accept") return;
        const stages: readonly Stage[] = CODES[verdict.code];
        assert(stages.includes(verdict.stage), `${verdict.code} at stage ${verdict.stage}`);
        assert(verdict.offset === undefined || verdict.offset <= 2 ** 53);
      },
    ),
    { numRuns: 2000 },
  );
});
