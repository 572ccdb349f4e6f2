/** `lab quant` as a program, on GGML's own rows. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import { dataTest } from "../data.ts";

async function quant(...args: string[]): Promise<{ code: number; err: string }> {
  const main = new URL("../main.ts", import.meta.url).href;
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", main, "quant", ...args],
  }).output();
  return { code, err: new TextDecoder().decode(stderr) };
}

async function inFolder(test: (at: (name: string) => string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await test((name) => join(folder, name));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

dataTest(
  "quant: rows to blocks and back, bit for bit; a row that cannot be packed",
  (data) =>
    inFolder(async (at) => {
      const read = (name: string) => Deno.readFileSync(new URL(`quant/${name}`, data));
      const rows = read("rows.f32");
      Deno.writeFileSync(at("in"), rows.subarray(0, 8192));
      const how = ["--profile", "q4-1.b32.row", "--cols", "256"];
      assertEquals((await quant("encode", ...how, at("in"), at("out"))).code, 0);
      const blocks = Deno.readFileSync(at("out"));
      assertEquals(blocks.length, 8 * 8 * 20);
      assertEquals(blocks, read("q4_1.bin").subarray(0, blocks.length));
      assertEquals((await quant("decode", ...how, at("out"), at("back"))).code, 0);
      assertEquals(Deno.readFileSync(at("back")), read("q4_1.dequantised.f32").subarray(0, 8192));

      Deno.writeFileSync(at("in"), rows);
      const refused = await quant(
        "encode",
        "--profile",
        "q8-0.b32.row",
        "--cols",
        "256",
        at("in"),
        at("no"),
      );
      assertEquals(refused.code, 1);
      assertStringIncludes(refused.err, "row 48, block 0 (ScaleRange)");
      assert(![...Deno.readDirSync(at("."))].some(({ name }) => name.startsWith("no")));
    }),
);

Deno.test("quant: scales of q8-row are a file of their own; sizes that cannot be", () =>
  inFolder(async (at) => {
    Deno.writeFileSync(at("in"), new Uint8Array(new Float32Array([127, -1, 2, 4]).buffer));
    const how = ["--profile", "q8-row.exact", "--cols", "2", "--scales", at("scales")];
    assertEquals((await quant("encode", ...how, at("in"), at("out"))).code, 0);
    assertEquals([...Deno.readFileSync(at("out"))], [127, 255, 64, 127]);
    assertEquals(Deno.readFileSync(at("scales")).length, 8);
    assertEquals((await quant("decode", ...how, at("out"), at("back"))).code, 0);
    assertEquals(new Float32Array(Deno.readFileSync(at("back")).buffer)[0], 127);

    const uneven = await quant(
      "encode",
      "--profile",
      "q8-0.b32.pad",
      "--cols",
      "3",
      at("in"),
      at("no"),
    );
    assertEquals([uneven.code, uneven.err.includes("ElementCount")], [1, true]);
    assertEquals(
      (await quant("encode", "--profile", "q8_0", "--cols", "2", at("in"), at("no"))).code,
      2,
    );
    // one block of 32 holds one, two or more rows of 2 values under `pad`
    Deno.writeFileSync(at("block"), new Uint8Array(34));
    const pad = ["--profile", "q8-0.b32.pad", "--cols", "2", at("block"), at("back")];
    assertStringIncludes((await quant("decode", ...pad)).err, "--rows must say");
    assertEquals((await quant("decode", "--rows", "3", ...pad)).code, 0);
    assertEquals(Deno.readFileSync(at("back")).length, 24);
  }));
