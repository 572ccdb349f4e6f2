/** Runs cases: logits, distances, and on a breach where it began. */
import { readFloats } from "../floats.ts";
import { kvCache } from "../../corpus/writer/build/composition.ts";
import { isRefusal } from "../../kernels/backend.ts";
import { probe } from "../../kernels/probe.ts";
import type { Reader } from "../../readers/contract.ts";
import {
  type BackendChoice,
  type Context,
  Conversation,
  isReject,
  type LogitsAt,
  restoreKv,
  saveKv,
} from "../../readers/runtime/mod.ts";
import { fileSource } from "../../readers/source.ts";
import { type Case, isFiles, isLogits, type LogitCase, type OperationsCase } from "./case.ts";
import { breaches, type Distance, distance } from "./distance.ts";
import { Models, NotActivated } from "./models.ts";
import { type Operations, runOperations } from "./operations.ts";
import { type Culprit, firstFault } from "./walk.ts";

/** What came of one position. */
export interface PositionResult {
  readonly position: number;
  readonly distance: Distance;
  readonly broken: readonly string[];
  readonly got: Float32Array;
  readonly want: Float32Array;
}

/** How far the residual stream lies from the reference's, the most over a case's positions. */
export interface LayerResult {
  /** `embedding`, `layer 0`, ..., `final norm` */
  readonly at: string;
  readonly absolute: number;
}

export interface CaseResult {
  readonly case: LogitCase;
  readonly positions: readonly PositionResult[];
  /** against the reference's run; against the pass in doubles, at the last position, of files */
  readonly layers: readonly LayerResult[];
  /** arg max changed inside every bound: listed apart */
  readonly flips: readonly PositionResult[];
  /** of a breach: each backend's first operation over its own budget, where there is one */
  readonly culprits: readonly Culprit[];
}

export interface OperationsResult extends Operations {
  readonly case: OperationsCase;
}

export interface Skipped {
  readonly case: Case;
  readonly skipped: string;
}

/** The composition did not become active on the backend. */
export interface Rejected {
  readonly case: Case;
  readonly rejected: string;
}

export type Ran = CaseResult | OperationsResult | Rejected;
export type Outcome = Ran | Skipped;

export const isSkipped = (outcome: Outcome): outcome is Skipped => "skipped" in outcome;
export const isRejected = (outcome: Outcome): outcome is Rejected => "rejected" in outcome;
export const isOperations = (outcome: Outcome): outcome is OperationsResult => "steps" in outcome;

/** Whether a case that ran is broken. */
export const isBreach = (outcome: Ran): boolean =>
  isRejected(outcome)
    ? true
    : isOperations(outcome)
    ? outcome.culprits.length > 0
    : outcome.positions.some(({ broken }) => broken.length > 0);

/**
 * Runs `cases` in order. A backend is asked for a product of known bits before anything else; one
 * that is not there, or answers wrongly, has its cases skipped with the reason.
 */
export async function* runCases(
  cases: readonly Case[],
  reader: Reader,
  backends: Readonly<Record<string, BackendChoice>>,
): AsyncGenerator<Outcome> {
  using models = new Models(reader, backends);
  const doubts = new Map<string, Promise<string | null>>();
  const doubt = (backend: string) => {
    const known = doubts.get(backend) ?? reasonToDoubt(backends[backend]);
    doubts.set(backend, known);
    return known;
  };
  for (const one of cases) {
    const others = isLogits(one) && !isFiles(one.reference) ? [one.reference.backend] : [];
    let skipped = models.absent(one.model);
    for (const backend of [one.backend, ...others]) skipped ??= await doubt(backend);
    if (skipped !== null) yield { case: one, skipped };
    else yield await runOne(one, models);
  }
}

async function runOne(one: Case, models: Models): Promise<Ran> {
  try {
    if (isLogits(one)) return await runCase(one, models);
    return { case: one, ...await runOperations(models, one) };
  } catch (error) {
    if (error instanceof NotActivated) return { case: one, rejected: error.message };
    throw error;
  }
}

