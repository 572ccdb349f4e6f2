/** Readers and the runtime close over the same artifacts alike, and a runtime that does not is found. */
import { assert, assertEquals } from "@std/assert";
import { activate } from "../../readers/runtime/activation.ts";
import { isReject, reject } from "../../readers/runtime/outcome.ts";
import { cursor } from "../../readers/cursor/reader.ts";
import { table } from "../../readers/table/reader.ts";
import { mutate } from "../../mutators/mutate.ts";
import { Random } from "../../mutators/random.ts";
import { parseRequest } from "../../mutators/request.ts";
import { seedRequests } from "../campaign/requests.ts";
import { closes } from "./closes.ts";
import { Observer } from "./observe.ts";

const COMPOSITION = 6;
const REQUESTS = seedRequests(8192).filter((input) => {
  const { line, artifacts } = parseRequest(input)!;
  return line.resolve !== undefined && artifacts[0][36] === COMPOSITION;
});

async function keysOf(oracle: ReturnType<typeof closes>, cases: number): Promise<string[]> {
  const observer = new Observer([cursor, table]), random = new Random(4);
  const keys = new Set<string>();
  for (let i = 0; i < cases; i++) {
    const input = i < REQUESTS.length
      ? REQUESTS[i]
      : mutate(random.pick(REQUESTS), random, random.pick(REQUESTS)).bytes;
    const observation = observer.input(input);
    const finding = observation && await oracle(observation);
    if (finding) keys.add(finding.key);
  }
  return [...keys];
}

Deno.test("closes: the corpus's closures, whole and broken, are the same in a store", async () => {
  assert(REQUESTS.length > 10);
  assertEquals(await keysOf(closes(), REQUESTS.length + 200), []);
});

Deno.test("closes: a runtime that misses a check, makes one up or throws is found", async () => {
  const lenient = closes(async (request) => {
    const answer = await activate(request);
    return isReject(answer) && answer.code === "TokenizerMismatch"
      ? reject(31, "SmokeCheckFailed")
      : answer;
  });
  assertEquals(await keysOf(lenient, REQUESTS.length), ["closes TokenizerMismatch missed"]);
  const strict = closes(() => Promise.resolve(reject(25, "DependencyId", "", "manifest")));
  assert((await keysOf(strict, 5)).includes("closes DependencyId made up"));
  const throwing = closes(() => Promise.reject(new RangeError("any text")));
  assertEquals((await keysOf(throwing, 5)).map((key) => key.slice(0, 12)), ["closes throw"]);
});
