/**
 * A stand-in testee for tests: `deno run -A oracle_testee.ts FOLDER NAME [MISTAKE]`. It knows
 * the right answers from the index in FOLDER, by the file that it is given, and makes one mistake.
 */
import { TextLineStream } from "@std/streams";
import { join } from "node:path";
import type { Entry, Index } from "../../corpus/index.ts";

const [folder, name, mistake = "none"] = Deno.args;
const index: Index = JSON.parse(Deno.readTextFileSync(join(folder, "index.json")));

interface Request {
  readonly id: number;
  readonly op: string;
  readonly path?: string;
  readonly policy?: object;
  readonly set?: object;
}

/** What a mistake makes of the right answer to an entry; null says nothing at all. */
type Mistake = (entry: Entry, right: object) => object | null;

const forever = () => new Promise<never>(() => setInterval(() => {}, 1000));
const accept = index.entries[0].expected;

const MISTAKES: Record<string, Mistake> = {
  "none": (_, right) => right,
  "accepts-flags": ({ id }, right) => id === "header/flags" ? accept : right,
  "wrong-section": ({ id }, right) =>
    id === "header/padding" ? { ...right, section: "file" } : right,
  "wrong-id": ({ id }, right) =>
    id === "valid/good"
      ? {
        ...accept,
        identities: { ...(accept as { identities: object }).identities, manifest: "00".repeat(32) },
      }
      : right,
  "skips-stage-4": (entry, right) => entry.tags.includes("stage-4") ? { skip: "later" } : right,
  "crashes": ({ id }, right) => {
    if (id !== "header/cut") return right;
    console.error("panic: <index out of bounds>");
    Deno.exit(101);
  },
  "crashes-always": () => Deno.exit(101),
  "hangs": ({ id }, right) => id === "header/cut" ? null : right,
};

function entryOf({ op, path, policy, set }: Request): Entry {
  if (op === "piece" && set) return index.entries.find((entry) => entry.op === "piece")!;
  if (policy) return index.entries.find(({ id }) => id.startsWith("policy/"))!;
  return index.entries.find(({ file }) => file !== undefined && path!.endsWith(file)) ??
    index.entries.find(({ id }) => id === "source/absent")!;
}

const write = (object: object) =>
  Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(object) + "\n"));

const input = Deno.stdin.readable.pipeThrough(new TextDecoderStream())
  .pipeThrough(new TextLineStream());
for await (const line of input) {
  const request = JSON.parse(line);
  if (request.hello) {
    write({
      testee: {
        name,
        version: "1.0",
        language: "TypeScript",
        stages: [1, 28],
        ops: ["read", "piece"],
      },
    });
    continue;
  }
  const entry = entryOf(request);
  const answer = MISTAKES[mistake](entry, entry.expected);
  if (answer === null) await forever();
  write({ id: request.id, ...answer });
}
