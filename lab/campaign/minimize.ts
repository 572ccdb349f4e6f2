/**
 * Makes the input of a finding smaller: first its parts, behind a layout and hashes that are made
 * good again, then its bytes. Only what shows the same key counts; what fails in another way is
 * told of, and never taken for the same.
 */
import {
  type Artifact,
  type Entry,
  layOut,
  parse,
  setObject,
  STRING_IDS,
  stringsOf,
  stringTable,
  TENSOR_INDEXES,
} from "../../mutators/artifact.ts";
import { getU16, getU32, putU16, putU32 } from "../../mutators/bytes.ts";
import { encodeTree, type Node, parseTree, spots } from "../../mutators/cbor_tree.ts";
import { seal } from "../../mutators/seal.ts";
import { TENSOR } from "../../corpus/writer/fields.ts";
import { DENSE } from "../../corpus/writer/profiles.ts";
import type { Flaw } from "./subject.ts";

export interface MinimizeOptions {
  /** what the smaller input must still show */
  readonly key: string;
  /** inputs that may be judged */
  readonly tries: number;
  readonly judge: (input: Uint8Array) => Promise<readonly Flaw[]>;
  /** told of each flaw of another key that a smaller input shows */
  readonly slip?: (flaw: Flaw, input: Uint8Array) => void | Promise<void>;
  readonly progress?: (tries: number, bytes: number) => void;
}

export interface Minimized {
  readonly input: Uint8Array;
  readonly tries: number;
  /** the budget ended first */
  readonly cut: boolean;
}

/** @returns the smallest input that was found to show `key`; the given one where none is smaller */
export async function minimize(start: Uint8Array, options: MinimizeOptions): Promise<Minimized> {
  const search = new Search(start, options);
  for (let before = Infinity; search.best.length < before && !search.over;) {
    before = search.best.length;
    await search.parts();
    await search.bytes();
  }
  await search.zeros();
  return { input: search.best, tries: search.tries, cut: search.over };
}

class Search {
  tries = 0;
  readonly #tried = new Set<string>();

  constructor(public best: Uint8Array, private readonly options: MinimizeOptions) {}

  get over(): boolean {
    return this.tries >= this.options.tries;
  }

  /** Leaves out parts until none can go. */
  async parts(): Promise<void> {
    for (let again = true; again && !this.over;) {
      again = false;
      for (const smaller of withoutAPart(this.best)) {
        if (await this.#takeRepaired(smaller)) {
          again = true;
          break;
        }
      }
    }
  }

  /** Leaves out stretches of bytes, long ones first. */
  async bytes(): Promise<void> {
    for (let length = this.best.length >> 1; length > 0 && !this.over; length >>= 1) {
      for (let at = 0; at < this.best.length && !this.over;) {
        const { best } = this;
        const without = new Uint8Array(Math.max(0, best.length - length));
        without.set(best.subarray(0, Math.min(at, without.length)));
        if (at + length < best.length) without.set(best.subarray(at + length), at);
        if (!await this.#take(without)) at += length;
      }
    }
  }

  /** Puts zeros for bytes: what is left then is what it takes. */
  async zeros(): Promise<void> {
    for (let length = 64; length > 0 && !this.over; length >>= 3) {
      for (let at = 0; at < this.best.length && !this.over; at += length) {
        const part = this.best.subarray(at, at + length);
        if (part.some((byte) => byte !== 0)) {
          await this.#take(this.best.slice().fill(0, at, at + length), true);
        }
      }
    }
  }

  /** Tries an artifact with good hashes, then with its own. */
  async #takeRepaired(artifact: Artifact): Promise<boolean> {
    const unsealed = layOut(artifact);
    const sealed = parse(unsealed);
    seal(sealed);
    return await this.#take(layOut(sealed)) || await this.#take(unsealed);
  }

  async #take(input: Uint8Array, sameLength = false): Promise<boolean> {
    if (
      this.over || (sameLength ? input.length > this.best.length : input.length >= this.best.length)
    ) {
      return false;
    }
    const name = input.toBase64();
    if (this.#tried.has(name)) return false;
    this.#tried.add(name);
    this.tries++;
    const flaws = await this.options.judge(input);
    for (const flaw of flaws) {
      if (flaw.key !== this.options.key) await this.options.slip?.(flaw, input);
    }
    this.options.progress?.(this.tries, this.best.length);
    if (!flaws.some(({ key }) => key === this.options.key)) return false;
    this.best = input;
    return true;
  }
}

