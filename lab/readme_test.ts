/** The README is true: its list of commands is the lab's. */
import { assertEquals } from "@std/assert";
import { COMMANDS } from "./main.ts";

Deno.test("README lists every command", () => {
  const readme = Deno.readTextFileSync(new URL("../README.md", import.meta.url));
  const listed = [...readme.matchAll(/^\| `([a-z]+)` *\|/gm)].map((match) => match[1]);
  assertEquals(listed.sort(), Object.keys(COMMANDS).sort());
});
