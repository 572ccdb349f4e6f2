/** Stage 26: blobs of piece sets, provenance, receipts and retrieval indexes. */
import { vocabularyTable } from "../../writer/build/tokenizer.ts";
import { concat, u32, utf8 } from "../../writer/bytes.ts";
import { blobOf, CONTENT, content, withBlobs } from "../blob_bytes.ts";
import { type Case, corrupt, type Recipe } from "../case.ts";
import { replaced } from "../items.ts";
import { full, pieces } from "../library.ts";
import { richProvenance, richReceipt } from "../rich.ts";

export const sets: Recipe = {
  name: "corrupt/blob/pieces",
  reason: "a piece set's one blob: its name, its length, its root",
  spec: "classes.md 7 and 10",
  cites: [
    "classes-7 One blob exactly",
    "classes-7 One blob, kind 32",
    "classes-10 32 | piece_set.hashes",
    "classes-10 the second blob",
  ],
  cases() {
    const hash = blobOf(pieces(), 32);
    return [
      content(pieces(), 32, `${sets.name}/short`, "31 bytes for one piece", hash.slice(1)),
      content(
        pieces(),
        32,
        `${sets.name}/long`,
        "33 bytes for one piece",
        concat(hash, new Uint8Array(1)),
      ),
      content(pieces(), 32, `${sets.name}/two`, "two hashes for one piece", concat(hash, hash)),
      content(pieces(), 32, `${sets.name}/one-byte`, "one byte", new Uint8Array(1)),
      content(
        pieces(),
        32,
        `${sets.name}/other`,
        "another hash than the root's",
        hash.with(0, hash[0] ^ 1),
      ),
      corrupt(
        pieces(),
        `${sets.name}/root`,
        "another root than the hashes'",
        replaced(pieces(), ["body", "root"], hash),
        CONTENT,
      ),
      corrupt(
        pieces(),
        `${sets.name}/name`,
        "another name",
        withBlobs(pieces(), ([blob]) => [{ ...blob, name: "hash" }]),
        CONTENT,
      ),
      corrupt(
        pieces(),
        `${sets.name}/second`,
        "a second blob",
        withBlobs(pieces(), ([blob]) => [blob, { ...blob, name: "more" }]),
        CONTENT,
      ),
    ];
  },
};

const UTF8_FAULTS = ["80", "ff", "c3", "c080", "eda080", "f5808080", "4180"];

export const texts: Recipe = {
  name: "corrupt/blob/text",
  reason: "notices and reports are UTF-8",
  spec: "classes.md 10",
  cites: [
    "classes-10 48 | notice.text",
    "classes-10 80 |",
    "classes-10 A blob that breaks its row",
  ],
  cases: () => [
    ...UTF8_FAULTS.map((hex) =>
      content(
        richProvenance(),
        48,
        `${texts.name}/notice-${hex}`,
        `a notice of the bytes ${hex}`,
        Uint8Array.fromHex(hex),
      )
    ),
    ...UTF8_FAULTS.map((hex) =>
      content(
        richReceipt(),
        80,
        `${texts.name}/report-${hex}`,
        `a report of the bytes ${hex}`,
        Uint8Array.fromHex(hex),
      )
    ),
    content(
      richReceipt(),
      80,
      `${texts.name}/report-late`,
      "a report whose 3,000th byte is wrong",
      concat(utf8("x".repeat(2999)), new Uint8Array([0x80])),
    ),
  ],
};

/** `one`, ``, `three`: offsets 0, 3, 3, 8. */
const documents = (list: readonly number[], bytes = "onethree", count = list.length - 1) =>
  concat(u32(count), ...list.map(u32), utf8(bytes));

export const index: Recipe = {
  name: "corrupt/blob/documents",
  reason: "a document a row, each UTF-8 by itself",
  spec: "classes.md 9 and 10",
  cites: ["classes-9 one blob 64", "classes-10 64 | retrieval", "classes-10 the second blob"],
  cases() {
    const one = (local: string, why: string, payload: Uint8Array): Case =>
      content(full(), 64, `${index.name}/${local}`, why, payload);
    const e = Uint8Array.fromHex("c3a9");
    return [
      one("count-less", "two documents for three rows", vocabularyTable(["one", ""])),
      one("count-more", "four documents for three rows", vocabularyTable(["one", "", "three", ""])),
      one(
        "count-says-2",
        "a count of 2 before four offsets",
        documents([0, 3, 3, 8], "onethree", 2),
      ),
      one("count-max", "a count of 2^32 - 1", documents([0, 3, 3, 8], "onethree", MAX)),
      one("length-3", "no whole count", new Uint8Array(3)),
      one("first-1", "offsets begin at 1", documents([1, 3, 3, 8])),
      one("decreasing", "an offset falls", documents([0, 3, 2, 8])),
      one("last-short", "the last is short of the bytes", documents([0, 3, 3, 7])),
      one("last-long", "the last is past the bytes", documents([0, 3, 3, 9])),
      one("all-zero", "every offset is 0, and there are bytes", documents([0, 0, 0, 0])),
      one("last-zero", "the last offset falls to 0", documents([0, 3, 3, 0])),
      one(
        "past-then-back",
        "an offset passes the bytes, the next comes back",
        documents([0, 9, 3, 8]),
      ),
      one(
        "split-code-point",
        "one code point in two documents",
        vocabularyTable([e.slice(0, 1), e.slice(1), ""]),
      ),
      one(
        "not-utf8",
        "a document that is no UTF-8",
        vocabularyTable(["one", "", new Uint8Array([0x74, 0x80])]),
      ),
      one(
        "surrogate",
        "a document with a surrogate",
        vocabularyTable([Uint8Array.fromHex("eda080"), "", ""]),
      ),
      corrupt(
        full(),
        `${index.name}/second`,
        "a second blob of its kind",
        withBlobs(full(), ([blob]) => [blob, { ...blob, name: "more" }]),
        CONTENT,
      ),
    ];
  },
};

const MAX = 0xffffffff;
