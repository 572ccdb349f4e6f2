import { assertEquals } from "@std/assert";
import { table } from "./reader.ts";
import { type Cbor, concat, fill32, le, memory, short, utf8, words } from "./testing.ts";
import { type BlobDraft, build, type Draft } from "./testing_build.ts";
import {
  documents,
  MERGES,
  pieceSet,
  provenance,
  receipt,
  retrieval,
  template,
  tokenizer,
  tokenizerBlob,
  VOCABULARY,
} from "./testing_samples.ts";

const verdict = (draft: Draft) => short(table.read({ source: memory(build(draft)) }).verdict);
const WRONG = "26 BlobContent [payload]";
function check(cases: readonly [boolean, Draft][]): void {
  for (const [i, [holds, draft]] of cases.entries()) {
    assertEquals(verdict(draft), holds ? "accept" : WRONG, `case ${i}`);
  }
}

Deno.test("stage 26: tokenizer blobs", () => {
  const vocabulary = tokenizerBlob(1, "vocabulary", VOCABULARY);
  const merges = tokenizerBlob(2, "merges", MERGES);
  const plain = { kind: "table/1" };
  const of = (...blobs: BlobDraft[]) => tokenizer(plain, blobs);
  const withVocabulary = (data: Uint8Array) => of(tokenizerBlob(1, "vocabulary", data));
  const withMerges = (...ns: number[]) => of(vocabulary, tokenizerBlob(2, "merges", words(...ns)));
  const f32 = (...ns: number[]) => new Uint8Array(Float32Array.from(ns).buffer);
  const withScores = (...parts: Uint8Array[]) =>
    of(vocabulary, tokenizerBlob(3, "scores", concat(...parts)));
  const withNormalizer = (...parts: Uint8Array[]) =>
    of(vocabulary, tokenizerBlob(4, "normalizer", concat(...parts)));
  const rule = (from: string, to: string) =>
    concat(le(utf8(from).length, 2), utf8(from), le(utf8(to).length, 2), utf8(to));
  const withAdded = (...parts: Uint8Array[]) =>
    of(vocabulary, tokenizerBlob(6, "added-tokens", concat(...parts)));
  const token = (id: number, flags: number) => concat(le(id, 4), le(flags, 1));

  check([
    [true, of(vocabulary)],
    [true, of(vocabulary, merges)],
    [false, of({ ...vocabulary, name: "vocab" })],
    [false, of({ ...vocabulary, media: "text/plain" })],
    [false, of(vocabulary, { ...vocabulary, name: "vocabulary2" })],
    // what is needed and missing
    [false, tokenizer({ kind: "byte-level-bpe/1" }, [vocabulary])],
    [false, tokenizer({ kind: "score-bpe/1" }, [vocabulary, merges])],
    [false, tokenizer({ kind: "unigram/1" }, [vocabulary])],
    [true, tokenizer({ kind: "wordpiece/1" }, [vocabulary])],
    [false, tokenizer({ ...plain, byte_fallback: true }, [vocabulary])],
    [false, of(tokenizerBlob(2, "merges", words(0)))],
    [false, of(tokenizerBlob(6, "added-tokens", words(0)))],
    // vocabulary
    [false, withVocabulary(words(4))],
    [false, withVocabulary(Uint8Array.of(4))],
    [false, withVocabulary(concat(words(3, 0, 1, 2, 4), utf8("abab")))],
    [false, withVocabulary(concat(words(4, 1, 1, 2, 4, 4), utf8("abab")))],
    [false, withVocabulary(concat(words(4, 0, 2, 1, 4, 4), utf8("abab")))],
    [false, withVocabulary(concat(words(4, 0, 1, 2, 3, 3), utf8("abab")))],
    [false, withVocabulary(concat(words(4, 0, 1, 2, 4, 5), utf8("abab")))],
    [true, withVocabulary(words(4, 0, 0, 0, 0, 0))],
    [true, withVocabulary(concat(words(4, 0, 0, 0, 0, 1), le(0xff, 1)))],
    // merges
    [true, withMerges(0)],
    [true, withMerges(1, 3, 3, 3)],
    [true, withMerges(1, 2, 3, 2)],
    [false, withMerges(2, 0, 1, 2)],
    [false, withMerges(1, 0, 1, 2, 0)],
    [false, withMerges(1, 0, 1, 4)],
    [false, withMerges(1, 4, 1, 2)],
    [false, withMerges(1, 1, 0, 2)],
    [false, withMerges(1, 0, 0, 2)],
    [false, withMerges(1, 0, 3, 2)],
    [false, withMerges(1, 2, 1, 2)],
    [false, withMerges(2, 0, 1, 2, 0, 1, 2)],
    [false, withMerges(3, 0, 1, 2, 0, 3, 0, 0, 1, 2)],
    // scores
    [true, withScores(words(4), f32(0, -1, 2, 3))],
    [false, withScores(words(3), f32(0, -1, 2))],
    [false, withScores(words(4), f32(0, -1, 2))],
    [false, withScores(words(4), f32(0, -1, 2, 3, 4))],
    [false, withScores(words(4), f32(0, -1, NaN, 3))],
    [false, withScores(words(4), f32(0, -1, 2, -Infinity))],
    // normalizer
    [true, withNormalizer(words(0))],
    [true, withNormalizer(words(3), rule("a", ""), rule("ab", "x"), rule("b", ""))],
    [false, withNormalizer(words(1), rule("", "x"))],
    [false, withNormalizer(words(2), rule("b", ""), rule("a", ""))],
    [false, withNormalizer(words(2), rule("a", ""), rule("a", "x"))],
    [false, withNormalizer(words(2), rule("ab", ""), rule("a", ""))],
    [false, withNormalizer(words(1), rule("a", ""), rule("b", ""))],
    [false, withNormalizer(words(2), rule("a", ""))],
    [false, withNormalizer(words(1), le(3, 2), utf8("ab"))],
    [false, withNormalizer(words(1), le(1, 2), utf8("a"), le(1, 1))],
    [false, withNormalizer(words(2 ** 32 - 1))],
    [false, withNormalizer(Uint8Array.of(0))],
    // added tokens
    [true, withAdded(words(0))],
    [true, withAdded(words(2), token(0, 0), token(3, 31))],
    [false, withAdded(words(1), token(4, 0))],
    [false, withAdded(words(1), token(3, 32))],
    [false, withAdded(words(2), token(1, 0), token(1, 0))],
    [false, withAdded(words(2), token(1, 0), token(0, 0))],
    [false, withAdded(words(2), token(1, 0))],
    [false, withAdded(words(0), token(1, 0))],
  ]);

  // byte fallback: entries 0 to 255 are the bytes, backwards, and one more
  const bytes = concat(
    words(257, ...Array.from({ length: 257 }, (_, i) => i), 256),
    Uint8Array.from({ length: 256 }, (_, i) => 255 - i),
  );
  const fallback = (ids: number[]): Draft =>
    tokenizer({ kind: "table/1", byte_fallback: true, vocab_size: 257 }, [
      tokenizerBlob(1, "vocabulary", bytes),
      tokenizerBlob(5, "byte-fallback", words(...ids)),
    ]);
  const ids = Array.from({ length: 256 }, (_, i) => 255 - i);
  check([
    [true, fallback(ids)],
    [false, fallback(ids.toReversed())],
    [false, fallback(ids.with(7, 256))],
    [false, fallback(ids.with(7, 257))],
    [false, fallback(ids.with(7, ids[8]))],
    [false, fallback(ids.slice(1))],
    [false, fallback([...ids, 0])],
  ]);
});

