/** Patches: whatever two files are, the patch between them makes one of the other. */
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { applyPatch } from "./index.ts";
import { diff } from "./patch.ts";

Deno.test("a patch makes the child of the parent", () => {
  const bytes = fc.uint8Array({ maxLength: 600, max: 3 });
  fc.assert(fc.property(bytes, bytes, (parent, child) => {
    assertEquals(applyPatch(parent, diff(parent, child)), child as Uint8Array<ArrayBuffer>);
  }));
});

Deno.test("equal files have an empty patch", () => {
  const file = new Uint8Array(500).fill(7);
  assertEquals(diff(file, file.slice()), []);
});

Deno.test("a byte that comes in costs little, wherever it stands", () => {
  const parent = Uint8Array.from({ length: 2000 }, (_, i) => i * 7 % 251);
  const child = new Uint8Array([...parent.subarray(0, 1000), 9, ...parent.subarray(1000)]);
  const patch = diff(parent, child);
  assertEquals(applyPatch(parent, patch), child);
  assert(JSON.stringify(patch).length < 100);
});
