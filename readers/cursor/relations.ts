/**
 * Stage 18, step 6 after the schema: the *Relations* of each class's section of
 * `classes.md`, in the order written. Each function gives the first that is broken, or null.
 */
import type { Reject } from "../contract.ts";
import type { Artifact } from "./artifact.ts";
import { firstNonZero, MAX } from "./bytes.ts";
import { programFault } from "./instructions.ts";
import { pieceCount } from "./pieces.ts";
import { denominator, numerator } from "./rational.ts";
import { fault } from "./schema.ts";
import { type Tape, TRUE } from "./tape.ts";
import { BF16, F16, F32, QUANTIZED } from "./types.ts";

/** The item that breaks a relation, and what it would have to be. */
type Broken = readonly [item: number, expected: string];
type Relations = (tape: Tape, body: number, artifact: Artifact) => Broken | null;

const IMMUTABLE_BASE = 2;
const TOKEN = "a token id below vocab_size";
const MOST_ADAPTERS = 32;

/** 2. Models */
const ofModel: Relations = (tape, body, { artifact_class }) => {
  const dependents = tape.get(body, "dependents");
  return (tape.head(dependents) === TRUE) === (artifact_class === IMMUTABLE_BASE)
    ? null
    : [dependents, "true exactly in an immutable base"];
};

/** 3. Adapter */
const ofAdapter: Relations = (tape, body) => {
  const operations = tape.get(body, "operations");
  let previous: number | bigint = -1;
  for (let i = operations + 1; i < tape.next(operations); i = tape.next(i)) {
    const op = tape.get(i, "op");
    const order = tape.get(i, "order");
    if (tape.integer(order) <= previous) return [order, "a greater order"];
    previous = tape.integer(order);
    const rank = tape.get(i, "rank");
    if (tape.isText(op, "lora/1") !== (tape.uint(rank) >= 1)) {
      return [rank, "0 unless the op is lora/1, and then at least 1"];
    }
    const axis = tape.get(i, "axis");
    const place = tape.integer(axis);
    if (tape.isText(op, "multiplicative-vector/1") ? place < 0 : place !== -1) {
      return [axis, "-1 unless the op is multiplicative-vector/1, and then at least 0"];
    }
    const profile = tape.get(i, "profile");
    const named = firstNonZero(tape.bytes, tape.body(profile), tape.end(profile)) >= 0;
    if (named !== (tape.uint(tape.get(i, "element_type")) === QUANTIZED)) {
      return [profile, "nonzero exactly for element type 256"];
    }
    const contract = tape.get(i, "kernel_contract");
    if (named !== (tape.uint(contract) !== 0)) {
      return [contract, "0 exactly where profile is zero"];
    }
  }
  return null;
};

/** 4. Tokenizer */
const ofTokenizer: Relations = (tape, body) => {
  const vocabulary = tape.integer(tape.get(body, "vocab_size"));
  const isToken = (item: number) => tape.integer(item) < vocabulary;
  const [bos, eos] = [tape.get(body, "bos"), tape.get(body, "eos")];
  const unknown = tape.get(body, "unknown");
  for (const owner of [bos, eos, unknown]) {
    const id = tape.get(owner, "id");
    if (!tape.isNull(id) && !isToken(id)) return [id, TOKEN];
  }
  const roles = tape.get(body, "roles");
  for (let k = roles + 1; k < tape.next(roles); k = tape.next(k + 1)) {
    if (!isToken(k + 1)) return [k + 1, TOKEN];
  }
  const stops = tape.get(body, "stop_tokens");
  for (let i = stops + 1; i < tape.next(stops); i = tape.next(i)) {
    if (!isToken(i)) return [i, TOKEN];
  }
  for (const owner of [bos, eos]) {
    const auto = tape.get(owner, "auto");
    if (tape.head(auto) === TRUE && tape.isNull(tape.get(owner, "id"))) {
      return [auto, "false without an id"];
    }
  }
  const policy = tape.get(unknown, "policy");
  if (tape.isText(policy, "token") && tape.isNull(tape.get(unknown, "id"))) {
    return [policy, "not token without an id"];
  }
  const fallback = tape.head(tape.get(body, "byte_fallback")) === TRUE;
  return tape.isText(policy, "bytes") && !fallback
    ? [policy, "not bytes without byte_fallback"]
    : null;
};

/** 5. Chat template */
const ofTemplate: Relations = (tape, body, { sections }) =>
  programFault(tape, body, sections.blobs.count);

/** 6. Composition */
const ofComposition: Relations = (tape, body) => {
  const adapters = tape.get(body, "adapters");
  if (tape.length(adapters) > MOST_ADAPTERS) return [adapters, "at most 32 adapters"];
  for (let a = adapters + 1; a < tape.next(adapters); a = tape.next(a)) {
    for (let b = adapters + 1; b < a; b = tape.next(b)) {
      if (tape.equal(a, tape, b)) return [a, "another adapter"];
    }
  }
  const generation = tape.get(body, "generation");
  const temperature = tape.get(generation, "temperature");
  if (numerator(tape, temperature) < 0) return [temperature, "at least 0"];
  const top = tape.get(generation, "top_p");
  const share = numerator(tape, top);
  if (share <= 0 || share > denominator(tape, top)) return [top, "above 0, at most 1"];
  const type = tape.get(tape.get(body, "kv"), "element_type");
  return [F32, F16, BF16].includes(tape.uint(type)) ? null : [type, "f32, f16 or bf16"];
};

/** 7. Piece set */
const ofPieceSet: Relations = (tape, body) => {
  const bytes = tape.get(body, "subject_bytes");
  const size = tape.integer(bytes);
  if (typeof size === "bigint" || size < 1 || size > MAX) {
    return [bytes, "1 to 2^53 - 1"];
  }
  const count = tape.get(body, "piece_count");
  return tape.integer(count) === pieceCount(size) ? null : [count, `${pieceCount(size)}`];
};

const RELATIONS: ReadonlyMap<number, Relations> = new Map([
  [1, ofModel],
  [2, ofModel],
  [3, ofAdapter],
  [4, ofTokenizer],
  [5, ofTemplate],
  [6, ofComposition],
  [9, ofPieceSet],
]);

/** Step 6 after the schema. */
export function relationFault(artifact: Artifact): Reject | null {
  const { artifact_class, tape, body } = artifact;
  const broken = RELATIONS.get(artifact_class)?.(tape, body, artifact) ?? null;
  return broken === null ? null : fault("BadValue", tape, ...broken);
}