Deno.test("stage 26: merges of long entries, repeated", () => {
  // a, then A and A + a many times over: equal contents under many ids
  const long = new Uint8Array(5000).fill(0x41);
  const copies = 300;
  const parts = [
    ...Array.from({ length: copies }, () => utf8("a")),
    ...Array.from({ length: copies }, () => long),
    ...Array.from({ length: copies }, () => concat(long, utf8("a"))),
    concat(long, utf8("b")),
  ];
  let at = 0;
  const vocabulary = concat(words(parts.length, 0, ...parts.map((p) => at += p.length)), ...parts);
  const all = Array.from({ length: copies * copies }, (_, i) => {
    const [a, b] = [i % copies, Math.floor(i / copies)];
    return [copies + a, b, 2 * copies + (a + b) % copies];
  }).flat();
  const of = (ns: number[]): Draft =>
    tokenizer({ kind: "table/1", vocab_size: parts.length, bos: { auto: false, id: null } }, [
      tokenizerBlob(1, "vocabulary", vocabulary),
      tokenizerBlob(
        2,
        "merges",
        concat(words(ns.length / 3), new Uint8Array(Uint32Array.from(ns).buffer)),
      ),
    ]);
  check([
    [true, of(all)],
    [false, of(all.with(all.length - 1, 3 * copies))],
    [false, of(all.with(all.length - 1, 0))],
    [false, of([...all, copies, 2, 2 * copies])],
  ]);
});