/** Why a backend cannot be believed here, or null. */
async function reasonToDoubt(choice: BackendChoice | undefined): Promise<string | null> {
  if (choice === undefined) return "no such backend";
  const backend = await choice.open();
  if (isRefusal(backend)) return backend.why;
  try {
    return (await probe(backend))?.why ?? null;
  } finally {
    backend.close();
  }
}

async function runCase(one: LogitCase, models: Models): Promise<CaseResult> {
  const { reference, positions } = one;
  const context = await models.context(one.model, one.backend);
  const uncut = ({ model, backend }: { readonly model: string; readonly backend: string }) =>
    models.logits(model, backend, one.tokens, positions);
  const got = one.resumeAt === undefined
    ? await uncut(one)
    : await resumed(context, one, one.resumeAt, models);
  const ran = isFiles(reference) ? null : await uncut(reference);
  const want = isFiles(reference) ? reference.files.map(readFloats) : ran!.map((at) => at.logits);
  const results = positions.map((position, i) => {
    const apart = distance(got[i].logits, want[i]);
    const broken = breaches(apart, one.envelope);
    return { position, distance: apart, broken, got: got[i].logits, want: want[i] };
  });
  const flips = results.filter(({ distance: { argMax }, broken }) =>
    broken.length === 0 && argMax.got !== argMax.want
  );
  const first = results.find(({ broken }) => broken.length > 0);
  const culprits = first ? await walk(one, first.position, models) : [];
  const { dim } = context.model.shape, last = positions[positions.length - 1];
  const layers = ran
    ? layersOf(got, ran, dim)
    : layersOf(got.slice(-1), [await models.exact(one.model, one.tokens.slice(0, last + 1))], dim);
  return { case: one, positions: results, layers, flips, culprits };
}

type Traced = Pick<LogitsAt, "activations">;

function layersOf(got: readonly Traced[], want: readonly Traced[], dim: number): LayerResult[] {
  const rows = got[0].activations!.length / dim;
  return Array.from({ length: rows }, (_, row) => {
    const part = ({ activations }: Traced) => activations!.subarray(row * dim, (row + 1) * dim);
    return {
      at: row === 0 ? "embedding" : row < rows - 1 ? `layer ${row - 1}` : "final norm",
      absolute: Math.max(...got.map((one, i) => farthest(part(one), part(want[i])))),
    };
  });
}

/** The largest |a - b|; a NaN is infinitely far. */
function farthest(a: Float32Array, b: Float32Array): number {
  return a.reduce((most, value, i) => {
    const apart = Math.abs(value - b[i]);
    return Math.max(most, Number.isNaN(apart) ? Infinity : apart);
  }, 0);
}

/** Feeds up to `cut`, saves the cache as an artifact, reads it back, and goes on from there. */
async function resumed(
  context: Context,
  { tokens, positions }: LogitCase,
  cut: number,
  models: Models,
): Promise<LogitsAt[]> {
  const before = Conversation.open(context);
  if (isReject(before)) throw new Error(before.code);
  await before.feed(tokens.slice(0, cut));
  const { path } = models.put(kvCache(await saveKv(before)));
  before.close();
  const source = fileSource(path);
  try {
    const { verdict, candidate } = models.reader.read({ source });
    if (!candidate) throw new Error(JSON.stringify(verdict));
    const after = await restoreKv(context, candidate(), tokens.slice(0, cut + 1));
    if ("refused" in after || isReject(after)) throw new Error(JSON.stringify(after));
    using conversation = after;
    const found: LogitsAt[] = [];
    for (const position of positions) {
      const given = tokens.slice(conversation.tokens.length, position);
      if (given.length > 0) await conversation.feed(given);
      found.push({ position, ...await conversation.trace(tokens[position]) });
    }
    return found;
  } finally {
    source.close();
  }
}

/** The first operation over its own budget, of each backend that took part. */
async function walk(one: LogitCase, position: number, models: Models): Promise<Culprit[]> {
  const { reference } = one;
  const runs = [{ model: one.model, backend: one.backend }];
  if (!isFiles(reference)) runs.push({ model: reference.model, backend: reference.backend });
  const tokens = one.tokens.slice(0, position + 1);
  const culprits: Culprit[] = [];
  for (const run of runs) {
    const fault = await firstFault(models, run, tokens);
    if (fault) culprits.push(fault);
  }
  return culprits;
}
