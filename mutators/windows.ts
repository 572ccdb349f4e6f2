/**
 * Good artifacts that are longer than readers' windows: what is carried over from one to the next
 * (half a character, an offset that is seen again, a lane of a block) shows in no small file.
 */
import { BLOB, TENSOR } from "../corpus/writer/fields.ts";
import { type Artifact, layOut, parse, setObject } from "./artifact.ts";
import { getU16, getU32, putU32, putU64 } from "./bytes.ts";
import { at, encodeTree, parseTree, uint } from "./cbor_tree.ts";
import type { Mutator } from "./mutator.ts";
import { anyCodePoint } from "./odd_texts.ts";
import type { Random } from "./random.ts";
import { storedOf } from "./tensors.ts";

/** Lengths of windows in bytes; the shorter ones cost less, and are tried more often. */
const WINDOWS = [2 ** 12, 2 ** 12, 2 ** 14, 2 ** 14, 2 ** 16, 2 ** 18];
export const LONGEST = 2 ** 18;

export const anyWindow = (random: Random): number => random.pick(WINDOWS);

/** One in so many texts becomes long: long inputs are slow, and artifacts with texts are many. */
const SELDOM = 4;
/** How far past the end of a window a file goes. */
const PAST = 64;

const TEXTS = [16, 48, 80], DOCUMENTS = 64;

/** A character of several bytes, again and again behind a few letters, until past a window. */
function longText(random: Random): Uint8Array {
  const character = anyCodePoint(random), lead = random.below(4);
  const size = Math.max(1, character.length);
  const times = Math.ceil((anyWindow(random) + random.below(PAST)) / size);
  const text = new Uint8Array(lead + size * times).fill(0x61);
  for (let i = 0; i < times; i++) text.set(character, lead + size * i);
  if (random.oneIn(4)) text[text.length - 1 - random.below(PAST)] ^= 0x80;
  return text;
}

const E_ACUTE = [0xc3, 0xa9];

/** More documents than a window has offsets, the last ones of one character; one may begin in it. */
function longDocuments(count: number, random: Random): Uint8Array {
  const texts = Math.min(count, PAST), first = 8 + 4 * count;
  const blob = new Uint8Array(first + 2 * texts);
  putU32(blob, 0, count);
  for (let i = 0; i < texts; i++) {
    blob.set(E_ACUTE, first + 2 * i);
    putU32(blob, 4 + 4 * (count - i), 2 * (texts - i));
  }
  if (random.oneIn(2)) {
    const document = random.between(1, texts - 1);
    putU32(blob, 4 + 4 * (count - document), 2 * (texts - document) + 1);
  }
  return blob;
}

/** The number of documents, in the body, the vectors and the blob; whether they could all follow. */
function setDocuments(artifact: Artifact, random: Random): Uint8Array | null {
  const [vectors] = artifact.tensors, [blob] = artifact.blobs;
  const { root, rest } = parseTree(artifact.manifest);
  const dim = at(root, "body", "dim"), stated = at(root, "body", "count");
  if (artifact.tensors.length !== 1 || !blob || !dim || !stated) return null;
  const count = anyWindow(random) / 4 + random.between(1, PAST);
  // one block a vector: a padded lane would be judged before the documents
  const columns = Math.max(1, getU32(vectors.record, TENSOR.block_elements[0]));
  if (columns > 4096) return null;
  Object.assign(dim, uint(columns));
  Object.assign(stated, uint(count));
  putU64(vectors.record, TENSOR.shape_0[0], count);
  putU64(vectors.record, TENSOR.shape_0[0] + 8, columns);
  const { elements, stored } = storedOf(vectors.record);
  if (!(stored <= 2 * LONGEST)) return null;
  putU64(vectors.record, TENSOR.logical_element_count[0], elements);
  setObject(vectors, "tensor", new Uint8Array(stored));
  setObject(blob, "blob", longDocuments(count, random));
  return layOut({ ...artifact, manifest: encodeTree(root, rest) });
}

export const windows: readonly Mutator[] = [
  {
    name: "window-text",
    reason: "a text over the end of each window, with a character that stands in both",
    mutate(input, random) {
      const artifact = parse(input);
      const texts = artifact.blobs.filter(({ record }) =>
        TEXTS.includes(getU16(record, BLOB.blob_kind[0]))
      );
      if (texts.length === 0 || !random.oneIn(SELDOM)) return null;
      setObject(random.pick(texts), "blob", longText(random));
      return layOut(artifact);
    },
  },
  {
    name: "window-documents",
    reason: "more documents than a window has offsets, and vectors for all of them",
    mutate(input, random) {
      const artifact = parse(input);
      const kind = artifact.blobs[0] && getU16(artifact.blobs[0].record, BLOB.blob_kind[0]);
      if (kind !== DOCUMENTS) return null;
      return setDocuments(artifact, random);
    },
  },
];
