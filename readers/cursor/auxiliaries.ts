/** Stage 23: auxiliary records and the runs that tensors claim (section 7.5). */
import type { Code, Reject } from "../contract.ts";
import type { Artifact } from "./artifact.ts";
import { BitSet, firstNonZero, u16 } from "./bytes.ts";
import { reject } from "./fault.ts";
import {
  auxiliary,
  AUXILIARY_RECORD,
  DENSE,
  PROFILE,
  QUANT_RECORD,
  ROW_SCALES,
  rowsOf,
  tensor,
  TENSOR_RECORD,
} from "./records.ts";
import { F32 } from "./types.ts";

const KINDS = 5;

function fault(code: Code, at: number, expected: string): Reject {
  return reject(23, code, "auxiliary", at, expected);
}

/** Stage 23. */
export function checkAuxiliaries(artifact: Artifact): Reject | null {
  const { bytes, memory, sections: { auxiliary: table, tensors } } = artifact;
  const owners = new BitSet(memory.bytes(BitSet.size(tensors.count)));
  artifact.targets = new BitSet(memory.bytes(BitSet.size(tensors.count)));
  for (let i = 0; i < table.count; i++) {
    const owner = auxiliary.owner(bytes, table.offset + AUXILIARY_RECORD * i);
    if (owner < tensors.count) owners.add(owner);
  }
  for (let i = 0; i < table.count; i++) {
    const wrong = checkRecord(artifact, table.offset + AUXILIARY_RECORD * i, i, owners);
    if (wrong !== null) return wrong;
  }
  let next = 0; // the first record that no tensor before this one owns
  for (let i = 0; i < tensors.count; i++) {
    let end = next;
    while (
      end < table.count && auxiliary.owner(bytes, table.offset + AUXILIARY_RECORD * end) === i
    ) end++;
    const wrong = checkRun(artifact, tensors.offset + TENSOR_RECORD * i, next, end);
    if (wrong !== null) return wrong;
    next = end;
  }
  return null;
}

function checkRecord(
  { bytes, sections: { tensors }, targets }: Artifact,
  at: number,
  index: number,
  owners: BitSet,
): Reject | null {
  const [owner, kind, target] = [
    auxiliary.owner(bytes, at),
    auxiliary.kind(bytes, at),
    auxiliary.target(bytes, at),
  ];
  if (owner >= tensors.count) return fault("AuxIndex", at, `below ${tensors.count}`);
  if (target >= tensors.count) return fault("AuxIndex", at + 8, `below ${tensors.count}`);
  if (kind < 1 || kind > KINDS) return fault("AuxFieldInvalid", at + 4, "1 to 5");
  if (u16(bytes, at + 6) !== 0) return fault("AuxFieldInvalid", at + 6, "0");
  const its = tensors.offset + TENSOR_RECORD * target;
  const axis = auxiliary.axis(bytes, at);
  if (axis < -1 || axis >= tensor.rank(bytes, its)) {
    return fault("AuxFieldInvalid", at + 12, "-1 or an axis of the target");
  }
  if (firstNonZero(bytes, at + 24, at + 32) >= 0) return fault("AuxFieldInvalid", at + 24, "0");
  if (owner === target) return fault("AuxSelfReference", at + 8, "another tensor");
  if (tensor.profile(bytes, its) !== DENSE || owners.has(target)) {
    return fault("AuxTarget", at + 8, "a dense tensor that owns no auxiliary records");
  }
  targets.add(target);
  if (index === 0) return null;
  const order = compareRecords(bytes, at - AUXILIARY_RECORD, at);
  if (order === 0) return fault("DescriptorDuplicate", at, "another record");
  return order > 0 ? fault("DescriptorOrder", at, "a greater record") : null;
}

/** Order by (owner, kind, target, axis). */
function compareRecords(bytes: Uint8Array, a: number, b: number): number {
  return auxiliary.owner(bytes, a) - auxiliary.owner(bytes, b) ||
    auxiliary.kind(bytes, a) - auxiliary.kind(bytes, b) ||
    auxiliary.target(bytes, a) - auxiliary.target(bytes, b) ||
    auxiliary.axis(bytes, a) - auxiliary.axis(bytes, b);
}

/** The tensor record at `at` against the records `[first, end)`, which are all that it owns. */
function checkRun(artifact: Artifact, at: number, first: number, end: number): Reject | null {
  const { bytes, sections: { auxiliary: table, quant, tensors } } = artifact;
  if (tensor.auxiliary_first(bytes, at) !== (end > first ? first : 0)) {
    return fault("AuxRun", at + 152, `${end > first ? first : 0}`);
  }
  if (tensor.auxiliary_count(bytes, at) !== end - first) {
    return fault("AuxRun", at + 156, `${end - first}`);
  }
  const profile = tensor.profile(bytes, at);
  const its = quant.offset + QUANT_RECORD * profile;
  const mask = profile === DENSE ? 0 : u16(bytes, its + PROFILE.auxiliary_mask);
  let record = table.offset + AUXILIARY_RECORD * first;
  const last = table.offset + AUXILIARY_RECORD * end;
  for (let kind = 1; kind <= KINDS; kind++) {
    if ((mask >> (kind - 1)) % 2 === 0) continue;
    if (record === last || auxiliary.kind(bytes, record) !== kind) {
      return fault("AuxMask", at + 152, `a record of kind ${kind}`);
    }
    record += AUXILIARY_RECORD;
  }
  if (record !== last) return fault("AuxMask", record, "no other record of this owner");
  if (mask % 2 === 0 || u16(bytes, its + PROFILE.kernel_contract) !== ROW_SCALES) return null;

  const scale = table.offset + AUXILIARY_RECORD * first; // kind 1 is the first of its owner
  if (auxiliary.axis(bytes, scale) !== 0) return fault("AuxFieldInvalid", scale + 12, "0");
  if (auxiliary.group_size(bytes, scale) !== 1) return fault("AuxFieldInvalid", scale + 16, "1");
  if (auxiliary.block_stride(bytes, scale) !== 0) return fault("AuxFieldInvalid", scale + 20, "0");
  const target = tensors.offset + TENSOR_RECORD * auxiliary.target(bytes, scale);
  const rows = rowsOf(bytes, at);
  const good = tensor.element_type(bytes, target) === F32 && tensor.rank(bytes, target) === 1 &&
    tensor.dimension(bytes, target, 0) === rows;
  return good ? null : fault("AuxTarget", scale + 8, `f32 of shape [${rows}]`);
}
