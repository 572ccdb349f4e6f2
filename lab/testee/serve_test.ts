import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import type { ReadRequest } from "../../readers/contract.ts";
import { inProcess } from "./inprocess.ts";
import { serve } from "./serve.ts";
import { stubReader } from "./stub_reader.ts";
import type { Ask } from "./testee.ts";
import { answerOf, requestLine } from "./wire.ts";

type Answers = Record<string, unknown>[];

/**
 * Serves `lines` to the stub reader and returns its answers; pipes move a few bytes at a time.
 * `end` is what stands after the last line.
 */
function serveAll(
  lines: readonly unknown[],
  { seen, end = "\n" }: { seen?: (request: unknown) => void; end?: string } = {},
): Answers {
  const text = lines.map((line) => typeof line === "string" ? line : JSON.stringify(line));
  const input = new TextEncoder().encode(text.join("\n") + end);
  let read = 0;
  let calls = 0;
  const output: number[] = [];
  serve(stubReader(seen), {
    readSync(into) {
      if (calls++ % 5 === 0) throw new Deno.errors.WouldBlock();
      if (read === input.length) return null;
      const part = input.subarray(read, read + Math.min(into.length, 7));
      into.set(part);
      read += part.length;
      return part.length;
    },
    writeSync(bytes) {
      output.push(...bytes.subarray(0, 11));
      return Math.min(bytes.length, 11);
    },
  });
  return new TextDecoder().decode(Uint8Array.from(output)).split("\n").slice(0, -1)
    .map((line) => JSON.parse(line));
}

const base64 = (length: number) => new Uint8Array(length).toBase64();

Deno.test("it greets, answers under the id, and ends with its input", () => {
  const [hello, answer, accept] = serveAll([
    { hello: "slm2-testee/1" },
    { id: 7, op: "read", bytes: base64(5) },
    { id: "x", op: "read", bytes: base64(224), pieces: false },
  ]);
  assertEquals((hello.testee as { ops: string[] }).ops, ["read", "piece", "signature"]);
  assertEquals(answer, {
    id: 7,
    verdict: "reject",
    stage: 3,
    code: "TruncatedHeader",
    section: "header",
    offset: 5,
  });
  assertEquals(accept.id, "x");
  assertEquals("piece_root" in (accept.identities as object), false);
});

const SKIPS: readonly [name: string, line: unknown][] = [
  ["an unknown op", { id: 1, op: "write", bytes: "" }],
  ["no op", { id: 1, bytes: "" }],
  ["an unknown policy name", { id: 1, op: "read", bytes: "", policy: { depth: 3 } }],
  ["a policy that is no count", { id: 1, op: "read", bytes: "", policy: { rank: -1 } }],
  ["an index that is no integer", { id: 1, op: "piece", set: { bytes: "" }, index: 0.5, data: "" }],
  ["an unknown expectation", { id: 1, op: "read", bytes: "", expect: { size: 1 } }],
  ["neither path nor bytes", { id: 1, op: "read" }],
  ["both path and bytes", { id: 1, op: "read", path: "x", bytes: "" }],
  ["base64 without padding", { id: 1, op: "read", bytes: "QQ" }],
  ["base64 with white space", { id: 1, op: "read", bytes: "QUJD\nQUJD\nQQ==" }],
  ["base64 of the other alphabet", { id: 1, op: "read", bytes: "_-__" }],
  ["base64 with loose bits", { id: 1, op: "read", bytes: "QUJ=" }],
  ["a number for bytes", { id: 1, op: "read", bytes: 5 }],
  ["an expectation that is no hash", {
    id: 1,
    op: "read",
    bytes: "",
    expect: { whole_file: "ab" },
  }],
  ["bad base64 to resolve", { id: 1, op: "read", bytes: "", resolve: [{ bytes: "!" }] }],
];
for (const [name, line] of SKIPS) {
  Deno.test(`a request that is not understood is skipped: ${name}`, () => {
    const [answer, after] = serveAll([line, { id: 2, op: "read", bytes: "" }]);
    assertEquals(answer.id, 1);
    assertEquals(typeof answer.skip, "string");
    assertEquals(after.verdict, "reject");
  });
}

const UNDERSTOOD: readonly [name: string, line: object][] = [
  ["a policy beyond 2^53 - 1", { op: "read", bytes: "", policy: { file_size: 2 ** 60 } }],
  ["a runtime memory beyond 2^53 - 1", { op: "read", bytes: "", runtime_memory: 2 ** 64 }],
  ["null for what is left out", { op: "read", bytes: "", path: null, resolve: null, expect: null }],
  ["a negative index", { op: "piece", set: { bytes: "" }, index: -1, data: "" }],
  ["times beyond 2^53 - 1", {
    op: "signature",
    envelope: { bytes: "" },
    trust: { epoch: 2 ** 60, keys: [], revoked: [{ key_id: "01".repeat(32), from: 2 ** 60 }] },
    now: 2 ** 60,
  }],
];
for (const [name, line] of UNDERSTOOD) {
  Deno.test(`a request that is understood: ${name}`, () => {
    let asked = 0;
    serveAll([{ id: 1, ...line }], { seen: () => asked++ });
    assertEquals(asked, 1);
  });
}

