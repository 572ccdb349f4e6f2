/** Stage 26: blobs under another name, blobs that are missing, and literals of templates. */
import { utf8 } from "../../writer/bytes.ts";
import type { BlobDescription } from "../../writer/description.ts";
import { CONTENT, content, withBlobs } from "../blob_bytes.ts";
import { corrupt, type Recipe, type ValidCase } from "../case.ts";
import { replaced } from "../items.ts";
import { tok } from "../library.ts";
import { richTemplate, richTokenizer } from "../rich.ts";
import { adding, bpe, fallback, fullLiterals, unigram } from "../valid/tokenizers.ts";

const record = (
  kind: number,
  name: string,
  payload: Uint8Array,
  media_type = "application/slm2-table",
): BlobDescription => ({
  kind,
  name,
  media_type,
  payload,
});

export const named: Recipe = {
  name: "corrupt/blob/name",
  reason: "each kind has one name and one media type, and stands once",
  spec: "classes.md 4 and 10",
  cites: [
    "classes-4 A blob outside this grammar",
    "classes-4 Blobs (media type",
    "classes-10 A blob that breaks its row",
  ],
  cases() {
    const parent = richTokenizer();
    const change = (
      local: string,
      why: string,
      blobs: (list: readonly BlobDescription[]) => readonly BlobDescription[],
      from = parent,
    ) => corrupt(from, `${named.name}/${local}`, why, withBlobs(from, blobs), CONTENT);
    return [
      ...parent.description.blobs!.flatMap(({ kind, name }) => [
        change(
          `${name}-renamed`,
          `the blob ${name} under another name`,
          (list) => list.map((blob) => blob.kind === kind ? { ...blob, name: `${name}2` } : blob),
        ),
        change(
          `${name}-media`,
          `the blob ${name} of another media type`,
          (list) =>
            list.map((blob) =>
              blob.kind === kind ? { ...blob, media_type: "application/octet-stream" } : blob
            ),
        ),
        change(
          `${name}-twice`,
          `two blobs of the kind of ${name}`,
          (list) => [...list, { ...list.find((blob) => blob.kind === kind)!, name: `${name}2` }],
        ),
      ]),
      change(
        "media-plain",
        "a literal of another media type",
        (list) => list.map((blob, i) => i === 0 ? { ...blob, media_type: "text/html" } : blob),
        richTemplate(),
      ),
      change(
        "media-last",
        "the last literal of another media type",
        (list) =>
          list.map((blob, i) =>
            i === list.length - 1 ? { ...blob, media_type: "application/slm2-table" } : blob
          ),
        richTemplate(),
      ),
    ];
  },
};

export const needed: Recipe = {
  name: "corrupt/blob/missing",
  reason: "a blob that the kind needs and lacks, seen after the last object",
  spec: "classes.md 4, slm2.md 8, stage 26",
  cites: [
    "slm2-8.26 after the last object",
    "slm2-decisions *Stage 26",
    "classes-4 A blob outside this grammar",
  ],
  cases() {
    const drop = (parent: ValidCase, kind: number, local: string, why: string) =>
      corrupt(
        parent,
        `${needed.name}/${local}`,
        why,
        withBlobs(parent, (list) => list.filter((blob) => blob.kind !== kind)),
        CONTENT,
      );
    return [
      drop(bpe(), 2, "merges", "byte-level-bpe/1 without merges"),
      drop(unigram(), 3, "scores-unigram", "unigram/1 without scores"),
      drop(fallback(), 3, "scores-bpe", "score-bpe/1 without scores"),
      drop(fallback(), 5, "byte-fallback", "byte_fallback true without its blob"),
      drop(bpe(), 1, "vocabulary", "no vocabulary; the merges' ids have no entries"),
      drop(adding(), 1, "vocabulary-of-added", "no vocabulary"),
      corrupt(
        tok(),
        `${needed.name}/kind-changed`,
        "a table/1 that says it is unigram/1",
        replaced(tok(), ["body", "kind"], "unigram/1"),
        CONTENT,
      ),
      corrupt(
        tok(),
        `${needed.name}/kind-changed-bpe`,
        "a table/1 that says it is byte-level-bpe/1",
        replaced(tok(), ["body", "kind"], "byte-level-bpe/1"),
        CONTENT,
      ),
      corrupt(
        tok(),
        `${needed.name}/fallback-claimed`,
        "byte_fallback becomes true",
        replaced(tok(), ["body", "byte_fallback"], true),
        CONTENT,
      ),
    ];
  },
};

export const literals: Recipe = {
  name: "corrupt/blob/literal",
  reason: "literals are UTF-8, and at most 256 KiB in all",
  spec: "classes.md 5",
  cites: ["classes-5 Blobs of kind 16", "classes-10 16 | template.literal"],
  cases: () => [
    ...["80", "c3", "c0af", "eda080", "f4908080", "41ff", "e282"].map((hex) =>
      content(
        richTemplate(),
        16,
        `${literals.name}/${hex}`,
        `a literal of the bytes ${hex}`,
        Uint8Array.fromHex(hex),
      )
    ),
    corrupt(
      fullLiterals(),
      `${literals.name}/256-kib-plus-1`,
      "the second literal passes 256 KiB by one byte",
      withBlobs(
        fullLiterals(),
        (list) =>
          list.map((blob, i) => i === 1 ? { ...blob, payload: utf8("y".repeat(145)) } : blob),
      ),
      CONTENT,
    ),
    corrupt(
      fullLiterals(),
      `${literals.name}/third-passes`,
      "a third literal passes 256 KiB",
      withBlobs(fullLiterals(), (list) => [...list, record(16, "z", utf8("z"), "text/plain")]),
      CONTENT,
    ),
  ],
};
