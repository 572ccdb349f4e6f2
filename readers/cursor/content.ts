/** Stage 26: the grammars of blob contents (`classes.md` sections 4, 5, 7, 9 and 10). */
import type { Artifact } from "./artifact.ts";
import { DocumentsJudge } from "./documents.ts";
import { pieceRootOf } from "./piece_set.ts";
import {
  ADDED_TOKENS,
  type BlobRecord,
  PIECE_HASHES,
  RETRIEVAL_DOCUMENTS,
  TEMPLATE_LITERAL,
} from "./records.ts";
import { TokenizerTables } from "./tokenizer_tables.ts";
import { Utf8Judge } from "./utf8_judge.ts";
import { equalBytes } from "./bytes.ts";

/** Judges the bytes of one blob while they go by. */
export interface Judge {
  feed(part: Uint8Array): void;
  /** After the last byte: whether the content was good; null where it could not be read. */
  end(): boolean | null;
}

/** Holds a blob whole and judges it at its end. */
class HeldJudge implements Judge {
  readonly #bytes: Uint8Array;
  #used = 0;

  constructor(artifact: Artifact, length: number, readonly judge: (bytes: Uint8Array) => boolean) {
    this.#bytes = artifact.memory.bytes(length);
  }

  feed(part: Uint8Array): void {
    this.#bytes.set(part, this.#used);
    this.#used += part.length;
  }

  end(): boolean {
    return this.judge(this.#bytes);
  }
}

/** Section 5: template literals, in all. */
const MOST_LITERAL_BYTES = 256 * 1024;
const TEXT_MEDIA = "text/plain";
const PIECE_HASHES_NAME = "hashes";

/** What the blobs of one artifact have to be, each and together. */
export class Contents {
  readonly #artifact: Artifact;
  readonly #tables: TokenizerTables;
  #literalBytes = 0;
  #previousKind = 0;

  constructor(artifact: Artifact) {
    this.#artifact = artifact;
    this.#tables = new TokenizerTables(artifact);
  }

  /** A judge for the bytes of `blob`; blobs are asked for in the order of the table. */
  judgeOf(blob: BlobRecord): Judge {
    const artifact = this.#artifact;
    const { strings, tape, body } = artifact;
    const second = blob.kind === this.#previousKind;
    this.#previousKind = blob.kind;
    if (blob.kind <= ADDED_TOKENS) {
      const named = !second && this.#tables.isNamed(blob);
      return new HeldJudge(
        artifact,
        blob.length,
        (bytes) => named && this.#tables.judge(blob.kind, bytes),
      );
    }
    switch (blob.kind) {
      case TEMPLATE_LITERAL:
        this.#literalBytes += blob.length;
        return new Utf8Judge(
          this.#literalBytes <= MOST_LITERAL_BYTES && strings.is(blob.media_type, TEXT_MEDIA),
        );
      case PIECE_HASHES: {
        const named = !second && strings.is(blob.name, PIECE_HASHES_NAME);
        return new HeldJudge(artifact, blob.length, (bytes) => {
          const root = named ? pieceRootOf(artifact, bytes) : null;
          if (root === null || !equalBytes(root, tape.string(tape.get(body, "root")))) return false;
          artifact.pieceHashes = bytes;
          return true;
        });
      }
      case RETRIEVAL_DOCUMENTS:
        return new DocumentsJudge(artifact, blob, !second);
      default: // notice.text, evaluation.report
        return new Utf8Judge(true);
    }
  }

  /** Whether all blobs that the class or the tokenizer's kind needs were there. */
  isComplete(): boolean {
    return this.#tables.isComplete();
  }
}
