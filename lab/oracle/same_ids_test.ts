/** The plain tokenizer by itself, beside the runtime, and beside runtimes with a planted fault. */
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { isImportError } from "../../corpus/importers/import.ts";
import { importLlama2cTokenizer } from "../../corpus/importers/llama2c_tokenizer.ts";
import type { TokenizerBody } from "../../corpus/writer/bodies.ts";
import { tokenizer, type TokenizerParts } from "../../corpus/writer/build/tokenizer.ts";
import type { Description } from "../../corpus/writer/description.ts";
import { isWriteError } from "../../corpus/writer/fault.ts";
import { write } from "../../corpus/writer/write.ts";
import { anyTokenizer } from "../../mutators/arbitraries/tokenizers.ts";
import { seedArtifacts } from "../../mutators/seeds.ts";
import type { Value } from "../../readers/contract.ts";
import { cursor } from "../../readers/cursor/reader.ts";
import { memorySource } from "../../readers/source.ts";
import { loadTokenizer } from "../../readers/runtime/tokenizer/tokenizer.ts";
import { FABLE_TOKENIZER } from "../testing.ts";
import { RUNTIME_FAULTS } from "../faults/runtime_faults.ts";
import { PatchedTree } from "../faults/patched.ts";
import { judge, Observer } from "./observe.ts";
import { plainIds } from "./plain/encode.ts";
import { plainParts } from "./plain/parts.ts";
import { accepted, type RuntimeParts } from "./runtime.ts";
import { sameIds } from "./same_ids.ts";

const TOKENIZER = 4;
const observer = new Observer([cursor]);

function written(description: Description): Uint8Array {
  const result = write(description);
  if (isWriteError(result)) throw new Error(JSON.stringify(result));
  return result.bytes;
}

type Runtime = Pick<RuntimeParts, "loadTokenizer">;

/** The keys of what is found in files by this runtime. */
const keysOf = (files: readonly Uint8Array[], runtime: Runtime) =>
  files.flatMap((bytes) =>
    judge(observer.observe(bytes), [sameIds(runtime)]).map(({ key }) => key)
  );

const SEEDS = [3, 11, 12].flatMap((seed) => seedArtifacts(seed, 8))
  .filter((bytes) => bytes[36] === TOKENIZER);

Deno.test("golden tokenizers and seeds have the ids that the specification says", () => {
  const golden = ["tokenizer/", "tokenizer-op/"].flatMap((folder) => {
    const path = new URL(`../../corpus/golden/valid/${folder}`, import.meta.url);
    return [...Deno.readDirSync(path)].map(({ name }) => Deno.readFileSync(new URL(name, path)));
  });
  assert(golden.length > 20 && SEEDS.length > 20);
  assertEquals(keysOf([...golden, ...SEEDS], { loadTokenizer }), []);
});

Deno.test("so has the tokenizer of the bundled model", () => {
  const description = importLlama2cTokenizer(
    memorySource(Deno.readFileSync(FABLE_TOKENIZER)),
    "fable",
  );
  if (isImportError(description)) throw new Error("import");
  assertEquals(keysOf([written(description)], { loadTokenizer }), []);
});

Deno.test("so has any tokenizer", () => {
  fc.assert(
    fc.property(anyTokenizer, (description) => {
      assertEquals(keysOf([written(description)], { loadTokenizer }), []);
    }),
    { numRuns: 200 },
  );
});

const BYTES = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte));

/** The plain ids of a text as content: of a tokenizer with an unknown token, 0, unless it says more. */
function ids(
  parts: Partial<TokenizerParts>,
  body: Pick<TokenizerBody, "kind"> & Partial<TokenizerBody>,
  text: string,
) {
  const file = written(tokenizer({ vocabulary: [""], ...parts }, {
    unknown: { id: 0, policy: "token" },
    max_expansion: 64,
    ...body,
  }));
  const { candidate, blobs } = accepted(observer.observe(file))!;
  return plainIds(plainParts(candidate, blobs), text, { special: false, content: true });
}

