/** Valid artifacts of every class: accepted, with the identities that their writer derived. */
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import type { Description } from "../../corpus/writer/description.ts";
import { isWriteError } from "../../corpus/writer/fault.ts";
import { write } from "../../corpus/writer/write.ts";
import { FAMILIES } from "../../mutators/arbitraries/any.ts";
import { memorySource } from "../source.ts";
import { cursor } from "./reader.ts";

for (const [family, arbitrary] of Object.entries(FAMILIES)) {
  Deno.test(`${family}: accepted with the writer's identities`, () => {
    fc.assert(
      fc.property(arbitrary as fc.Arbitrary<Description>, (description) => {
        const written = write(description);
        assert(!isWriteError(written));
        const { verdict } = cursor.read({ source: memorySource(written.bytes) });
        assertEquals(verdict, { verdict: "accept", identities: written.identities });
      }),
      { numRuns: 200 },
    );
  });
}
