/** `lab tokenize` on a written artifact, as a program. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { importLlama2cTokenizer } from "../../corpus/importers/llama2c_tokenizer.ts";
import { isImportError } from "../../corpus/importers/import.ts";
import { isWriteError } from "../../corpus/writer/fault.ts";
import { write } from "../../corpus/writer/write.ts";
import { memorySource } from "../../readers/source.ts";

const FABLE = new URL("../../corpus/models/fable/fable-tok.bin", import.meta.url);

/** The bytes of the bundled model's tokenizer artifact. */
function artifact(): Uint8Array {
  const described = importLlama2cTokenizer(memorySource(Deno.readFileSync(FABLE)), "fable");
  if (isImportError(described)) throw new Error(described.code);
  const written = write(described);
  if (isWriteError(written)) throw new Error(written.code);
  return written.bytes;
}

/** Runs the command in a process of its own. */
async function run(bytes: Uint8Array, args: string[], input: string | Uint8Array) {
  const path = await Deno.makeTempFile({ suffix: ".slm" });
  try {
    await Deno.writeFile(path, bytes);
    const main = new URL("../main.ts", import.meta.url).href;
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", main, "tokenize", path, ...args],
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(typeof input === "string" ? new TextEncoder().encode(input) : input);
    await writer.close();
    const { code, stdout, stderr } = await child.output();
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    return { code, out: text(stdout), err: text(stderr) };
  } finally {
    await Deno.remove(path);
  }
}

Deno.test("tokenize: ids on one line, special tokens where they are asked for, and back", async () => {
  const bytes = artifact();
  const plain = await run(bytes, [], "Once upon a time");
  assertEquals(plain, { code: 0, out: "340 450 334 416 467 297 259 441\n", err: "" });
  const special = await run(bytes, ["--special"], "line one\n");
  assertEquals(special.out, "1 275 276 446 305 446 13\n");
  const back = await run(bytes, ["--decode"], special.out);
  assertEquals(back, { code: 0, out: "line one\n", err: "" });
});

Deno.test("tokenize: what cannot be done is one line and exit code 1", async () => {
  const bytes = artifact();
  const [range, text, damaged] = await Promise.all([
    run(bytes, ["--decode"], "1 512"),
    run(bytes, [], Uint8Array.of(0x61, 0xff)),
    run(bytes.map((byte, at) => at === bytes.length - 1 ? byte ^ 1 : byte), [], "a"),
  ]);
  assertEquals([range.code, range.err], [
    1,
    "lab: standard input: 512 is not an id from 0 to 511\n",
  ]);
  assertEquals([text.code, text.err], [1, "lab: standard input: BadUtf8 at byte 1\n"]);
  assertEquals(damaged.code, 1);
  assertStringIncludes(damaged.err, "rejected at stage 26: PayloadHashMismatch");
});
