/** `lab run` and `lab verify` as programs, on a good store and a damaged one. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import { inFolder, lab, packFable } from "../testing.ts";

Deno.test("run: a prompt is shown with its continuation, or refused before anything is shown", () =>
  inFolder(async (store) => {
    const { composition } = await packFable(store);
    const run = (args: string[], input?: string | Uint8Array) =>
      lab(["run", composition.id, "--store", store, "--max-tokens", "5", ...args], input);
    const [argument, piped, both, bytes, long, outside, pipeless] = await Promise.all([
      run(["--prompt", "Once upon a time"]),
      run([], "Once upon a time"),
      run(["--prompt", "a", "--tokens", "1"]),
      run([], Uint8Array.of(0x61, 0xff)),
      run(["--prompt", "a".repeat(10240)]),
      run(["--tokens", "1,512"]),
      lab(["run", store, "--store", store, "--prompt", "a"]),
    ]);
    assertEquals(argument.code, 0);
    assertStringIncludes(argument.out, "Once upon a time,");
    assertEquals(piped, argument);
    assertEquals([both.code, both.out], [2, ""]);
    assertStringIncludes(both.err, "'--tokens <ids>' cannot be used with option '--prompt <text>'");
    assertEquals(bytes, { code: 1, out: "", err: "lab: standard input is not UTF-8\n" });
    assertEquals([long.code, long.out], [1, ""]);
    assertStringIncludes(long.err, "the prompt cannot be fed:");
    assertEquals([outside.code, outside.out], [1, ""]);
    assertEquals([pipeless.code, pipeless.err], [2, `lab: ${store} is not a regular file\n`]);
  }));

Deno.test("a store with a damaged base: verify says where, run which, packing again repairs it", () =>
  inFolder(async (store) => {
    const { base, composition } = await packFable(store);
    const good = Deno.readFileSync(base.path);
    Deno.writeFileSync(base.path, good.slice().fill(0, 400_000, 404_096));
    const [verified, json, ran] = await Promise.all([
      lab(["verify", base.path]),
      lab(["verify", base.path, "--json"]),
      lab(["run", composition.id, "--store", store, "--prompt", "a", "--json"]),
    ]);
    assertEquals(verified.code, 1);
    assertStringIncludes(
      verified.out,
      "rejected at stage 26 (payload content): PayloadHashMismatch",
    );
    const verdicts = json.out.trim().split("\n").map((line) => JSON.parse(line));
    assertEquals(
      verdicts.map(({ reader, stage, code, section }) => [reader, stage, code, section]),
      ["cursor", "table"].map((reader) => [reader, 26, "PayloadHashMismatch", "payload"]),
    );
    assertEquals(ran.code, 1);
    const { stage, code, expected } = JSON.parse(ran.out);
    assertEquals([stage, code], [25, "DependencyWholeFile"]);
    assertEquals(expected, `the base ${base.id} with the bytes it had`);

    await packFable(store);
    assertEquals(Deno.readFileSync(base.path), good);
    const again = await lab(["run", composition.id, "--store", store, "--prompt", "a"]);
    assertEquals(again.code, 0);
  }));

Deno.test({
  name: "a store that lacks the tokenizer says which; a pipe in its place is none",
  ignore: Deno.build.os === "windows",
  fn: () =>
    inFolder(async (store) => {
      const { tokenizer, composition } = await packFable(store);
      Deno.removeSync(tokenizer.path);
      const run = () => lab(["run", composition.id, "--store", store, "--prompt", "a"]);
      const missing = await run();
      assertEquals(missing.code, 1);
      assertStringIncludes(missing.err, `expected the tokenizer ${tokenizer.id} in the store`);
      await new Deno.Command("mkfifo", { args: [tokenizer.path] }).output();
      assertEquals(await run(), missing);
    }),
});

Deno.test("verify: a file that cannot be read does not hide the others", () =>
  inFolder(async (store) => {
    const { composition } = await packFable(store);
    const one = join(store, "one");
    Deno.writeFileSync(one, Uint8Array.of(0x53));
    const { code, out, err } = await lab(["verify", "nosuch", composition.path, one]);
    assertEquals([code, err], [2, "lab: nosuch: no such file\n"]);
    assertStringIncludes(out, composition.id);
    assertStringIncludes(out, "TruncatedHeader");
  }));

Deno.test("run: a saved cache goes on as if nothing had happened, or is refused by name", () =>
  inFolder(async (store) => {
    const { composition } = await packFable(store);
    const kv = join(store, "kv.bin");
    const run = async (...args: string[]) => {
      const ran = await lab(["run", composition.id, "--store", store, "--json", ...args]);
      return { ...ran, said: ran.code === 0 ? JSON.parse(ran.out) : null };
    };
    const prompt = ["--prompt", "Once upon a time"];
    for (const backend of ["cpu", "wasm"]) {
      const on = ["--backend", backend];
      const whole = await run(...prompt, "--max-tokens", "24", ...on);
      const first = await run(...prompt, "--max-tokens", "10", "--save-kv", kv, ...on);
      const ids = [...first.said.prompt, ...first.said.tokens];
      assertEquals(first.said.saved.positions, ids.length - 1, "the last one is not fed yet");
      const on_ = await run(
        "--tokens",
        ids.join(","),
        "--max-tokens",
        "14",
        "--resume-kv",
        kv,
        ...on,
      );
      assertEquals(on_.said.reused, ids.length - 1);
      assertEquals([...first.said.tokens, ...on_.said.tokens], whole.said.tokens);
    }
    const other = await run("--prompt", "Another text, long enough for it", "--resume-kv", kv);
    assertEquals([other.code, other.out], [1, ""]);
    assertStringIncludes(other.err, "cannot be gone on from: the prompt does not begin with");
    const short = await run("--tokens", "1,2", "--resume-kv", kv);
    assertStringIncludes(short.err, " positions, not at most 2\n");
    const none = await run(...prompt, "--resume-kv", composition.path);
    assertEquals(none.code, 1);
    assertStringIncludes(none.err, "a KV cache (class 7) is expected");
  }));

Deno.test("verify, inspect and tokenize take an id in a store, or say that it is not there", () =>
  inFolder(async (store) => {
    const { tokenizer, composition } = await packFable(store);
    const absent = "0".repeat(64);
    const [verified, inspected, ids, nothing, version] = await Promise.all([
      lab(["verify", composition.id, "--store", store]),
      lab(["inspect", composition.id, "--store", store]),
      lab(["tokenize", tokenizer.id, "--store", store], "Once"),
      lab(["tokenize", absent, "--store", store], "Once"),
      lab(["--version"]),
    ]);
    assertEquals([verified, inspected, ids, nothing].map(({ code }) => code), [0, 0, 0, 2]);
    assertEquals(ids.out, "340 450 334\n");
    assertEquals(nothing.err, `lab: ${store} holds no ${absent}\n`);
    assertStringIncludes(version.out, "SLM2 2.0, corpus ");
  }));
