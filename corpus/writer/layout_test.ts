import { assertEquals } from "@std/assert";
import { getField } from "./fields.ts";
import { alignUp, layOut, placeObjects, placeSections } from "./layout.ts";

const NONE = { manifest: 0, strings: 0, quant: 0, tensor: 0, blob: 0, auxiliary: 0 };

Deno.test("align_up is exact up to 2^53", () => {
  assertEquals([0, 1, 64, 65].map((x) => alignUp(x, 64)), [0, 64, 64, 128]);
  assertEquals(alignUp(2 ** 53 - 65536 - 1, 65536), 2 ** 53 - 65536);
  assertEquals(alignUp(2 ** 32 + 1, 64), 2 ** 32 + 64);
});

Deno.test("an absent section takes no place", () => {
  const { sections, end, payload_offset } = placeSections({ ...NONE, manifest: 10, blob: 96 });
  assertEquals(sections.manifest, { offset: 256, length: 10 });
  assertEquals(sections.strings, { offset: 0, length: 0 });
  assertEquals(sections.blob, { offset: 320, length: 96 });
  assertEquals([end, payload_offset], [416, 448]);
});

Deno.test("objects follow one another, each at its own alignment, beyond 2^32 too", () => {
  const GiB = 2 ** 30;
  const extents = placeObjects(448, [
    { length: 1, alignment: 64 },
    { length: 3 * GiB, alignment: 4096 },
    { length: 3 * GiB + 1, alignment: 64 },
    { length: 5, alignment: 65536 },
  ]);
  assertEquals(extents.map(({ offset }) => offset), [
    448,
    4096,
    4096 + 3 * GiB,
    alignUp(4096 + 6 * GiB + 1, 65536),
  ]);
});

Deno.test("a file without payload ends with its last section, without padding", () => {
  const sections = Object.fromEntries(
    Object.keys(NONE).map((name) => [name, new Uint8Array(name === "manifest" ? 3 : 0)]),
  ) as Parameters<typeof layOut>[1];
  const file = layOut(6, sections, 0);
  assertEquals(file.length, 259);
  assertEquals(getField(file, "header.file_size"), 259);
  assertEquals(getField(file, "header.payload_offset"), 0);
  assertEquals(getField(file, "header.tensor_record_size"), 0);
});
