/** The neighbours' vectors (corpus/neighbours) against each implementation in the house. */
import { hash as writerHash } from "blake3-jit";
import { appendixA, notWellFormed, type Question } from "../../corpus/neighbours/cbor.ts";
import { blake3Vectors, ed25519Vectors } from "../../corpus/neighbours/hash.ts";
import { categories, normalization } from "../../corpus/neighbours/unicode.ts";
import type { Reader } from "../../readers/contract.ts";
import { blake3 as cursorHash } from "../../readers/cursor/blake3.ts";
import { verifyEd25519 as cursorVerify } from "../../readers/cursor/ed25519.ts";
import { memorySource } from "../../readers/source.ts";
import { blake3 as tableHash } from "../../readers/table/blake3.ts";
import { verify as tableVerify } from "../../readers/table/ed25519.ts";
import { dataFolder } from "../data.ts";

/** The groups with what held, a line each; and what did not. */
export interface Neighbours {
  readonly groups: string[];
  readonly faults: string[];
}

const HASHES: { readonly [who: string]: (input: Uint8Array) => Uint8Array } = {
  cursor: cursorHash,
  table: tableHash,
  writer: writerHash,
};

type Verify = (key: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean;
const VERIFIERS: { readonly [who: string]: Verify } = {
  cursor: (key, message, signature) => cursorVerify(signature, message, key),
  table: tableVerify,
};

/** Asks every group of every implementation; of the readers, only those given. */
export function neighbourFaults(readers: readonly Reader[]): Neighbours {
  const data = dataFolder();
  if (data === null) {
    return { groups: ["neighbours: not asked, SLMLAB_DATA is not there"], faults: [] };
  }
  const faults: string[] = [];
  const groups: string[] = [];
  /** @param ask what is wrong with a vector, or null */
  const group = <V>(
    name: string,
    who: string,
    vectors: Iterable<V>,
    ask: (vector: V) => string | null,
  ) => {
    let asked = 0, held = 0;
    for (const vector of vectors) {
      asked++;
      const fault = ask(vector);
      if (fault === null) held++;
      else faults.push(`${name}, ${who}: ${fault}`);
    }
    groups.push(`${name}: ${who} ${held} of ${asked}`);
  };
  const questions: [string, (data: URL) => Iterable<Question>][] = [
    ["RFC 8949 appendix A", appendixA],
    ["RFC 8949 not well-formed", notWellFormed],
    ["NormalizationTest 16.0.0", normalization],
    ["DerivedGeneralCategory 16.0.0", categories],
  ];
  for (const [name, vectors] of questions) {
    for (const reader of readers) {
      group(name, reader.name, vectors(data), (one) => put(reader, one));
    }
  }
  for (const [who, hash] of Object.entries(HASHES)) {
    group(
      "BLAKE3",
      who,
      blake3Vectors(data),
      ({ input, hash: expected }) =>
        hash(input).toHex() === expected ? null : `another hash of ${input.length} bytes`,
    );
  }
  for (const [who, verify] of Object.entries(VERIFIERS)) {
    group(
      "Wycheproof Ed25519",
      who,
      ed25519Vectors(data),
      ({ name, key, message, signature, valid }) =>
        verify(key, message, signature) === valid
          ? null
          : `${name} is ${valid ? "refused" : "accepted"}`,
    );
  }
  return { groups, faults };
}

function put(reader: Reader, { name, file, code }: Question): string | null {
  const { verdict } = reader.read({ source: memorySource(file), pieces: false });
  const said = verdict.verdict === "accept" ? "accept" : `${verdict.stage} ${verdict.code}`;
  if (code === "any") return said.startsWith("17 ") ? null : `${name} is ${said}`;
  const wanted = code === null ? "accept" : `17 ${code}`;
  return said === wanted ? null : `${name} is ${said}, not ${wanted}`;
}
