import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { parseLine, writeLine } from "./line.ts";
import { LineSplitter } from "./lines.ts";
import { answerOf, askOf, infoOf } from "./wire.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

Deno.test("any JSON object comes back from its line", () => {
  fc.assert(fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
    const line = writeLine(object);
    assertEquals(line.at(-1), 10);
    const parsed = parseLine(line.subarray(0, -1));
    assert("object" in parsed, JSON.stringify(parsed));
    assertEquals(parsed.object, JSON.parse(JSON.stringify(object)));
  }));
});

const FAULTS: readonly [line: string, fault: RegExp][] = [
  ['{"a":1,"a":1}', /repeats a key/],
  ['{"a":{"b":[{"c":1,"c":2}]}}', /repeats a key/],
  [String.raw`{"\u0061":1,"a":2}`, /repeats a key/],
  [String.raw`{"a\\":1,"a\\"  :2}`, /repeats a key/],
  ["[1]", /not a JSON object/],
  ["null", /not a JSON object/],
  ["", /not JSON/],
  ["\ufeff{}", /not JSON/],
  ['{"a":NaN}', /not JSON/],
  ["{}{}", /not JSON/],
];
for (const [line, fault] of FAULTS) {
  Deno.test(`a line is refused: ${JSON.stringify(line)}`, () => {
    const parsed = parseLine(bytes(line));
    assert("fault" in parsed);
    assert(fault.test(parsed.fault), parsed.fault);
  });
}

Deno.test("keys that only look repeated are none", () => {
  for (const line of ['{"a":"\\"a\\":","b":["a","a"]}', '{"a":{"a":{"a":1}}}', '{"__proto__":1}']) {
    assert("object" in parseLine(bytes(line)), line);
  }
});

Deno.test("a deeply nested line needs no stack", () => {
  const deep = `{"a":${"[".repeat(200_000)}${"]".repeat(200_000)}}`;
  assert("object" in parseLine(bytes(deep)));
});

/** All that the splitter gives for chunks. */
function split(chunks: readonly Uint8Array[], limit: number): string[] {
  const splitter = new LineSplitter(limit);
  const seen: string[] = [];
  for (const chunk of chunks) {
    splitter.push(chunk);
    for (let line = splitter.next(); line !== "more"; line = splitter.next()) {
      seen.push(line === "too-long" ? "too long" : new TextDecoder().decode(line));
    }
  }
  return seen;
}

Deno.test("lines do not depend on the chunks that they come in", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "\u00e9", "\n"), maxLength: 60 });
  fc.assert(
    fc.property(text, fc.array(fc.nat(70)), fc.integer({ min: 1, max: 9 }), (text, cuts, limit) => {
      const whole = bytes(text);
      const edges = [0, ...cuts.sort((a, b) => a - b), whole.length];
      const chunks = edges.slice(1).map((end, i) => whole.subarray(edges[i], end));
      const wanted = text.split("\n").slice(0, -1).map((line) =>
        bytes(line).length > limit ? "too long" : line
      );
      const unfinished = bytes(text.slice(text.lastIndexOf("\n") + 1)).length > limit;
      assertEquals(split(chunks, limit), unfinished ? [...wanted, "too long"] : wanted);
    }),
  );
});

Deno.test("a long line byte by byte costs one look at each byte", () => {
  const splitter = new LineSplitter(1 << 20);
  const byte = Uint8Array.of(120);
  for (let i = 0; i < 70_000; i++) {
    splitter.push(byte);
    assertEquals(splitter.next(), "more");
  }
  splitter.push(Uint8Array.of(10));
  assertEquals((splitter.next() as Uint8Array).length, 70_000);
});

Deno.test("no line that a testee can write makes the lab throw", () => {
  const key = fc.constantFrom(
    ...["id", "verdict", "skip", "stage", "code", "section", "offset", "identities", "testee"],
    ...["name", "version", "language", "stages", "ops", "class", "tensors", "__proto__"],
  );
  const leaf = fc.oneof(
    fc.constantFrom<unknown>(1, 7, "accept", "reject", "SourceIo", "none", "ab".repeat(32), null, [
      1,
      26,
    ]),
    fc.jsonValue(),
  );
  const strange = fc.dictionary(key, fc.oneof(leaf, fc.dictionary(key, leaf)));
  // half of an answer, so that what is strange about it is looked at
  const plausible = fc.record(
    { id: fc.constant(1), verdict: fc.constantFrom("accept", "reject") },
    {
      requiredKeys: [],
    },
  );
  const object = fc.tuple(strange, plausible).map(([one, other]) => ({ ...one, ...other }));
  let understood = 0;
  fc.assert(
    fc.property(object, fc.constantFrom("read", "piece"), (object, op) => {
      const parsed = parseLine(writeLine(object).subarray(0, -1));
      assert("object" in parsed);
      infoOf(parsed.object);
      askOf(parsed.object);
      const answer = answerOf(parsed.object, 1, op);
      if ("value" in answer) understood++;
    }),
    { numRuns: 2000 },
  );
  assert(understood > 0, "some lines are answers");
  fc.assert(fc.property(fc.uint8Array({ maxLength: 50 }), (bytes) => void parseLine(bytes)));
});