Deno.test("stage 26: the hash of an object comes before its content, objects in order", () => {
  const vocabulary = tokenizerBlob(1, "vocabulary", words(4));
  const unhashed = (b: BlobDraft) => ({ ...b, set: { content_hash: fill32(1) } });
  const merges = tokenizerBlob(2, "merges", words(0));
  const of = (...blobs: BlobDraft[]) => verdict(tokenizer({ kind: "table/1" }, blobs));
  assertEquals(of(unhashed(vocabulary)), "26 PayloadHashMismatch [payload]");
  assertEquals(of(vocabulary, unhashed(merges)), WRONG);
  const good = tokenizerBlob(1, "vocabulary", VOCABULARY);
  assertEquals(of(good, unhashed(merges)), "26 PayloadHashMismatch [payload]");
});

Deno.test("stage 26: literals, notices and reports", () => {
  const literals = (...blobs: BlobDraft[]) => ({
    ...template({ program: [], generation_marker: null }),
    blobs,
  });
  const literal = (name: string, data: Uint8Array): BlobDraft => ({ kind: 16, name, data });
  const kib = (n: number) => new Uint8Array(n * 1024).fill(0x41);
  const notice = (data: Uint8Array, media?: string): Draft => ({
    ...provenance(),
    blobs: [{ kind: 48, name: "n", data, media }],
  });
  const split = concat(kib(256).subarray(1), utf8("\u20ac"));
  check([
    [true, literals(literal("a", kib(256)))],
    [false, literals(literal("a", kib(256)), literal("b", utf8("b")))],
    [true, literals(literal("a", kib(128)), literal("b", kib(128)))],
    [false, literals(literal("a", utf8("\u20ac").subarray(0, 2)))],
    [false, literals(literal("a", Uint8Array.of(0xed, 0xa0, 0x80)))],
    [true, literals(literal("a", utf8("\uffff")))], // any UTF-8: no rule of section 5
    [false, literals({ ...literal("a", utf8("a")), media: "text/html" })],
    [true, notice(utf8("a"), "any/thing")],
    [true, notice(split)], // a code point across two windows
    [false, notice(split.subarray(0, split.length - 1))],
    [false, notice(concat(split, Uint8Array.of(0x80)))],
    [false, { ...receipt(), blobs: [{ kind: 80, name: "r", data: Uint8Array.of(0xc0, 0x80) }] }],
    [true, {
      ...receipt(),
      blobs: [1, 2].map((i) => ({ kind: 80, name: `r${i}`, data: utf8("ok") })),
    }],
  ]);
});

