/** Records, their objects and their strings: left out, made shorter, reshaped. */
import { BLOB, TENSOR } from "../../corpus/writer/fields.ts";
import { compare } from "../../corpus/writer/bytes.ts";
import { DENSE } from "../../corpus/writer/profiles.ts";
import {
  type Artifact,
  type Entry,
  parse,
  setObject,
  stringsOf,
  stringTable,
  TENSOR_INDEXES,
} from "../../mutators/artifact.ts";
import { dropStrings } from "../../mutators/descriptors.ts";
import { getU16, getU32, getU64, putU16, putU32, putU64 } from "../../mutators/bytes.ts";
import { renameTexts } from "./manifest.ts";
import { reshaped } from "./reshape.ts";
import type { Search } from "./search.ts";

export async function shrinkParts(search: Search): Promise<void> {
  const count = (table: keyof typeof DROP) => parse(search.best)[table].length;
  for (const table of Object.keys(DROP) as (keyof typeof DROP)[]) {
    await search.thin(() => count(table), (at, length) =>
      search.takeEdited((artifact) => {
        const used = profilesUsed(artifact);
        for (let i = at + length - 1; i >= at; i--) DROP[table](artifact, i);
        if (table === "tensors") dropProfiles(artifact, used);
        dropStrings(artifact);
      }));
  }
  await search.takeEdited(dropStrings);
  for (let i = count("tensors") - 1; i >= 0; i--) await shrinkTensor(search, i);
  await shortenStrings(search);
}

/** How a record goes, with what refers to it. */
const DROP = {
  blobs: (artifact: Artifact, i: number) => void artifact.blobs.splice(i, 1),
  auxiliaries: (artifact: Artifact, i: number) => void artifact.auxiliaries.splice(i, 1),
  tensors(artifact: Artifact, i: number) {
    artifact.tensors.splice(i, 1);
    artifact.auxiliaries = artifact.auxiliaries.filter((record) =>
      TENSOR_INDEXES.every((at) => getU32(record, at) !== i)
    );
    for (const record of artifact.auxiliaries) {
      for (const at of TENSOR_INDEXES) {
        if (getU32(record, at) > i) putU32(record, at, getU32(record, at) - 1);
      }
    }
  },
  quants(artifact: Artifact, i: number) {
    artifact.quants.splice(i, 1);
    for (const { record } of artifact.tensors) {
      const at = TENSOR.quant_profile_index[0], value = getU16(record, at);
      if (value > i && value !== DENSE) putU16(record, at, value - 1);
    }
  },
} as const;

/** Leaves out all tensors but one, with what they alone used. */
export function keepTensor(artifact: Artifact, kept: number): void {
  const one = artifact.tensors[kept];
  dropTensors(artifact, (entry) => entry !== one);
  dropStrings(artifact);
}

/** Leaves out tensors, with the auxiliaries and profiles that they alone used. */
export function dropTensors(artifact: Artifact, isDropped: (entry: Entry) => boolean): void {
  const used = profilesUsed(artifact);
  for (let i = artifact.tensors.length - 1; i >= 0; i--) {
    if (isDropped(artifact.tensors[i])) DROP.tensors(artifact, i);
  }
  dropProfiles(artifact, used);
}

const profilesUsed = ({ tensors }: Artifact): Set<number> =>
  new Set(tensors.map(({ record }) => getU16(record, TENSOR.quant_profile_index[0])));

/** Leaves out the profiles among `used` that have lost their last tensor. */
function dropProfiles(artifact: Artifact, used: ReadonlySet<number>): void {
  const left = profilesUsed(artifact);
  for (let i = artifact.quants.length - 1; i >= 0; i--) {
    if (used.has(i) && !left.has(i)) DROP.quants(artifact, i);
  }
}

const LEAST_ALIGNMENT = 64;

async function shrinkTensor(search: Search, i: number): Promise<void> {
  const reshape = async (change: (record: Uint8Array) => void) => {
    for (const kept of ["first", "last"] as const) {
      const taken = await search.takeEdited(({ tensors: { [i]: entry } }) =>
        entry !== undefined && reshaped(entry, change, kept)
      );
      if (taken) return true;
    }
    return false;
  };
  await search.takeEdited(({ tensors: { [i]: entry } }) =>
    putU32(entry.record, TENSOR.payload_alignment[0], LEAST_ALIGNMENT)
  );
  await reshape((record) => record[TENSOR.rank[0]] = 0);
  const rank = () => Math.min(parse(search.best).tensors[i]?.record[TENSOR.rank[0]] ?? 0, 8);
  for (let axis = rank() - 1; axis >= 0; axis--) {
    const at = TENSOR.shape_0[0] + 8 * axis;
    await reshape((record) => {
      const end = TENSOR.shape_0[0] + 8 * record[TENSOR.rank[0]];
      record.copyWithin(at, at + 8, end).fill(0, end - 8, end);
      record[TENSOR.rank[0]]--;
    });
  }
  for (let axis = rank() - 1; axis >= 0; axis--) {
    const at = TENSOR.shape_0[0] + 8 * axis;
    const size = () => getU64(parse(search.best).tensors[i].record, at);
    if (await reshape((record) => putU64(record, at, 1))) continue;
    for (let by = size() >> 1; by > 0 && !search.over;) {
      const smaller = size() - by;
      if (smaller < 1 || !await reshape((record) => putU64(record, at, smaller))) by >>= 1;
    }
  }
  await search.takeEdited(({ tensors: { [i]: entry } }) =>
    setObject(entry, "tensor", entry.object.subarray(0, 0))
  );
}

/** Shorter strings in the same order, wherever they stand: whatever is sorted by them stays so. */
async function shortenStrings(search: Search): Promise<void> {
  const strings = () => stringsOf(parse(search.best).strings);
  const rename = (names: readonly Uint8Array[]) =>
    search.takeEdited((artifact) => {
      const before = stringsOf(artifact.strings);
      artifact.strings = stringTable(names);
      renameTexts(artifact, before, names);
    });
  const letters = (count: number) =>
    Array.from({ length: count }, (_, i) => Uint8Array.of(0x61 + i));
  const { length } = strings();
  if (length <= 26) await rename(letters(length));
  for (let id = length - 1; id >= 0; id--) {
    const now = strings();
    for (let size = 1; size < now[id].length; size++) {
      const shorter = now[id].subarray(0, size);
      if (id > 0 && compare(now[id - 1], shorter) >= 0) continue;
      if (await rename(now.with(id, shorter))) break;
    }
  }
  for (let i = 0; i < parse(search.best).blobs.length; i++) {
    await search.takeEdited(({ blobs: { [i]: entry } }) =>
      putU32(entry.record, BLOB.alignment[0], LEAST_ALIGNMENT)
    );
  }
}
