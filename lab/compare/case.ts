/**
 * The logit suite's cases, as data: what is run, what it is held against, how far apart the two
 * may lie, and why so far.
 */

/** How far logits may lie from their reference. 0 everywhere: the same bits. */
export interface Envelope {
  /** largest |a - b| */
  readonly absolute: number;
  /** largest |a - b| / |b| where |b| >= 1: near zero a relative figure says nothing */
  readonly relative: number;
  /** largest |a - b| in units of b's last place, where |b| >= 1 */
  readonly ulp: number;
  /** divergence of the distributions, reference to result, in nats */
  readonly kl: number;
  /** whether another arg max is a breach, even inside the other bounds; else it is listed apart */
  readonly sameArgMax: boolean;
  /** where the bounds come from */
  readonly derivation: string;
}

/** Held against values of another program: a raw f32 file a position. */
export interface FileReference {
  readonly files: readonly string[];
}

/** Held against another run of ours: of another backend, another composition, or without a cut. */
export interface RunReference {
  readonly backend: string;
  readonly model: string;
}

export interface LogitCase {
  readonly name: string;
  /** which of the suite's compositions (`models.ts`) */
  readonly model: string;
  readonly backend: string;
  /** fed from position 0 on */
  readonly tokens: readonly number[];
  /** where logits are compared, ascending */
  readonly positions: readonly number[];
  /** before this position the KV cache is saved as an artifact and read into a new conversation */
  readonly resumeAt?: number;
  readonly reference: FileReference | RunReference;
  readonly envelope: Envelope;
}

/** Every operation of a pass, one by one on the same inputs, instead of logits. */
export interface OperationsCase {
  readonly name: string;
  readonly model: string;
  readonly backend: string;
  /** the last one's pass is taken apart */
  readonly tokens: readonly number[];
}

export type Case = LogitCase | OperationsCase;

export const isLogits = (one: Case): one is LogitCase => "reference" in one;
export const isFiles = (reference: LogitCase["reference"]): reference is FileReference =>
  "files" in reference;

/** The largest number of ulps, and ratio, that an absolute distance can be where |b| >= 1. */
const ULP_OF_ONE = 2 ** -23;

/**
 * The envelope that follows from a bound on absolute distance: relative and ulp from |b| >= 1,
 * and KL <= absolute^2 / 2 by Hoeffding's lemma (the log of two probabilities differs by at most
 * 2 absolute around a mean), with 1e-12 for the f64 sums that measure it.
 */
export function within(absolute: number, sameArgMax: boolean, derivation: string): Envelope {
  return {
    absolute,
    relative: absolute,
    ulp: Math.ceil(absolute / ULP_OF_ONE),
    kl: absolute ** 2 / 2 + 1e-12,
    sameArgMax,
    derivation,
  };
}

export function sameBits(derivation: string): Envelope {
  return { absolute: 0, relative: 0, ulp: 0, kl: 0, sameArgMax: true, derivation };
}
