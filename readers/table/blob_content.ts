/** Blob contents at stage 26 (`classes.md` sections 4 and 10). */
import type { Artifact } from "./artifact.ts";
import {
  BYTE_FALLBACK,
  DOCUMENTS,
  LITERAL,
  MERGES,
  NOTICE,
  PIECE_HASHES,
  REPORT,
  SCORES,
  VOCABULARY,
} from "./blobs.ts";
import type { Judge } from "./content.ts";
import { Documents } from "./documents.ts";
import { type Fault, reject } from "./fault.ts";
import { B } from "./layouts.ts";
import { leafHash, pieceLength, Tree } from "./pieces.ts";
import { GRAMMARS } from "./tokenizer_blobs.ts";
import { Utf8 } from "./utf8.ts";

/** Section 5: all literals together. */
const LITERAL_BYTES = 256 * 1024;

/** A blob at fault. */
export function blobFault(offset: number, expected: string): Fault {
  return reject(26, "BlobContent", "payload", offset, expected);
}

/** A row of the tables in sections 4 and 10; what it leaves out is free. */
interface KindRow {
  readonly name?: string;
  readonly media?: string;
  readonly one?: true;
  judge(artifact: Artifact, row: number): Judge;
}

const TABLE_MEDIA = "application/slm2-table";
const KINDS: ReadonlyMap<number, KindRow> = new Map<number, KindRow>([
  ...GRAMMARS.map(({ kind, name, grammar }): [number, KindRow] => [
    kind,
    {
      name,
      media: TABLE_MEDIA,
      one: true,
      judge: (a, row) => new Held(a, row, (bytes) => grammar(a, bytes)),
    },
  ]),
  [LITERAL, { media: "text/plain", judge: (a, row) => new Text(a, row) }],
  [PIECE_HASHES, {
    name: "hashes",
    one: true,
    judge: (a, row) => new Held(a, row, (bytes) => pieceSetGrammar(a, bytes)),
  }],
  [NOTICE, { judge: (a, row) => new Text(a, row) }],
  [DOCUMENTS, {
    one: true,
    judge: (a, row) => new Documents(a, offsetOf(a, row), lengthOf(a, row)),
  }],
  [REPORT, { judge: (a, row) => new Text(a, row) }],
]);

function offsetOf(artifact: Artifact, row: number): number {
  return artifact.payload.offset + artifact.blobs.get(row, B.payload_relative_offset);
}
function lengthOf(artifact: Artifact, row: number): number {
  return artifact.blobs.get(row, B.payload_length);
}

/** The judge of a blob. Kinds are known to be permitted. */
export function blobJudge(artifact: Artifact, row: number): Judge {
  const { blobs, strings } = artifact;
  const kind = blobs.get(row, B.blob_kind);
  const offset = offsetOf(artifact, row);
  const known = KINDS.get(kind);
  if (known === undefined) throw new Error(`no row for kind ${kind}`);
  const isWrong = (wanted: string | undefined, id: number) =>
    wanted !== undefined && !strings.is(id, wanted);
  if (isWrong(known.name, blobs.get(row, B.canonical_name_string_id))) {
    return new Wrong(blobFault(offset, `name ${known.name}`));
  }
  if (isWrong(known.media, blobs.get(row, B.media_type_string_id))) {
    return new Wrong(blobFault(offset, `media type ${known.media}`));
  }
  if (known.one && row > 0 && blobs.get(row - 1, B.blob_kind) === kind) {
    return new Wrong(blobFault(offset, "one blob of this kind"));
  }
  if (kind === LITERAL) artifact.literalBytes += lengthOf(artifact, row);
  if (artifact.literalBytes > LITERAL_BYTES) {
    return new Wrong(blobFault(offset, "256 KiB of literals in all"));
  }
  return known.judge(artifact, row);
}

/** A blob that is at fault whatever its bytes are. */
class Wrong implements Judge {
  constructor(readonly fault: Fault) {}
  add(): void {}
  end(): Fault {
    return this.fault;
  }
}

/** Valid UTF-8, streamed. */
class Text implements Judge {
  readonly #utf8 = new Utf8();
  #isValid = true;
  constructor(readonly artifact: Artifact, readonly row: number) {}
  add(bytes: Uint8Array): void {
    this.#isValid &&= this.#utf8.takeAll(bytes, 0, bytes.length);
  }
  end(): Fault {
    if (this.#isValid && this.#utf8.whole) return null;
    return blobFault(offsetOf(this.artifact, this.row), "UTF-8");
  }
}

/** A grammar over a whole blob: the offset in it that is at fault and why, or null. */
export type Grammar = (
  artifact: Artifact,
  bytes: Uint8Array,
) => { readonly at: number; readonly expected: string } | null;

/** A blob that is held whole; its kind has a length limit. */
class Held implements Judge {
  readonly #bytes: Uint8Array;
  #used = 0;
  constructor(
    readonly artifact: Artifact,
    readonly row: number,
    readonly grammar: (bytes: Uint8Array) => ReturnType<Grammar>,
  ) {
    this.#bytes = artifact.memory.bytes(lengthOf(artifact, row));
  }
  add(bytes: Uint8Array): void {
    this.#bytes.set(bytes, this.#used);
    this.#used += bytes.length;
  }
  end(): Fault {
    const wrong = this.grammar(this.#bytes);
    return wrong && blobFault(offsetOf(this.artifact, this.row) + wrong.at, wrong.expected);
  }
}

/** Section 7: entries, and the root over them. Leaves the entries. */
const pieceSetGrammar: Grammar = (artifact, bytes) => {
  const m = artifact.manifest;
  const count = Number(m.integer(artifact.get("piece_count")));
  const subjectBytes = Number(m.integer(artifact.get("subject_bytes")));
  if (bytes.length !== 32 * count) return { at: 0, expected: `${count} hashes` };
  const tree = new Tree();
  for (let i = 0; i < count; i++) {
    tree.add(leafHash(i, pieceLength(subjectBytes, i), bytes.subarray(32 * i, 32 * i + 32)));
  }
  if (!m.holds(artifact.get("root"), tree.root())) return { at: 0, expected: "the root's hashes" };
  artifact.pieceHashes = bytes;
  return null;
};

/** After the last object: a blob that the class or the tokenizer's kind needs and lacks. */
export function missingBlob(artifact: Artifact): Fault {
  const { manifest: m, artifactClass, blobs } = artifact;
  if (artifactClass !== 4) return null;
  const kind = artifact.get("kind");
  const needed: [number, boolean][] = [
    [VOCABULARY, true],
    [MERGES, m.isText(kind, "byte-level-bpe/1")],
    [SCORES, m.isText(kind, "score-bpe/1") || m.isText(kind, "unigram/1")],
    [BYTE_FALLBACK, m.isTrue(artifact.get("byte_fallback"))],
  ];
  for (const [wanted, isNeeded] of needed) {
    if (isNeeded && !hasKind(wanted)) {
      return blobFault(artifact.payload.offset, `a blob of kind ${wanted}`);
    }
  }
  return null;

  function hasKind(kind: number): boolean {
    for (let row = 0; row < blobs.count; row++) {
      if (blobs.get(row, B.blob_kind) === kind) return true;
    }
    return false;
  }
}
