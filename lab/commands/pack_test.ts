/** `lab pack` as a program: whatever goes wrong, the store has whole artifacts and nothing else. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import { FABLE, FABLE_TOKENIZER, inFolder, lab, MAIN } from "../testing.ts";

const call = (model: string, tokenizer: string, out: string, ...more: string[]) => [
  ...["pack", "llama2c", model, "--tokenizer", tokenizer, "--out", out],
  ...more,
];

function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

Deno.test("pack: what is no model or tokenizer is named, and no store is made", () =>
  inFolder(async (folder) => {
    const out = join(folder, "store");
    const file = (name: string, bytes: Uint8Array) => {
      Deno.writeFileSync(join(folder, name), bytes);
      return join(folder, name);
    };
    const model = Deno.readFileSync(FABLE);
    const nan = model.slice();
    new DataView(nan.buffer).setFloat32(28 + 4000, NaN, true);
    const cases: [args: string[], code: number, says: string][] = [
      [call("nosuch", FABLE_TOKENIZER, out), 2, "nosuch: no such file"],
      [call(FABLE, "nosuch", out), 2, "nosuch: no such file"],
      [call(folder, FABLE_TOKENIZER, out), 2, `${folder} is not a regular file`],
      [call("", FABLE_TOKENIZER, out), 2, "'': no such file"],
      [call(FABLE, FABLE_TOKENIZER, ""), 2, "--out '' is no folder"],
      [call(FABLE, FABLE_TOKENIZER, FABLE), 2, `${FABLE}: file exists (mkdir)`],
      [call(FABLE, FABLE_TOKENIZER, out, "--keep", "ffn-down"), 2, "--keep goes with --quant"],
      [
        call(FABLE, FABLE_TOKENIZER, out, "--quant", "q4-0.b32.row", "--keep", "nosuch"),
        2,
        "--keep nosuch: one of token-embedding, attention-q",
      ],
      [call(file("empty", new Uint8Array()), FABLE_TOKENIZER, out), 1, "expected 28 bytes"],
      [call(file("short", model.subarray(0, -4)), FABLE_TOKENIZER, out), 1, "(Truncated)"],
      [
        call(file("long", new Uint8Array([...model, 0, 0, 0, 0])), FABLE_TOKENIZER, out),
        1,
        "(TrailingBytes)",
      ],
      [
        call(file("nan", nan), FABLE_TOKENIZER, out),
        1,
        "token-embedding at byte 4028: expected a finite weight (NonFinite)",
      ],
    ];
    for (const [args, code, says] of cases) {
      const ran = await lab(args);
      assertStringIncludes(ran.err, says);
      assertEquals([ran.code, ran.out, exists(out)], [code, "", false], says);
    }
  }));

Deno.test({
  name: "pack: a pipe is refused, not waited for",
  ignore: Deno.build.os === "windows",
  fn: () =>
    inFolder(async (folder) => {
      const pipe = join(folder, "pipe");
      await new Deno.Command("mkfifo", { args: [pipe] }).output();
      const { code, err } = await lab(call(pipe, FABLE_TOKENIZER, join(folder, "store")));
      assertEquals([code, err], [2, `lab: ${pipe} is not a regular file\n`]);
    }),
});

/** dim, hidden_dim, layers, heads, kv_heads, vocab, max_seq: 75 MB of zeros, a second to pack. */
const BIG = [512, 1408, 6, 8, 8, 512, 512];
const BIG_BYTES = 28 + 4 * (512 * 512 + 6 * (4 * 512 * 512 + 3 * 512 * 1408 + 2 * 512) + 512 +
      512 * 64);

Deno.test({
  name: "pack: an interrupt leaves no temporary file and no half of an artifact",
  ignore: Deno.build.os === "windows",
  fn: () =>
    inFolder(async (folder) => {
      const model = join(folder, "big.bin"), out = join(folder, "store");
      Deno.writeFileSync(model, new Uint8Array(Int32Array.from(BIG).buffer));
      Deno.truncateSync(model, BIG_BYTES);
      Deno.mkdirSync(out);
      const child = new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", MAIN, ...call(model, FABLE_TOKENIZER, out)],
        stdin: "null",
        stdout: "null",
        stderr: "piped",
      }).spawn();
      const names = () => [...Deno.readDirSync(out)].map(({ name }) => name);
      while (names().length === 0) await new Promise((later) => setTimeout(later, 1));
      assert(names().every((name) => name.endsWith(".tmp")), names().join(" "));
      child.kill("SIGINT");
      const { signal, stderr } = await child.output();
      assertEquals([signal, new TextDecoder().decode(stderr), names()], ["SIGINT", "", []]);
    }),
});

Deno.test("pack: commands at once into one store give what one gives", () =>
  inFolder(async (folder) => {
    const ran = await Promise.all([1, 2, 3].map(() => lab(call(FABLE, FABLE_TOKENIZER, folder))));
    assertEquals(ran.map(({ code }) => code), [0, 0, 0]);
    assertEquals(new Set(ran.map(({ out }) => out)).size, 1);
    const names = [...Deno.readDirSync(folder)].map(({ name }) => name);
    assertEquals(names.filter((name) => !/^[0-9a-f]{64}\.slm$/.test(name)), []);
    assertEquals(names.length, 3);
  }));
