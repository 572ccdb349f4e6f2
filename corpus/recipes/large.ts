/**
 * Files larger than the windows through which readers stream (slm2.md section 8): what crosses the
 * border of a window must be judged as if there were none.
 */
import { utf8 } from "../writer/bytes.ts";
import { REGISTERED } from "../writer/profiles.ts";
import { setCode, zeroCode } from "../writer/padding.ts";
import { vocabularyTable } from "../writer/build/tokenizer.ts";
import { blobOf, content } from "./blob_bytes.ts";
import { corrupt, lazy, type Recipe, valid } from "./case.ts";
import { full } from "./library.ts";
import { remade } from "./parts.ts";
import { richProvenance } from "./rich.ts";
import { dense, quantized } from "./valid/tensors.ts";
import { tensorPack } from "../writer/build/model.ts";

const KIB = 1024, MIB = KIB * KIB;

/** Rows of two q4-0 blocks, the second with three elements: 36 bytes a row, just over 1 MiB. */
const ROWS = 29200;
const PROFILE = "q4-0.b32.row";

const lanes = lazy(() =>
  valid(
    "valid/large/padded-rows",
    "1 MiB of rows, each with padded lanes",
    quantized(PROFILE, [ROWS, 35]),
  )
);

/** A text of three-byte characters: any border of a window but a few falls inside one. */
const euros = utf8("\u20ac".repeat(Math.ceil((MIB + 5000) / 3)));

const notice = lazy(() => {
  const { blobs = [], ...rest } = richProvenance().description;
  return valid("valid/large/notice", "a notice of 1 MiB in characters of three bytes", {
    ...rest,
    blobs: blobs.map((blob, i) => i === 0 ? { ...blob, payload: euros } : blob),
  });
});

const documents = lazy(() => {
  const { tensors: _, auxiliaries: __, blobs = [], ...rest } = full().description;
  const list = [
    "",
    "\u20ac".repeat(100000),
    ...Array.from({ length: 298 }, (_, i) => "\u00e9".repeat(i)),
  ];
  return valid(
    "valid/large/documents",
    "300 documents, one of 300,000 bytes in characters of three",
    {
      ...rest,
      body: { ...rest.body, count: list.length },
      tensors: [dense("f32", [list.length, 4], { role: "vectors", name: "vectors" })],
      blobs: blobs.map((blob) => ({ ...blob, payload: vocabularyTable(list) })),
    },
  );
});

const valids: Recipe = {
  name: "valid/large",
  reason: "files larger than a reader's windows, and one of two pieces",
  spec: "slm2.md 8 and 9, classes.md 7",
  cites: [
    "slm2-9 An accept verdict carries",
    "classes-7 `node",
    "slm2-8 Payload bytes are streamed",
  ],
  cases: () => [
    valid(
      "valid/large/two-pieces",
      "just over 4 MiB: its own piece_root has two leaves",
      tensorPack([
        dense("u8", [64], { role: "a", name: "a" }),
        dense("u8", [4 * MIB], { role: "b", name: "b", payload: new Uint8Array(4 * MIB) }),
        dense("u8", [3], { role: "c", name: "c" }),
      ]),
    ),
    lanes(),
    notice(),
    documents(),
  ],
};

const faults: Recipe = {
  name: "corrupt/large",
  reason: "one fault deep in a payload, at the borders of usual windows",
  spec: "slm2.md 8, stage 26",
  cites: ["slm2-8 Payload bytes are streamed"],
  cases() {
    const { fields } = REGISTERED.get(PROFILE)!;
    const row = (at: number) => Math.floor(at / 36);
    const rows = [0, row(64 * KIB), row(256 * KIB) - 1, row(256 * KIB), row(MIB), ROWS - 1];
    const text = (at: number) => euros.with(at, 0x41);
    return [
      ...rows.map((n) =>
        corrupt(
          lanes(),
          `${faults.name}/lane-of-row-${n}`,
          `the last padded lane of row ${n}`,
          remade(lanes().artifact.bytes, ({ payloads }) =>
            setCode(payloads[0].subarray(36 * n + 18), 31, zeroCode(fields) ^ 1, fields)),
          [26, "PaddedLane", "payload"],
        )
      ),
      ...[64 * KIB, 256 * KIB, MIB].map((at) =>
        content(
          notice(),
          48,
          `${faults.name}/notice-at-${at}`,
          `a character that is cut at byte ${at}`,
          text(at),
        )
      ),
      content(
        documents(),
        64,
        `${faults.name}/document-last-byte`,
        "the last document ends inside a character",
        blobOf(documents(), 64).with(blobOf(documents(), 64).length - 1, 0xc3),
      ),
    ];
  },
};

export const large: readonly Recipe[] = [valids, faults];
