/**
 * Checkpoints of llama2.c (`export.py` version 0, what `run.c` reads) to `llama/1` bases.
 *
 * A header of seven i32, then f32 arrays without gaps, each for all layers one after another:
 * embedding; attention norms; q, k, v, output; ffn norms; gate, down, up; final norm; two rotary tables that
 * are skipped; a classifier of its own where the vocabulary is negative.
 */
import type { Source } from "../../readers/contract.ts";
import type { LlamaParameters } from "../writer/bodies.ts";
import { llama, llamaSlots, type Slot, slotName } from "../writer/build/model.ts";
import type { AuxiliaryDescription, Description, Payload } from "../writer/description.ts";
import type { TensorDescription } from "../writer/description.ts";
import { firstNonFinite, type ImportError, isImportError, readExactly, slice } from "./import.ts";

/** A matrix or norm of a source, before it is stored: f32, row-major, all finite. */
export interface SourceTensor extends Slot {
  readonly name: string;
  readonly values: Source;
}

/** How a tensor is to be stored. */
export interface StoredTensor {
  /** an element type or a profile */
  readonly type: string;
  readonly payload: Payload;
  /** f32 a row, where the profile keeps its scales outside */
  readonly scales?: Payload;
}

/**
 * Decides how a matrix is stored, and stores it; or says, in a few words, what its values
 * lack (`expected`) and at which byte of them (`offset`). Norms are never asked about.
 */
export type StoreMatrix = (
  matrix: SourceTensor,
) => StoredTensor | { readonly expected: string; readonly offset: number };

/** As the source has it. */
export const keepDense: StoreMatrix = ({ values }) => ({ type: "f32", payload: values });

/** The header, and where each tensor stands in the file. */
export interface Checkpoint {
  readonly parameters: LlamaParameters;
  readonly tensors: readonly (Slot & { readonly offset: number })[];
}

const HEADER = ["dim", "hidden_dim", "layers", "heads", "kv_heads", "vocab", "max_seq"] as const;
const HEADER_BYTES = 28;
/** The first word of the later versions ("ak42"). */
const VERSIONED_MAGIC = 0x616b3432;
const F32 = 4n;

/**
 * Reads a checkpoint's header and derives where every tensor stands; reads nothing else.
 * @param file how the file is called in an error
 */
export function readLlama2c(source: Source, file: string): Checkpoint | ImportError {
  const fault = (code: ImportError["code"], what: string, offset: number, expected: string) => ({
    code,
    file,
    what,
    offset,
    expected,
  });
  const size = source.size();
  const bytes = readExactly(source, 0, HEADER_BYTES);
  if (!bytes) return fault("Truncated", "header", size, `${HEADER_BYTES} bytes`);
  const view = new DataView(bytes.buffer);
  if (view.getUint32(0, true) === VERSIONED_MAGIC) {
    return fault("UnsupportedVersion", "magic", 0, "a version 0 checkpoint, which has no magic");
  }
  const header = Object.fromEntries(
    HEADER.map((name, i) => [name, view.getInt32(4 * i, true)]),
  ) as Record<typeof HEADER[number], number>;
  const place = (name: typeof HEADER[number]) => 4 * HEADER.indexOf(name);
  const tied_output = header.vocab > 0;
  header.vocab = Math.abs(header.vocab);
  for (const name of HEADER) {
    if (header[name] < 1) return fault("BadDimension", name, place(name), "1 or more");
  }
  const { dim, heads, kv_heads } = header;
  const head_dim = dim / heads;
  if (!Number.isInteger(head_dim) || head_dim % 2 !== 0) {
    return fault("BadDimension", "heads", place("heads"), `heads of an even size in dim ${dim}`);
  }
  if (heads % kv_heads !== 0) {
    return fault("BadDimension", "kv_heads", place("kv_heads"), `a divisor of ${heads} heads`);
  }
  const parameters: LlamaParameters = {
    ...header,
    head_dim,
    norm_eps: [1, 100000],
    rope_style: 0,
    rope_theta: [10000, 1],
    tied_output,
  };
  const end = endOf(parameters);
  if (end !== BigInt(size)) {
    return end > size
      ? fault("Truncated", "weights", size, `${end} bytes by its header`)
      : fault("TrailingBytes", "end", Number(end), `the end of the file, which has ${size} bytes`);
  }
  return { parameters, tensors: placeTensors(parameters) };
}

