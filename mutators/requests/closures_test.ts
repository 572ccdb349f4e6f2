/** What a campaign begins with, of closures: each is accepted by both readers, and small. */
import { assert, assertEquals } from "@std/assert";
import { cursor } from "../../readers/cursor/reader.ts";
import { memorySource } from "../../readers/source.ts";
import { table } from "../../readers/table/reader.ts";
import { parseRequest, sortOf } from "../request.ts";
import { seedClosures } from "./closures.ts";

Deno.test("closures to begin with are accepted by both readers", () => {
  const sorts = new Set<string>();
  for (const file of seedClosures()) {
    assert(file.length < 8192, `${file.length} bytes`);
    const { artifacts: [main, ...others] } = parseRequest(file)!;
    const resolve = others.map((one) => ({ source: memorySource(one) }));
    for (const reader of [cursor, table]) {
      const { verdict } = reader.read({ source: memorySource(main), resolve });
      assertEquals(verdict.verdict, "accept", JSON.stringify(verdict));
    }
    sorts.add(sortOf(file));
  }
  assertEquals(sorts, new Set(["read 3,2", "read 6,2,4,3", "read 6,2,4,5,3,3"]));
});