/** The artifact without one of its parts, the largest parts first. */
function* withoutAPart(input: Uint8Array): Iterable<Artifact> {
  const { tensors, blobs, quants, auxiliaries } = parse(input);
  const edited = (edit: (artifact: Artifact) => void) => {
    const artifact = parse(input);
    edit(artifact);
    dropStrings(artifact);
    return artifact;
  };
  for (let i = blobs.length - 1; i >= 0; i--) yield edited((one) => one.blobs.splice(i, 1));
  for (let i = tensors.length - 1; i >= 0; i--) yield edited((one) => dropTensor(one, i));
  for (let i = auxiliaries.length - 1; i >= 0; i--) {
    yield edited((one) => one.auxiliaries.splice(i, 1));
  }
  for (let i = quants.length - 1; i >= 0; i--) yield edited((one) => dropQuant(one, i));
  for (const [kind, list] of [["tensor", tensors], ["blob", blobs]] as const) {
    for (let i = 0; i < list.length; i++) {
      for (const length of [0, list[i].object.length >> 1]) {
        yield edited((one) => shorten(one[`${kind}s`][i], kind, length));
      }
    }
  }
  for (const place of places(input)) {
    yield edited((one) => dropItem(one, place));
    yield edited((one) => shortenItem(one, place));
  }
  yield edited(() => {});
}

function shorten(entry: Entry, kind: "tensor" | "blob", length: number): void {
  setObject(entry, kind, entry.object.subarray(0, length));
}

function dropTensor(artifact: Artifact, index: number): void {
  artifact.tensors.splice(index, 1);
  artifact.auxiliaries = artifact.auxiliaries.filter((record) =>
    TENSOR_INDEXES.every((at) => getU32(record, at) !== index)
  );
  for (const record of artifact.auxiliaries) {
    for (const at of TENSOR_INDEXES) {
      if (getU32(record, at) > index) putU32(record, at, getU32(record, at) - 1);
    }
  }
}

function dropQuant(artifact: Artifact, index: number): void {
  artifact.quants.splice(index, 1);
  for (const { record } of artifact.tensors) {
    const at = TENSOR.quant_profile_index[0];
    const value = getU16(record, at);
    if (value > index && value !== DENSE) putU16(record, at, value - 1);
  }
}

/** Leaves out the strings that no record refers to any more. */
function dropStrings(artifact: Artifact): void {
  const references = [
    ...artifact.quants.flatMap((record) => STRING_IDS.quant.map((at) => ({ record, at }))),
    ...artifact.tensors.flatMap(({ record }) => STRING_IDS.tensor.map((at) => ({ record, at }))),
    ...artifact.blobs.flatMap(({ record }) => STRING_IDS.blob.map((at) => ({ record, at }))),
  ];
  const used = new Set(references.map(({ record, at }) => getU32(record, at)));
  const strings = stringsOf(artifact.strings);
  const kept = strings.map((_, id) => id).filter((id) => used.has(id));
  if (kept.length === strings.length) return;
  artifact.strings = stringTable(kept.map((id) => strings[id]));
  for (const { record, at } of references) {
    const id = kept.indexOf(getU32(record, at));
    if (id >= 0) putU32(record, at, id);
  }
}

const BYTES = 2, TEXT = 3, ARRAY = 4, MAP = 5;

/** Numbers of the items of the manifest: elements and entries that can go, texts to shorten. */
function places(input: Uint8Array): number[] {
  const { root } = parseTree(parse(input).manifest);
  return spots(root).flatMap(({ parent, node }, i) => parent || node.bytes.length > 1 ? [i] : []);
}

function dropItem(artifact: Artifact, place: number): void {
  const { root, rest } = parseTree(artifact.manifest);
  const { parent, index } = spots(root)[place];
  if (parent?.major === ARRAY) removeFrom(parent, index, 1);
  else if (parent?.major === MAP) removeFrom(parent, index - index % 2, 2);
  artifact.manifest = encodeTree(root, rest);
}

function shortenItem(artifact: Artifact, place: number): void {
  const { root, rest } = parseTree(artifact.manifest);
  const { node } = spots(root)[place];
  if (node.major === BYTES || node.major === TEXT) {
    node.bytes = node.bytes.subarray(0, node.bytes.length >> 1);
  }
  artifact.manifest = encodeTree(root, rest);
}

function removeFrom({ items }: Node, index: number, count: number): void {
  items.splice(index, count);
}
