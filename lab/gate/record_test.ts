/** A record counts only unedited, and only for just what it was made of. */
import { assertEquals, assertMatch } from "@std/assert";
import fc from "fast-check";
import { findRecord, keepRecord, parseRecord, seal } from "./record.ts";
import type { Standing } from "./standing.ts";
import { NOW, recordOf, withFolder } from "./testing.ts";

const why = (folder: string, part: string, now = NOW) => {
  const found = findRecord(folder, part, now);
  return "why" in found ? found.why : "found";
};

Deno.test("a record is found for what it was made of, and for nothing else", () =>
  withFolder((folder) => {
    assertMatch(why(folder, "fuzz"), /^no record of 'fuzz'/);
    keepRecord(folder, recordOf("fuzz", { executions: 7 }));
    assertEquals(why(folder, "fuzz"), "found");
    const others: [Partial<Standing>, RegExp][] = [
      [{ commit: "d".repeat(40) }, /is stale: is of commit cccccccccccc/],
      [{ corpus: "b".repeat(64) }, /is stale: is of corpus/],
      [{ spec: "6".repeat(64) }, /is of another specification/],
      [{ tools: { deno: "3.0.0" } }, /is of another deno/],
      [{ tools: { ...NOW.tools, lock: "1" } }, /is of another lock/],
      [{ clean: false }, /the tree has changes/],
    ];
    for (const [change, expected] of others) {
      assertMatch(why(folder, "fuzz", { ...NOW, ...change }), expected);
    }
    keepRecord(folder, recordOf("fuzz", {}, { ...NOW, clean: false }));
    assertMatch(why(folder, "fuzz"), /of a tree with changes/);
  }));

Deno.test("any edit of a record shows", () => {
  const text = JSON.stringify(recordOf("fuzz", { executions: 7, findings: 1 }));
  fc.assert(fc.property(
    fc.nat(text.length - 1),
    fc.constantFrom(..."0123456789abcdefz"),
    (at, sign) => {
      fc.pre(text[at] !== sign);
      const parsed = parseRecord(text.slice(0, at) + sign + text.slice(at + 1));
      assertEquals("fault" in parsed, true);
    },
  ));
});

Deno.test("a record under another part's name is none", () =>
  withFolder((folder) => {
    keepRecord(folder, recordOf("bench"));
    Deno.renameSync(`${folder}/bench.json`, `${folder}/fuzz.json`);
    assertMatch(why(folder, "fuzz"), /is one of 'bench'/);
  }));

Deno.test("what is no record is said to be none", () => {
  for (const text of ["", "{", "[]", "null", '{"format":"slm2-record/1"}']) {
    assertEquals("fault" in parseRecord(text), true, text);
  }
  const { hash: _, ...body } = recordOf("fuzz");
  assertEquals(parseRecord(JSON.stringify(seal(body))), recordOf("fuzz"));
});
