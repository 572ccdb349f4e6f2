/** `lab demo` as a program; what README shows of it is what it prints. */
import { assert, assertEquals } from "@std/assert";
import { join } from "node:path";
import { inFolder, lab } from "../testing.ts";

Deno.test("demo judges what it packed, whatever else its store holds; README shows its output", () =>
  inFolder(async (store) => {
    Deno.writeTextFileSync(join(store, "note.txt"), "no artifact");
    const { code, out } = await lab(["demo", "--out", store]);
    assertEquals(code, 0);
    const readme = Deno.readTextFileSync(new URL("../../README.md", import.meta.url));
    const shown = readme.slice(readme.indexOf("    pack    a llama2.c"), readme.indexOf("## What"))
      .split("\n").map((line) => line.slice(4)).filter((line) => line !== "" && line !== "  ...");
    assertEquals(shown.length, 10);
    // the distance of an f32 from its reference belongs to the machine
    for (const line of shown) {
      assert(out.includes(line.replace(/at most.*/, "at most ")), `not printed: ${line}`);
    }
  }));
