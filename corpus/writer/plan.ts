/** A description in canonical order, before a byte is placed: tables, string ids, relations. */
import { compare, join, u32, utf8 } from "./bytes.ts";
import type {
  AuxiliaryDescription,
  BlobDescription,
  Description,
  TensorDescription,
} from "./description.ts";
import { AUXILIARY, record, RECORDS } from "./fields.ts";
import { type Profile, profileBody, profileId } from "./profiles.ts";
import type { TensorKey } from "./identity.ts";
import { elementsOf, type Storage, storageOf } from "./storage.ts";

export interface PlannedProfile {
  readonly profile: Profile;
  readonly id: Uint8Array;
  /** bytes 36..127 of the record */
  readonly body: Uint8Array;
}

export interface PlannedTensor {
  readonly description: TensorDescription;
  readonly key: TensorKey;
  readonly storage: Storage;
  readonly profile_index: number;
  readonly auxiliary_first: number;
  readonly auxiliary_count: number;
}

/** Everything in table order. */
export interface Plan {
  readonly strings: readonly Uint8Array[];
  /** the id of a string of the table */
  readonly stringId: (text: string) => number;
  readonly profiles: readonly PlannedProfile[];
  readonly tensors: readonly PlannedTensor[];
  readonly blobs: readonly BlobDescription[];
  /** the auxiliary table */
  readonly auxiliaries: Uint8Array;
}

/** Sorts a description's tables and resolves its names. Total: faults stay in. */
export function planOf(description: Description): Plan {
  const { tensors = [], blobs = [], auxiliaries = [], profiles: custom = [] } = description;
  const stored = tensors.map((tensor) => ({ tensor, storage: storageOf(tensor.type, custom) }));
  const profiles = sortProfiles([...custom, ...stored.flatMap((t) => t.storage.profile ?? [])]);
  const { strings, stringId } = stringTable([
    ...profiles.map(({ profile }) => profile.name),
    ...tensors.flatMap(({ role, name }) => [role, name]),
    ...blobs.flatMap(({ name, media_type }) => [name, media_type]),
  ]);
  // A string's id is its rank, so comparing ids compares bytes.
  const byId = (a: string, b: string) => stringId(a) - stringId(b);
  stored.sort(({ tensor: a }, { tensor: b }) =>
    byId(a.role, b.role) || (a.layer ?? -1) - (b.layer ?? -1) ||
    (a.subindex_0 ?? -1) - (b.subindex_0 ?? -1) || (a.subindex_1 ?? -1) - (b.subindex_1 ?? -1) ||
    byId(a.name, b.name)
  );
  const { table, runs } = planAuxiliaries(auxiliaries, stored.map(({ tensor }) => tensor.name));
  const indexOf = new Map(profiles.map(({ profile }, index) => [profile, index]));
  return {
    strings,
    stringId,
    profiles,
    tensors: stored.map(({ tensor, storage }, index) => {
      const profile_index = storage.profile ? indexOf.get(storage.profile)! : -1;
      return {
        description: tensor,
        storage,
        profile_index,
        key: {
          role: tensor.role,
          name: tensor.name,
          layer: tensor.layer ?? -1,
          subindex_0: tensor.subindex_0 ?? -1,
          subindex_1: tensor.subindex_1 ?? -1,
          shape: tensor.shape,
          element_type: storage.element_type,
          profile_id: storage.profile ? profiles[profile_index].id : null,
          elements: elementsOf(tensor.shape),
        },
        ...runs[index],
      };
    }),
    blobs: [...blobs].sort((a, b) => a.kind - b.kind || byId(a.name, b.name)),
    auxiliaries: table,
  };
}

/** Each profile once, by increasing profile_id (stage 20). */
function sortProfiles(profiles: readonly Profile[]): PlannedProfile[] {
  return [...new Set(profiles)].map((profile) => {
    const body = profileBody(profile);
    return { profile, body, id: profileId(profile.name, body) };
  }).sort((a, b) => compare(a.id, b.id));
}

/** Section 6: each string once, in bytewise order. */
function stringTable(texts: readonly string[]): Pick<Plan, "strings" | "stringId"> {
  const sorted = [...new Set(texts)].map((text) => ({ text, bytes: utf8(text) }))
    .sort((a, b) => compare(a.bytes, b.bytes));
  const ids = new Map(sorted.map(({ text }, id) => [text, id]));
  return { strings: sorted.map(({ bytes }) => bytes), stringId: (text) => ids.get(text)! };
}

/** The bytes of the string table, none where it has no strings (section 6). */
export function encodeStrings(strings: readonly Uint8Array[]): Uint8Array {
  if (strings.length === 0) return new Uint8Array(0);
  let end = 0;
  const offsets = [u32(0), ...strings.map(({ length }) => u32(end += length))];
  return join([u32(strings.length), u32(end), ...offsets, ...strings]);
}

const NO_TENSOR = 0xffffffff;

/** The auxiliary table and the run of each tensor (section 7.5). */
function planAuxiliaries(auxiliaries: readonly AuxiliaryDescription[], names: readonly string[]) {
  const indexOf = new Map(names.map((name, index) => [name, index]));
  const index = (name: string) => indexOf.get(name) ?? NO_TENSOR;
  const records = auxiliaries.map((one) => ({
    owner: index(one.owner),
    kind: one.kind ?? 1,
    target: index(one.target),
    axis: one.axis ?? 0,
    group_size: one.group_size ?? 1,
    block_stride: one.block_stride ?? 0,
  })).sort((a, b) =>
    a.owner - b.owner || a.kind - b.kind || a.target - b.target || a.axis - b.axis
  );
  const counts = new Array<number>(names.length).fill(0);
  for (const { owner } of records) counts[owner]++;
  let first = 0;
  const runs = counts.map((auxiliary_count) => {
    const auxiliary_first = auxiliary_count === 0 ? 0 : first;
    first += auxiliary_count;
    return { auxiliary_first, auxiliary_count };
  });
  return {
    table: join(records.map((one) => record(AUXILIARY, RECORDS.auxiliary.size, one))),
    runs,
  };
}