/** Roles in the order of the file; those of a layer stand for all layers one after another. */
const FILE_ORDER = [
  "token-embedding",
  "attention-norm",
  "attention-q",
  "attention-k",
  "attention-v",
  "attention-output",
  "ffn-norm",
  "ffn-gate",
  "ffn-down",
  "ffn-up",
  "final-norm",
  "output",
] as const;

/** The roles of matrices, which a profile may hold. */
export const MATRIX_ROLES: readonly string[] = FILE_ORDER.filter((role) => !role.endsWith("-norm"));

const bytesOf = (shape: readonly number[]): bigint =>
  shape.reduce((product, n) => product * BigInt(n), F32);

/** The two rotary tables, between the final norm and the classifier: max_seq x head_dim / 2 each. */
const rotaryBytes = ({ max_seq, head_dim }: LlamaParameters): bigint =>
  2n * bytesOf([max_seq, head_dim / 2]);

/** The size of a checkpoint with these parameters, exact, without a walk over its layers. */
export function endOf(parameters: LlamaParameters): bigint {
  const one = llamaSlots({ ...parameters, layers: 1 });
  const layers = BigInt(parameters.layers);
  return one.reduce(
    (sum, { layer, shape }) => sum + bytesOf(shape) * (layer < 0 ? 1n : layers),
    BigInt(HEADER_BYTES) + rotaryBytes(parameters),
  );
}

/** Where every tensor stands. @param parameters of a file of at most 2^53 - 1 bytes */
export function placeTensors(parameters: LlamaParameters): Checkpoint["tensors"] {
  const slots = Map.groupBy(llamaSlots(parameters), ({ role }) => role);
  let end = HEADER_BYTES;
  return FILE_ORDER.flatMap((role) => {
    if (role === "output") end += Number(rotaryBytes(parameters));
    return (slots.get(role) ?? []).map((slot) => {
      const offset = end;
      end += Number(bytesOf(slot.shape));
      return { ...slot, offset };
    });
  });
}

/**
 * Describes the immutable base of a checkpoint. Every weight is read once, to see that it is
 * finite; rotary tables are never read. A tensor's name is its role, with `.layer` where it has one;
 * a scale tensor's is that and `.scale`.
 * @param store how matrices (not norms) are stored; absent: f32 as they are
 */
export function importLlama2c(
  source: Source,
  file: string,
  store: StoreMatrix = keepDense,
): Description | ImportError {
  const checkpoint = readLlama2c(source, file);
  if (isImportError(checkpoint)) return checkpoint;
  const tensors: TensorDescription[] = [];
  const auxiliaries: AuxiliaryDescription[] = [];
  for (const { offset, ...slot } of checkpoint.tensors) {
    const name = slotName(slot);
    const fault = (code: ImportError["code"], at: number, expected: string): ImportError => ({
      code,
      file,
      what: name,
      offset: offset + at,
      expected,
    });
    const values = slice(source, offset, Number(bytesOf(slot.shape)));
    const strange = firstNonFinite(values);
    if (strange === null) return fault("Unreadable", 0, `${values.size()} bytes`);
    if (strange >= 0) return fault("NonFinite", strange, "a finite weight");
    const matrix = { ...slot, name, values };
    const stored = slot.shape.length === 2 ? store(matrix) : keepDense(matrix);
    if ("expected" in stored) return fault("NotEncodable", stored.offset, stored.expected);
    const { type, payload, scales } = stored;
    tensors.push({ ...slot, name, type, payload });
    if (scales) {
      const target = `${name}.scale`;
      const { layer } = slot;
      const shape = [slot.shape[0]];
      tensors.push({ role: "scale", name: target, layer, shape, type: "f32", payload: scales });
      auxiliaries.push({ owner: name, target });
    }
  }
  return { ...llama(checkpoint.parameters, tensors), auxiliaries };
}