Deno.test("stage 26: piece sets", () => {
  const draft = pieceSet();
  const body = draft.body as { [key: string]: Cbor };
  const [blob] = draft.blobs!;
  const flipped = blob.data.slice();
  flipped[40] ^= 1;
  check([
    [true, draft],
    [true, pieceSet(new Uint8Array(1))],
    [true, { ...draft, blobs: [{ ...blob, media: "any/thing" }] }],
    [false, { ...draft, blobs: [{ ...blob, name: "hash" }] }],
    [false, { ...draft, blobs: [blob, { ...blob, name: "hashes2" }] }],
    [false, { ...draft, blobs: [{ ...blob, data: flipped }] }],
    [false, { ...draft, blobs: [{ ...blob, data: blob.data.subarray(32) }] }],
    [false, { ...draft, blobs: [{ ...blob, data: concat(blob.data, le(0, 1)) }] }],
    [false, { ...draft, body: { ...body, root: fill32(1) } }],
    // the length of the last piece is in its leaf
    [false, { ...draft, body: { ...body, subject_bytes: (body.subject_bytes as number) + 1 } }],
  ]);
});

Deno.test("stage 26: documents, streamed", () => {
  const good = documents(utf8("a\u00e9"), utf8(""), utf8("\u2581"));
  const count = good.length - 20;
  const at = (word: number, n: number) => {
    const copy = good.slice();
    copy.set(le(n, 4), 4 * word);
    return retrieval(copy);
  };
  const r = retrieval();
  check([
    [true, r],
    [false, at(0, 2)],
    [false, at(0, 2 ** 32 - 1)],
    [false, at(1, 1)],
    [false, at(2, 5)],
    [false, at(3, 2)],
    [false, at(2, 2)], // inside the second letter
    [true, at(2, 1)],
    [false, at(4, count - 1)],
    [false, at(4, count + 1)],
    [false, retrieval(good.subarray(0, 3))],
    [false, retrieval(good.subarray(0, 12))],
    [false, retrieval(concat(good, le(0x41, 1)))],
    [false, retrieval(documents(utf8("a"), Uint8Array.of(0xff), utf8("b")))],
    [false, retrieval(documents(utf8("a"), utf8("b"), Uint8Array.of(0xe2, 0x82)))],
    [true, retrieval(documents(utf8(""), utf8(""), utf8("")))],
    [false, { ...r, blobs: [...r.blobs!, { ...r.blobs![0], name: "documents2" }] }],
  ]);

  // Longer than every window: 100,000 documents of some bytes, then one of 300,000.
  const texts = Array.from({ length: 100_000 }, (_, i) => utf8("\u20ac".repeat(i % 4)));
  const long = new Uint8Array(300_000).fill(0x41);
  const many = (edit: (data: Uint8Array) => void): Draft => {
    let at = 0;
    const offsets = [...texts, long].map((text) => at += text.length);
    const data = new Uint8Array(8 + 4 * offsets.length + at);
    const view = new DataView(data.buffer);
    view.setUint32(0, offsets.length, true);
    offsets.forEach((offset, i) => view.setUint32(8 + 4 * i, offset, true));
    let place = 8 + 4 * offsets.length;
    for (const text of [...texts, long]) {
      data.set(text, place);
      place += text.length;
    }
    edit(data);
    const draft = retrieval(data);
    const count = offsets.length;
    return {
      ...draft,
      body: { ...(draft.body as { [key: string]: Cbor }), count },
      tensors: [{ ...draft.tensors![0], shape: [count, 2], data: new Uint8Array(8 * count) }],
    };
  };
  const view = (data: Uint8Array) => new DataView(data.buffer);
  check([
    [true, many(() => {})],
    [
      false,
      many((data) =>
        view(data).setUint32(8 + 4 * 60_001, 1 + view(data).getUint32(8 + 4 * 60_001, true), true)
      ),
    ],
    [false, many((data) => data[data.length - 1] = 0x80)],
    [false, many((data) => data[8 + 4 * 100_001 + 280_000] = 0xff)],
  ]);
});
