/** What the writer makes of any valid description: deterministic, and laid out by the rules. */
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { getField } from "../../corpus/writer/fields.ts";
import { isWriteError } from "../../corpus/writer/fault.ts";
import { RECORDS } from "../../corpus/writer/fields.ts";
import { write, type Written } from "../../corpus/writer/write.ts";
import type { Description } from "../../corpus/writer/description.ts";
import { FAMILIES, reordered } from "./any.ts";

const RUNS = 60;

function written(description: Description): Written {
  const result = write(description);
  if (isWriteError(result)) throw new Error(`${result.code} ${result.where}: ${result.expected}`);
  return result;
}

for (const [family, arbitrary] of Object.entries(FAMILIES)) {
  Deno.test(`${family}: the order of a description never shows`, () => {
    const pairs = (arbitrary as fc.Arbitrary<Description>).chain((one) =>
      fc.tuple(fc.constant(one), reordered(one))
    );
    fc.assert(
      fc.property(pairs, ([description, other]) => {
        assertEquals(written(other), written(description));
      }),
      { numRuns: RUNS },
    );
  });

  Deno.test(`${family}: sections and objects stand where the layout rules put them`, () => {
    fc.assert(
      fc.property(arbitrary as fc.Arbitrary<Description>, (description) => {
        checkLayout(written(description).bytes, description);
      }),
      { numRuns: RUNS },
    );
  });
}

/** Sections 2 and 7.6, said again in another way: a map of which byte belongs to what. */
function checkLayout(bytes: Uint8Array, description: Description): void {
  const field = (path: string) => Number(getField(bytes, path));
  assertEquals(field("header.file_size"), bytes.length);
  const owned = new Uint8Array(bytes.length).fill(1, 0, 224);
  let end = 224;
  const own = (offset: number, length: number, alignment: number) => {
    assertEquals(offset % alignment, 0);
    assert(offset >= end && offset - end < alignment, `${offset} after ${end}`);
    owned.fill(1, offset, offset + length);
    end = offset + length;
  };
  const section = (offset: string, length: number) => {
    if (length > 0) own(field(`header.${offset}`), length, 64);
    else assertEquals(field(`header.${offset}`), 0);
  };
  section("manifest_offset", field("header.manifest_length"));
  section("string_table_offset", field("header.string_table_length"));
  for (const { offset, count, size } of Object.values(RECORDS)) {
    section(offset, field(`header.${count}`) * size);
  }
  const objects = ["tensor", "blob"].flatMap((kind) =>
    Array.from({ length: field(`header.${kind}_count`) }, (_, i) => ({
      offset: field("header.payload_offset") + field(`${kind}[${i}].payload_relative_offset`),
      length: field(`${kind}[${i}].payload_length`),
      alignment: field(`${kind}[${i}].${kind === "tensor" ? "payload_" : ""}alignment`),
    }))
  );
  assertEquals(
    objects.length,
    (description.tensors ?? []).length + (description.blobs ?? []).length,
  );
  const payload = field("header.payload_offset");
  assertEquals(payload > 0, objects.length > 0);
  if (payload > 0) own(payload, 0, 64);
  for (const { offset, length, alignment } of objects) own(offset, length, alignment);
  assertEquals(end, bytes.length);
  assertEquals(payload > 0 ? payload + field("header.payload_length") : end, bytes.length);
  assertEquals(bytes.findIndex((byte, i) => byte !== 0 && owned[i] === 0), -1);
}
