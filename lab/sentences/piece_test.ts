/** Pieces (classes.md 7): a row a sentence. */
import { pieceSet } from "../../corpus/writer/build/evidence.ts";
import type { PieceRequest } from "../../readers/contract.ts";
import { memorySource } from "../../readers/source.ts";
import { base } from "./artifacts.ts";
import { file, hash, judged, outcomeOf, READERS } from "./sentences.ts";

const DATA = new Uint8Array(2 * 4194304 + 5).fill(3);

const SUBJECT = { class: 1, artifact_id: "11".repeat(32), whole_file: "22".repeat(32) };

const set = pieceSet(SUBJECT, DATA);

const SET = file(set.description);

const last = DATA.subarray(0, 5);

const piece =
  (request: Partial<PieceRequest> = {}, bytes = SET) => (reader: typeof READERS[number]) =>
    outcomeOf(reader.piece({ set: memorySource(bytes), index: 2, data: last, ...request }));

judged("classes.md 7, a piece", [
  ["alone", piece(), "accept"],
  ["with its proof", piece({ proof: set.proof(2) }), "accept"],
  ["with no step of one", piece({ proof: [] }), "27 PieceRoot [none]"],
  ["a step too many", piece({ proof: [...set.proof(2), hash(1)] }), "27 PieceRoot [none]"],
  ["another piece's", piece({ proof: set.proof(1) }), "27 PieceRoot [none]"],
  ["a subject of no keys", piece({ subject: {} }), "accept"],
  [
    "its subject",
    piece({
      subject: {
        artifact_id: SUBJECT.artifact_id,
        whole_file: SUBJECT.whole_file,
        bytes: DATA.length,
      },
    }),
    "accept",
  ],
  [
    "another length, before the index",
    piece({ index: 3, subject: { bytes: DATA.length + 1 } }),
    "27 PieceSubject [none]",
  ],
  [
    "another file",
    piece({ subject: { whole_file: SUBJECT.artifact_id } }),
    "27 PieceSubject [none]",
  ],
  ["index before length", piece({ index: 3, data: new Uint8Array(0) }), "27 PieceIndex [none]"],
  ["an index below 0 is none of its pieces", piece({ index: -1 }), "27 PieceIndex [none]"],
  ["length before hash", piece({ data: last.subarray(1) }), "27 PieceLength [none]"],
  ["no data", piece({ data: new Uint8Array(0) }), "27 PieceLength [none]"],
  ["hash before root", piece({ data: new Uint8Array(5), proof: [] }), "27 PieceHash [none]"],
  ["a rejected set", piece({ index: 9 }, SET.slice(1)), "4 BadMagic [header]"],
  ["no set", piece({}, base.bytes), "skip"],
  [
    "one piece is its own root",
    piece({ index: 0, proof: [] }, file(pieceSet(SUBJECT, last).description)),
    "accept",
  ],
]);
