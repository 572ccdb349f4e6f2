/** The watchdog sees what readers do, and a planted excess is caught. */
import { assert, assertEquals } from "@std/assert";
import { PatchedTree } from "../faults/patched.ts";
import { FAULTS } from "../faults/bench.ts";
import { bounded } from "../oracle/bounded.ts";
import { growing } from "../oracle/growing.ts";
import { Observer } from "../oracle/observe.ts";
import { total } from "../oracle/total.ts";
import { putField } from "./testing.ts";
import { seedArtifacts } from "../../mutators/seeds.ts";
import type { Reader } from "../../readers/contract.ts";
import { cursor } from "../../readers/cursor/reader.ts";
import { table } from "../../readers/table/reader.ts";
import { growth } from "./growth.ts";
import { WatchedSource } from "./source.ts";

const planted = (id: string) => new PatchedTree(FAULTS.find((fault) => fault.id === id)!);

async function readerOf(tree: PatchedTree): Promise<Reader> {
  const reader = await tree.reader();
  if (reader === null) throw new Error(`${tree.fault.id} is no reader's`);
  return reader;
}

Deno.test("a source counts its reads, and how often a byte was read", () => {
  const source = new WatchedSource().show(new Uint8Array(100));
  source.read(0, new Uint8Array(10));
  source.read(5, new Uint8Array(20));
  source.read(8, new Uint8Array(1));
  assertEquals([source.reads, source.asked, source.largest], [3, 31, 20]);
  assertEquals([source.mostReads(0, 100), source.mostReads(9, 100), source.mostReads(30, 100)], [
    3,
    2,
    0,
  ]);
  assertEquals(source.outside, false);
  assertEquals(source.read(95, new Uint8Array(6)), 5);
  assertEquals(source.outside, true);
  assertEquals(source.show(new Uint8Array(1)).mostReads(0, 100), 0);
});

Deno.test("the readers stay inside every bound on good artifacts", () => {
  const observer = new Observer([cursor, table]);
  for (const bytes of seedArtifacts(2, 3)) {
    assertEquals(bounded(observer.observe(bytes, true)), null);
  }
});

Deno.test("a planted allocation of a lying count is caught, small or huge", async () => {
  using tree = planted("allocate-count");
  const observer = new Observer([await readerOf(tree)]);
  const [file] = seedArtifacts(2, 1);
  const small = putField(file, "tensor_count", 60_000);
  assertEquals(bounded(observer.observe(small))?.key, "bounded cursor early-memory");
  const huge = putField(file, "tensor_count", 2 ** 32 - 1);
  assertEquals(total(observer.observe(huge))?.class, "memory");
});

Deno.test("memory of which the allocator is not told is caught", () => {
  const hoarder: Reader = {
    ...cursor,
    read: (request) => {
      new Float64Array(2 ** 21); // 16 MiB that nobody holds
      return cursor.read(request);
    },
  };
  const [file] = seedArtifacts(2, 1);
  const finding = bounded(new Observer([hoarder]).observe(file));
  assertEquals(finding?.key, "bounded cursor untold-memory");
  assertEquals(bounded(new Observer([cursor]).observe(file)), null);
});

Deno.test("a planted third reading of payload bytes is caught", async () => {
  using tree = planted("payload-reads");
  const observer = new Observer([await readerOf(tree)]);
  const keys = seedArtifacts(2, 4).map((bytes) => bounded(observer.observe(bytes))?.key);
  assert(keys.includes("bounded cursor payload-reads"));
});

Deno.test("a planted quadratic loop is caught by growth, and the readers are not", async () => {
  using tree = planted("quadratic-strings");
  assertEquals(growing(await readerOf(tree))?.class, "hang");
  assertEquals(growing(cursor), null);
  assertEquals(growing(table), null);
});

Deno.test("growth tells linear from quadratic work by its exponent", () => {
  const pair = [{ input: 10, size: 10 }, { input: 1000, size: 1000 }] as const;
  assertEquals(growth(pair, (n) => 3 * n).exponent, 1);
  assertEquals(growth(pair, (n) => n * n).exponent, 2);
});