Deno.test("each kind, by hand", () => {
  const vocabulary = ["?", "a", "b", "ab", "aba", "bab"];
  const all = (kind: TokenizerBody["kind"], text: string, more: Partial<TokenizerParts> = {}) =>
    ids({ vocabulary, ...more }, { kind }, text);
  assertEquals(all("table/1", "ababb\u00e9"), [4, 2, 2, 0, 0]);
  assertEquals(all("wordpiece/1", "ababb"), [4, 2, 2]);
  assertEquals(all("wordpiece/1", "ababc"), [0]);
  assertEquals(all("wordpiece/1", "a".repeat(101)), [0]);
  const merges: [number, number, number][] = [[1, 2, 3], [3, 1, 4]];
  assertEquals(all("byte-level-bpe/1", "abab\u00e9", { merges }), [3, 3, 0, 0]);
  assertEquals(all("byte-level-bpe/1", "aba", { merges }), [4]);
  const scores = [-9, -1, -1, -1, -3, -0.5];
  assertEquals(all("score-bpe/1", "abab\u00e9", { scores }), [3, 3, 0]);
  assertEquals(all("unigram/1", "abab\u00e9", { scores }), [1, 5, 0]);
  // of equal sums the longer last token
  assertEquals(all("unigram/1", "abab", { scores: [-9, -1, -1, -2, -3, -3] }), [1, 5]);
});

Deno.test("each pretokenizer op, by the words that it leaves", () => {
  const words = (op: TokenizerBody["pretokenizer"][number], text: string) => {
    const cut = ids(
      { vocabulary: ["?"] },
      { kind: "wordpiece/1", pretokenizer: [op] },
      text,
    );
    return cut === null || cut === "no opinion" ? cut : cut.length;
  };
  assertEquals(words(["gpt2-split"], "They're 12 \u3000\u3000b !?"), 7);
  assertEquals(words(["whitespace-split"], "a\u3000\u3000b \u0085c"), 3);
  assertEquals(words(["punctuation-split"], "a.b,,$"), 6);
  assertEquals(words(["digits-split", 3], "1234567a12"), 5);
  assertEquals(words(["none"], "a b"), 1);
  assertEquals(words(["none"], "\u1c8a"), "no opinion");
});

/** The house's, but for one field of the body. */
const altered = (field: string, value: (given: Value) => Value): Runtime => ({
  loadTokenizer(candidate, blobs) {
    const body = candidate.manifest.get("body") as ReadonlyMap<string, Value>;
    const other = new Map([...body, [field, value(body.get(field)!)]]);
    return loadTokenizer(
      { ...candidate, manifest: new Map([...candidate.manifest, ["body", other]]) },
      blobs,
    );
  },
});

/** Tokenizers of bytes with one op, so that a word is seen where it ends. */
const cutting = (...pretokenizer: TokenizerBody["pretokenizer"]) =>
  written(tokenizer({ vocabulary: ["", ...BYTES, "\u3000a", "12", "34", "1234"] }, {
    kind: "table/1",
    normalizer: [["nfc"]],
    pretokenizer,
    max_expansion: 64,
    unknown: { id: 0, policy: "token" },
  }));

Deno.test("a planted fault is found, under the step that decides", () => {
  const faults = [
    altered(
      "pretokenizer",
      (ops) =>
        (ops as readonly (readonly Value[])[]).map(([name]) =>
          name === "digits-split" ? [name, 1] : [name]
        ),
    ),
    altered("normalizer", () => []),
  ];
  const file = cutting(["gpt2-split"], ["digits-split", 4]);
  assertEquals(faults.map((fault) => keysOf([file], fault)), [
    ["same-ids digits-split"],
    ["same-ids nfc"],
  ]);
  const reversed: Runtime = {
    loadTokenizer(...parts) {
      const good = loadTokenizer(...parts);
      if ("error" in good) return good;
      return {
        ...good,
        encode(text, options) {
          const ids = good.encode(text, options);
          return "error" in ids ? ids : ids.reverse();
        },
      };
    },
  };
  assertEquals(keysOf([file], reversed), ["same-ids table/1"]);
});

for (
  const [id, step] of [
    ["whitespace-last-byte", "gpt2-split"],
    ["unigram-cover", "unigram/1"],
    ["table-cover", "table/1"],
  ]
) {
  Deno.test(`the seeded fault ${id} is found among seeds`, async () => {
    using tree = new PatchedTree(RUNTIME_FAULTS.find((fault) => fault.id === id)!);
    const keys = keysOf([cutting(["gpt2-split"]), ...SEEDS], await tree.runtime());
    assert(keys.includes(`same-ids ${step}`), keys.join(", "));
  });
}
