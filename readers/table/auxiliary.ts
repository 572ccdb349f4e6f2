/** Auxiliary records (section 7.5) and stage 23. */
import { type Artifact, OWNER, TARGET } from "./artifact.ts";
import { type Fault, reject } from "./fault.ts";
import { type Check, checkRows, type Field, Row, sorted } from "./fields.ts";
import { A, F32, Q, T } from "./layouts.ts";
import { ROW_CONTRACT } from "./quant.ts";
import { TensorRow } from "./tensors.ts";
import type { Code } from "../contract.ts";

/** Kinds 1 scale, 2 zero_point, 3 codebook, 4 importance, 5 sparse_index. */
const SCALE = 1;
const LAST_KIND = 5;

class AuxiliaryRow extends Row {
  readonly tensor: TensorRow;
  constructor(readonly artifact: Artifact) {
    super(artifact.auxiliaries);
    this.tensor = new TensorRow(artifact);
  }
  /** The target's record. */
  get target(): TensorRow {
    return this.tensor.to(this.get(A.target));
  }
}

const index = (field: Field): Check<AuxiliaryRow> => [
  "AuxIndex",
  field,
  (a) => a.get(field) >= a.artifact.tensors.count,
  "the index of a tensor",
];

const CHECKS: readonly Check<AuxiliaryRow>[] = [
  ...[A.owner, A.target].map(index),
  [
    "AuxFieldInvalid",
    A.kind,
    (a) => a.get(A.kind) < SCALE || a.get(A.kind) > LAST_KIND,
    "1 to 5",
  ],
  ["AuxFieldInvalid", A.flags, (a) => a.get(A.flags) !== 0, "0"],
  [
    "AuxFieldInvalid",
    A.axis,
    (a) => a.get(A.axis) < -1 || a.get(A.axis) >= a.target.rank,
    "-1, or an axis of the target",
  ],
  ["AuxFieldInvalid", A.reserved, (a) => a.get(A.reserved) !== 0, "0"],
  ["AuxSelfReference", A.target, (a) => a.get(A.owner) === a.get(A.target), "another tensor"],
  [
    "AuxTarget",
    A.target,
    (a) => !a.target.isDense || (a.artifact.tensorMarks[a.get(A.target)] & OWNER) !== 0,
    "a dense tensor that owns no records",
  ],
  ...sorted<AuxiliaryRow>([A.owner, A.kind, A.target, A.axis]),
];

/** Stage 23: the records, then each tensor's run of them. Runs where the table is absent too. */
export function checkAuxiliaries(artifact: Artifact): Fault {
  const { auxiliaries, tensors } = artifact;
  const marks = artifact.tensorMarks = artifact.memory.bytes(tensors.count);
  for (let i = 0; i < auxiliaries.count; i++) {
    const owner = auxiliaries.get(i, A.owner);
    if (owner < tensors.count) marks[owner] |= OWNER;
  }
  return checkRows(23, "auxiliary", CHECKS, new AuxiliaryRow(artifact), (a) => {
    marks[a.get(A.target)] |= TARGET;
  }) ?? checkRuns(artifact);
}

function checkRuns(artifact: Artifact): Fault {
  const { auxiliaries, tensors } = artifact;
  const owner = new TensorRow(artifact);
  const target = new TensorRow(artifact);
  let first = 0;
  for (let i = 0; i < tensors.count; i++) {
    let end = first;
    while (end < auxiliaries.count && auxiliaries.get(end, A.owner) === i) end++;
    const fault = checkRun(i, first, end);
    if (fault !== null) return fault;
    first = end;
  }
  return null;

  function checkRun(i: number, first: number, end: number): Fault {
    owner.to(i);
    const fail = (code: Code, field: Field, expected: string) =>
      reject(23, code, "auxiliary", tensors.where(i, field), `${field.name}: ${expected}`);
    const begin = end > first ? first : 0;
    if (owner.get(T.auxiliary_first) !== begin) {
      return fail("AuxRun", T.auxiliary_first, String(begin));
    }
    if (owner.get(T.auxiliary_count) !== end - first) {
      return fail("AuxRun", T.auxiliary_count, String(end - first));
    }
    let mask = owner.isDense ? 0 : owner.profile(Q.auxiliary_mask);
    for (let row = first; row < end; row++) {
      const bit = 1 << (auxiliaries.get(row, A.kind) - 1);
      if ((mask & bit) === 0) return fail("AuxMask", T.auxiliary_count, "one record a kind");
      mask &= ~bit;
    }
    if (mask !== 0) return fail("AuxMask", T.auxiliary_count, "a record of each kind of the mask");
    if (owner.isDense || owner.profile(Q.kernel_contract) !== ROW_CONTRACT) return null;
    for (let row = first; row < end; row++) {
      if (auxiliaries.get(row, A.kind) !== SCALE) continue;
      const fault = checkRowScale(row);
      if (fault !== null) return fault;
    }
    return null;
  }

  /** Kind 1 under contract 5. */
  function checkRowScale(row: number): Fault {
    const fail = (code: Code, field: Field, expected: string) =>
      reject(23, code, "auxiliary", auxiliaries.where(row, field), `${field.name}: ${expected}`);
    for (const [field, value] of ROW_SCALE) {
      if (auxiliaries.get(row, field) !== value) {
        return fail("AuxFieldInvalid", field, String(value));
      }
    }
    target.to(auxiliaries.get(row, A.target));
    const isRowScale = target.rank === 1 && target.dimension(0) === owner.rowCount &&
      target.get(T.element_type) === F32;
    return isRowScale ? null : fail("AuxTarget", A.target, "f32 of shape [rows]");
  }
}

const ROW_SCALE: readonly [Field, number][] = [
  [A.axis, 0],
  [A.group_size, 1],
  [A.block_stride, 0],
];
