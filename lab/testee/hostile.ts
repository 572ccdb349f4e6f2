/**
 * Stand-in testees for tests: `deno run -A hostile.ts MODE`. Each mode greets and answers
 * well but for the one thing that it is named after. Asked about n bytes, a good
 * answer is `TruncatedHeader` at offset n.
 */
import { TextLineStream } from "@std/streams";

interface Request {
  readonly id: number;
  readonly bytes?: string;
}

const HELLO = {
  testee: { name: "stand-in", version: "1", language: "TypeScript", stages: [1, 26] },
};

function reject({ id, bytes = "" }: Request): Record<string, unknown> {
  const offset = Uint8Array.fromBase64(bytes).length;
  return { id, verdict: "reject", stage: 3, code: "TruncatedHeader", section: "header", offset };
}

const lineOf = (value: unknown) => JSON.stringify(value) + "\n";
const answer = (request: Request) => lineOf(reject(request));

function write(text: string | Uint8Array): void {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
}

const forever = () => new Promise<never>(() => setInterval(() => {}, 1000));

/** What a mode does instead of greeting or answering well. */
interface Mode {
  readonly start?: () => void;
  readonly greet?: () => void | Promise<never>;
  readonly answer?: (request: Request) => void | Promise<never>;
  readonly end?: () => void | Promise<never>;
}

const says = (make: (request: Request) => string | Uint8Array): Mode => ({
  answer: (request) => write(make(request)),
});

const MODES: Record<string, Mode> = {
  "good": {},
  "lone-surrogate": {
    greet: () =>
      write('{"testee":{"name":"\\ud800 \\u00e9","version":"1","language":"x","stages":[1,26]}}\n'),
  },
  "byte-by-byte": {
    greet: () => {
      const greeting = lineOf({ testee: { ...HELLO.testee, name: "caf\u00e9 \u{1f600}" } });
      for (const byte of new TextEncoder().encode(greeting)) write(Uint8Array.of(byte));
    },
    answer: (request) => {
      for (const byte of new TextEncoder().encode(answer(request))) write(Uint8Array.of(byte));
    },
  },
  "two-in-one-write": says((request) =>
    answer(request) + answer({ ...request, id: request.id + 1 })
  ),
  "long-line": says((request) => lineOf({ ...reject(request), comment: "x".repeat(70_000) })),
  "endless-line": {
    answer: () => {
      for (const block = new Uint8Array(1 << 20).fill(120);;) write(block);
    },
  },
  "output-before-greeting": { start: () => write("loading model...\n") },
  "wrong-id": says((request) => answer({ ...request, id: 999 })),
  "text-id": says((request) => lineOf({ ...reject(request), id: String(request.id) })),
  "repeated-key": says((request) => answer(request).replace("}", ',"stage":4}')),
  "nan-stage": says((request) => answer(request).replace('"stage":3', '"stage":NaN')),
  "huge-stage": says((request) => answer(request).replace('"stage":3', '"stage":1e999')),
  "unknown-code": says((request) => lineOf({ ...reject(request), code: "Truncatedheader" })),
  "accept-without-identities": says(({ id }) => lineOf({ id, verdict: "accept" })),
  "verdict-and-skip": says((request) => lineOf({ ...reject(request), skip: "both" })),
  "not-utf8": says(() => Uint8Array.of(0x7b, 0xff, 0x7d, 10)),
  "not-json": says(() => "accept\n"),
  "blank-line": says((request) => "\n" + answer(request)),
  "windows-lines": says((request) => answer(request).replace("\n", "\r\n")),
  "wrong-hello": { greet: () => write(lineOf({ testee: { name: "x" } })) },
  "exits-at-once": { start: () => Deno.exit(0) },
  "exits-on-request": { answer: () => Deno.exit(7) },
  "half-a-line": {
    answer: (request) => {
      write(answer(request).slice(0, 20));
      Deno.exit(0);
    },
  },
  "killed": { answer: () => Deno.kill(Deno.pid, "SIGKILL") },
  "hangs": { answer: forever },
  "ignores-sigterm": {
    start: () => Deno.addSignalListener("SIGTERM", () => {}),
    answer: forever,
  },
  "stays-after-end": { end: forever },
  "fails-after-end": { end: () => Deno.exit(3) },
  "noisy": {
    answer: (request) => {
      const block = new TextEncoder().encode("noise ".repeat(20_000) + "the last word\n");
      for (let at = 0; at < block.length;) at += Deno.stderr.writeSync(block.subarray(at));
      if (request.bytes === "") Deno.exit(1);
      write(answer(request));
    },
  },
  "leaves-a-child": {
    answer: () => {
      // it inherits the pipes, so they stay open when this program is gone
      new Deno.Command("sleep", { args: ["1000"], stdin: "null" }).spawn();
      Deno.exit(1);
    },
  },
  "grows": {
    answer: () => {
      for (const kept: Uint8Array[] = [];;) kept.push(new Uint8Array(1 << 24).fill(1));
    },
  },
  "crashes-on-even": {
    answer: (request) =>
      reject(request).offset as number % 2 === 0 ? Deno.exit(1) : write(answer(request)),
  },
};

const mode = MODES[Deno.args[0]];
mode.start?.();
const input = Deno.stdin.readable.pipeThrough(new TextDecoderStream()).pipeThrough(
  new TextLineStream(),
);
for await (const line of input) {
  const message = JSON.parse(line);
  if (message.hello) await (mode.greet ?? (() => write(lineOf(HELLO))))();
  else await (mode.answer ?? ((request: Request) => write(answer(request))))(message);
}
await mode.end?.();
