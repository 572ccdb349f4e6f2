/** Other blobs (classes.md 5, 7 and 10) and padded lanes (slm2.md 7.2): a row a sentence. */
import { tensorPack } from "../../corpus/writer/build/model.ts";
import { pieceSet } from "../../corpus/writer/build/evidence.ts";
import type { Description } from "../../corpus/writer/description.ts";
import { setField } from "../../corpus/writer/fields.ts";
import { edited, type Edits, file, hash, sentences } from "./sentences.ts";

const CONTENT = "26 BlobContent [payload]";

/** A file whose blob `i` has another hash than its bytes. */
const damaged = (description: Description, i: number, edits: Edits = {}) => () => {
  const bytes = edited(description, edits);
  setField(bytes, `blob[${i}].content_hash`, hash(7));
  return bytes;
};

const TEXTS: Description = {
  artifact_class: 5,
  body: {
    fields: [],
    generation_marker: null,
    instruction_set: 1,
    program: [],
    roles: [],
    stop_tokens: [],
    tokenizer_id: hash(1),
  },
  dependencies: [{ role: "tokenizer", artifact_class: 4, id: hash(1), whole_file: null }],
};

const text = (name: string, length: number, media_type = "text/plain", kind = 16) => ({
  kind,
  name,
  media_type,
  payload: new Uint8Array(length).fill(97),
});

const RECORD: Description = {
  artifact_class: 12,
  body: {
    cases: 1,
    cases_passed: 1,
    dataset: hash(0),
    evaluator: "e",
    scope: "s",
    status: "pass",
    subject: hash(1),
    subject_whole_file: hash(2),
  },
  dependencies: [{ role: "subject", artifact_class: 1, id: hash(1), whole_file: hash(2) }],
};

const SUBJECT = { class: 1, artifact_id: "11".repeat(32), whole_file: "22".repeat(32) };

const SET = pieceSet(SUBJECT, new Uint8Array(4194305)).description;

const lane = (type: string, bytes: number, ...at: [number, number][]) => () => {
  const payload = new Uint8Array(bytes);
  for (const [i, value] of at) payload[i] = value;
  return file(tensorPack([{ role: "w", name: "w", shape: [31], type, payload }]));
};

const LANE = "26 PaddedLane [payload]";

sentences("classes.md 5, 7 and 10, contents; slm2.md 7.2, padded lanes", [
  [
    "256 KiB of literals",
    () => file({ ...TEXTS, blobs: [text("a", 2 ** 17), text("b", 2 ** 17)] }),
    "accept",
  ],
  [
    "a byte more",
    () => file({ ...TEXTS, blobs: [text("a", 2 ** 17), text("b", 2 ** 17 + 1)] }),
    CONTENT,
  ],
  [
    "at the object that passes it",
    damaged({ ...TEXTS, blobs: [text("a", 2 ** 18), text("b", 1), text("c", 1)] }, 2),
    CONTENT,
  ],
  [
    "not before it",
    damaged({ ...TEXTS, blobs: [text("a", 2 ** 18), text("b", 1)] }, 0),
    "26 PayloadHashMismatch [payload]",
  ],
  ["another media type", () => file({ ...TEXTS, blobs: [text("a", 1, "text/html")] }), CONTENT],
  [
    "a report of any media type",
    () => file({ ...RECORD, blobs: [text("a", 1, "x", 80), text("b", 1, "y", 80)] }),
    "accept",
  ],
  [
    "a report in UTF-8",
    () =>
      file({ ...RECORD, blobs: [{ ...text("a", 1, "x", 80), payload: new Uint8Array([0xc3]) }] }),
    CONTENT,
  ],
  [
    "unassigned is UTF-8",
    () =>
      file({
        ...RECORD,
        blobs: [{
          ...text("a", 1, "x", 80),
          payload: new Uint8Array([0xef, 0xbf, 0xbf, 0xef, 0xbb, 0xbf]),
        }],
      }),
    "accept",
  ],
  [
    "another class's kind",
    () => file({ ...RECORD, blobs: [text("a", 1, "x", 48)] }),
    "22 BlobKindNotPermitted [blobs]",
  ],
  ["a piece set", () => file(SET), "accept"],
  [
    "any media type",
    () => file({ ...SET, blobs: [{ ...SET.blobs![0], media_type: "a" }] }),
    "accept",
  ],
  ["its name", () => file({ ...SET, blobs: [{ ...SET.blobs![0], name: "a" }] }), CONTENT],
  [
    "its length",
    () => file({ ...SET, blobs: [{ ...SET.blobs![0], payload: new Uint8Array(65) }] }),
    CONTENT,
  ],
  ["its root", () => edited(SET, { "body.root": hash(1) }), CONTENT],
  ["its length's last piece", () => edited(SET, { "body.subject_bytes": 4194306 }), CONTENT],
  [
    "a second blob",
    () => file({ ...SET, blobs: [SET.blobs![0], { ...SET.blobs![0], name: "z" }] }),
    CONTENT,
  ],
  [
    "the second is the one at fault",
    damaged({ ...SET, blobs: [SET.blobs![0], { ...SET.blobs![0], name: "z" }] }, 1),
    "26 PayloadHashMismatch [payload]",
  ],
  ["q8-0: 0", lane("q8-0.b32.pad", 34), "accept"],
  ["q8-0: 1", lane("q8-0.b32.pad", 34, [33, 1]), LANE],
  ["q4-0: 8 in the high half", lane("q4-0.b32.pad", 18, [17, 0x80]), "accept"],
  ["q4-0: 0", lane("q4-0.b32.pad", 18), LANE],
  ["q4-1: 0", lane("q4-1.b32.row", 20), "accept"],
  ["q4-1: 8", lane("q4-1.b32.row", 20, [19, 0x80]), LANE],
  ["q5-0: 16", lane("q5-0.b32.row", 22, [5, 0x80]), "accept"],
  ["q5-0: 0", lane("q5-0.b32.row", 22), LANE],
  ["q5-0: 17", lane("q5-0.b32.row", 22, [5, 0x80], [21, 0x10]), LANE],
  [
    "nf4: 7",
    lane(
      "nf4.b64.pad",
      34,
      [17, 0x70],
      ...Array.from({ length: 16 }, (_, i): [number, number] => [18 + i, 0x77]),
    ),
    "accept",
  ],
  [
    "nf4: 7 in the low half too",
    lane(
      "nf4.b64.pad",
      34,
      [17, 0x77],
      ...Array.from({ length: 16 }, (_, i): [number, number] => [18 + i, 0x77]),
    ),
    "accept",
  ],
  [
    "nf4: 0",
    lane(
      "nf4.b64.pad",
      34,
      [17, 0x07],
      ...Array.from({ length: 16 }, (_, i): [number, number] => [18 + i, 0x77]),
    ),
    LANE,
  ],
]);
