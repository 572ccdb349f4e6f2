/** Oracle: every backend reads the same f32 out of a stored tensor, bit for bit, NaN as a class. */
import { type Backend, isRefusal, type MatrixSpec } from "../../kernels/backend.ts";
import type { Candidate, Tensor } from "../../readers/contract.ts";
import { clause } from "./clauses.ts";
import type { Oracle } from "./oracle.ts";
import { loadMatrix, onAccepted, type RuntimeParts } from "./runtime.ts";
import { throwPlace } from "./total.ts";

const MODELS = [1, 2, 3];
/** Rows that are read of one tensor. */
const ROWS = 4;
/** Elements of a tensor that is read as one row too. */
const MOST_ELEMENTS = 4096;

type Parts = Pick<RuntimeParts, "backends" | "matrixSpec" | "unsupportedProfile">;

export const sameNumbers = ({ backends, matrixSpec, unsupportedProfile }: Parts): Oracle =>
  onAccepted("same-numbers", MODELS, throwPlace, ({ candidate, payload }) => {
    for (const tensor of candidate.tensors) {
      const spec = matrixSpec(candidate, tensor);
      if (spec === null) continue;
      const scales = scalesOf(candidate, tensor, payload);
      const read: { name: string; rows: Float32Array[] }[] = [];
      for (const backend of backends) {
        if (unsupportedProfile(candidate, backend.name)) continue;
        const weight = loadMatrix(backend, spec, payload(tensor), scales);
        if (isRefusal(weight)) continue;
        const rows: Float32Array[] = [];
        for (let row = 0; row < Math.min(ROWS, spec.rows); row++) {
          const values = backend.ops.row(weight, row);
          if (!(values instanceof Promise)) rows.push(values);
        }
        read.push({ name: backend.name, rows });
      }
      const broken = rowsOfOne(backends[0], spec, payload(tensor), read[0]?.rows ?? []);
      if (broken >= 0) {
        return {
          what: `${spec.format} ${spec.tail} one row`,
          class: "disagreement",
          detail: `${tensor.name}: row ${broken} is another one where all of them are read as one`,
          clause: clause("slm2-7.2-25"),
        };
      }
      const [reference, ...others] = read;
      for (const other of others) {
        const row = reference.rows.findIndex((values, i) => !alike(values, other.rows[i]));
        if (row < 0) continue;
        return {
          what: `${spec.format} ${spec.tail} ${other.name}`,
          class: "disagreement",
          detail: `${tensor.name} row ${row}: ${reference.name} ${reference.rows[row]}, ` +
            `${other.name} ${other.rows[row]}`,
          clause: clause("slm2-7.2-33"),
        };
      }
    }
    return null;
  });

/**
 * Where blocks run through the whole tensor, its rows are the parts of one long row.
 * @returns the first row of which that does not hold, or -1
 */
function rowsOfOne(
  backend: Backend,
  spec: MatrixSpec,
  bytes: Uint8Array,
  rows: readonly Float32Array[],
): number {
  const { columns } = spec;
  if (spec.tail === "row" || spec.format === "q8-row" || columns * spec.rows > MOST_ELEMENTS) {
    return -1;
  }
  const weight = loadMatrix(backend, { ...spec, rows: 1, columns: columns * spec.rows }, bytes);
  if (isRefusal(weight)) return -1;
  const whole = backend.ops.row(weight, 0);
  if (whole instanceof Promise) return -1;
  return rows.findIndex((row, i) => !alike(row, whole.subarray(i * columns, (i + 1) * columns)));
}

function alike(a: Float32Array, b: Float32Array): boolean {
  return a.length === b.length && a.every((x, i) => Object.is(x, b[i]));
}

/** The row scales of a tensor whose scales stand in a tensor of their own. */
function scalesOf(
  candidate: Candidate,
  tensor: Tensor,
  payload: (part: Tensor) => Uint8Array,
): Float32Array | undefined {
  if (tensor.auxiliary_count === 0) return undefined;
  const { target } = candidate.auxiliaries[tensor.auxiliary_first];
  return new Float32Array(payload(candidate.tensors[target]).slice().buffer);
}