Deno.test("the last line needs no newline", () => {
  const answers = serveAll([{ id: 1, op: "read", bytes: "" }, { id: 2, op: "read", bytes: "" }], {
    end: "",
  });
  assertEquals(answers.map(({ id }) => id), [1, 2]);
});

for (const line of ["", "junk", "[]", '{"id":1,"id":2}', "\u0000", '{"hello":"slm2-testee/2"}']) {
  Deno.test(`a line that is no request is skipped: ${JSON.stringify(line)}`, () => {
    const [answer, after] = serveAll([line, { id: 2, op: "read", bytes: "" }]);
    assertEquals(answer.id, null);
    assertEquals(typeof answer.skip, "string");
    assertEquals(after.id, 2);
  });
}

Deno.test("a path is opened, and one that cannot be read is SourceIo", () => {
  const folder = Deno.makeTempDirSync();
  const path = `${folder}/artifact.slm`;
  Deno.writeFileSync(path, new Uint8Array(9));
  const answers = serveAll([
    { id: 1, op: "read", path },
    { id: 2, op: "read", path: `${folder}/none` },
    { id: 3, op: "read", path: folder },
  ]);
  assertEquals(answers.map(({ code }) => code), ["TruncatedHeader", "SourceIo", "SourceIo"]);
  assertEquals(answers[0].offset, 9);
  Deno.removeSync(folder, { recursive: true });
});

Deno.test("the artifacts to resolve arrive, but for those that cannot be read", () => {
  const resolved: (number | undefined)[] = [];
  serveAll([
    { id: 1, op: "read", bytes: "" },
    { id: 2, op: "read", bytes: "", resolve: [] },
    { id: 3, op: "read", bytes: "", resolve: [{ path: "/no/such/file" }, { bytes: "QQ==" }] },
  ], { seen: (request) => resolved.push((request as ReadRequest).resolve?.length) });
  assertEquals(resolved, [undefined, 0, 1]);
});

Deno.test("a throw of the reader is not hidden", () => {
  assertThrows(() => serveAll([{ id: 1, op: "read", bytes: base64(666) }]), Error, "planted bug");
});

Deno.test("in process, a throw of the reader is a crash", async () => {
  const outcome = await inProcess(stubReader()).ask({
    op: "read",
    artifact: { bytes: new Uint8Array(666) },
  });
  assertEquals(outcome.verdict, "crash");
});

const HASH = "01".repeat(32);
const ASKS: readonly Ask[] = [
  {
    op: "read",
    artifact: { bytes: Uint8Array.of(1, 2, 3) },
    policy: { rank: 0, file_size: 2 ** 53 - 1 },
    expect: { artifact_id: HASH },
    pieces: false,
    resolve: [{ bytes: Uint8Array.of(4) }],
    runtime_memory: 17,
  },
  {
    op: "piece",
    set: { bytes: Uint8Array.of(5) },
    index: 3,
    data: Uint8Array.of(6, 7),
    proof: [HASH],
    subject: { bytes: 2 },
  },
  {
    op: "signature",
    envelope: { bytes: Uint8Array.of(8) },
    trust: {
      epoch: 1,
      keys: [{ key_id: HASH, public_key: HASH, roles: ["r"], valid_from: 0, valid_until: 9 }],
      revoked: [{ key_id: HASH, from: 3 }],
    },
    now: 5,
    subject: { class: 2 },
    statement: HASH,
  },
];
for (const ask of ASKS) {
  Deno.test(`over the wire a reader is asked what it is asked in process: ${ask.op}`, async () => {
    const near: unknown[] = [];
    const far: unknown[] = [];
    const outcome = await inProcess(stubReader((request) => near.push(seenIn(request)))).ask(ask);
    const [line] = serveAll([requestLine(4, ask)], {
      seen: (request) => far.push(seenIn(request)),
    });
    assertEquals(far, near);
    assertEquals<unknown>(answerOf(line, 4, ask.op), { value: outcome });
  });
}

/** A request with its sources read out, so that two can be compared. */
function seenIn(value: unknown): unknown {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  if ("size" in value && typeof value.size === "function") {
    const bytes = new Uint8Array(value.size());
    (value as ReadRequest["source"]).read(0, bytes);
    return bytes;
  }
  if (Array.isArray(value)) return value.map(seenIn);
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(entries.map(([key, item]) => [key, seenIn(item)]));
}

Deno.test("an answer is held to its form", () => {
  const reject = { id: 1, verdict: "reject", stage: 3, code: "TruncatedHeader", section: "header" };
  assertEquals(answerOf({ ...reject, more: 1 }, 1, "read"), {
    value: { verdict: "reject", stage: 3, code: "TruncatedHeader", section: "header" },
  });
  const faults: [object, RegExp][] = [
    [{ ...reject, id: undefined }, /carries the id undefined/],
    [{ ...reject, stage: 33 }, /stage must be <= 32: 33/],
    [{ ...reject, section: "Header" }, /section is none that the spec has/],
    [{ ...reject, offset: -1 }, /offset must be >= 0/],
    [{ id: 1, verdict: "maybe" }, /neither accept nor reject/],
    [{ id: 1, skip: 5 }, /skip must be string/],
  ];
  for (const [line, fault] of faults) {
    const answer = answerOf(line as Record<string, unknown>, 1, "read");
    assert("fault" in answer);
    assertMatch(answer.fault, fault);
  }
});
