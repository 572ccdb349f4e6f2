/** `lab compare` as a program: verdicts, codes, and an end. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";

/** Runs the command; a process that a device keeps alive is stopped, and its code is not 0 then. */
async function compare(...args: string[]) {
  const main = new URL("../main.ts", import.meta.url).href;
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", main, "compare", ...args],
    signal: AbortSignal.timeout(60_000),
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, out: text(stdout), err: text(stderr) };
}

Deno.test("compare: a cache resumed on every backend; the process ends", async () => {
  const { code, out } = await compare("resumed/", "--json");
  const cases = out.trim().split("\n").map((line) => JSON.parse(line));
  assertEquals(code, 0);
  assertEquals(cases.map(({ backend }) => backend), ["cpu", "wasm", "webgpu"]);
  for (const { verdict, positions, reason, name } of cases) {
    if (verdict === "skipped") assert(reason.length > 5, name);
    else assertEquals([verdict, positions[0].differing, positions.length], ["holds", 0, 3], name);
  }
});

Deno.test("compare: every case is listed with where its bound comes from; no such case is 2", async () => {
  const { code, out } = await compare("--list", "profile/");
  assertEquals(code, 0);
  assertEquals(out.match(/^profile\//gm)?.length, 48);
  assertStringIncludes(out, "each weight moved at random within its cell of the profile's grid");
  const none = await compare("nothing/");
  assertEquals([none.code, none.out], [2, ""]);
});
