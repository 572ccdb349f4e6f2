/** Families of good artifacts with one part of them as large as asked: where work can be quadratic. */
import { tensorPack } from "../../corpus/writer/build/model.ts";
import { tokenizer } from "../../corpus/writer/build/tokenizer.ts";
import type { Description } from "../../corpus/writer/description.ts";
import { isWriteError } from "../../corpus/writer/fault.ts";
import { write } from "../../corpus/writer/write.ts";

const EMPTY = new Uint8Array(0);

const tensor = (i: number, role = "w") => ({
  role,
  name: `t${i}`,
  shape: [1],
  type: "u8",
  payload: Uint8Array.of(i),
});

const list = <T>(n: number, one: (i: number) => T): T[] =>
  Array.from({ length: n }, (_, i) => one(i));

/** By name: the part that grows, as a description of size `n`. */
export const PROBES: { readonly [name: string]: (n: number) => Description } = {
  "tensors": (n) => tensorPack(list(n, (i) => tensor(i))),
  "keys": (n) => ({
    ...tensorPack([tensor(0)]),
    extensions: [{
      id: "x",
      version: 0,
      critical: false,
      payload: new Map(list(n, (i) => [`k${i}`, i])),
    }],
  }),
  "text": (n) => ({
    ...tensorPack([tensor(0)]),
    extensions: [{
      id: "x",
      version: 0,
      critical: false,
      payload: { a: "e\u0327\u0301x".normalize("NFC").repeat(n) },
    }],
  }),
  "features": (n) => ({
    ...tensorPack([tensor(0)]),
    requirements: { features: list(n, (i) => `f${i}`) },
  }),
  "auxiliaries": (n) => ({
    ...tensorPack([
      ...list(n, (i) => ({ ...tensor(i), type: "q8-row.exact" })),
      { role: "x", name: "scale", shape: [1], type: "f32", payload: new Uint8Array(4) },
    ]),
    auxiliaries: list(n, (i) => ({ owner: `t${i}`, target: "scale" })),
  }),
  "literals": (n) => ({
    artifact_class: 5,
    body: {
      fields: [],
      generation_marker: null,
      instruction_set: 1,
      program: [],
      roles: [],
      stop_tokens: list(n, (i) => i),
      tokenizer_id: new Uint8Array(32),
    },
    dependencies: [{ role: "tokenizer", artifact_class: 4, id: new Uint8Array(32) }],
    blobs: list(
      n,
      (i) => ({ kind: 16, name: `l${i}`, media_type: "text/plain", payload: Uint8Array.of(0x61) }),
    ),
  }),
  "merges": (n) =>
    tokenizer({
      vocabulary: [...list(n, (i) => Uint8Array.of(i % 256, i >> 8)), EMPTY],
      merges: list(n, (i): [number, number, number] => [i, n, i]),
    }, { kind: "byte-level-bpe/1" }),
};

/** How large each is made at most: as the limits of section 4 allow, and as a person can wait for. */
export const largest = (name: string): number => name === "literals" ? 4000 : 12000;

/** The file of a probe. @throws Error where the writer refuses it, which is a bug of the probe */
export function probe(name: string, n: number): Uint8Array {
  const written = write(PROBES[name](n));
  if (isWriteError(written)) throw new Error(`${name} ${n}: ${written.code} at ${written.where}`);
  return written.bytes;
}
