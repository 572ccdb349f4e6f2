/** Requests and answers as they stand on a line of testee.md, both ways. */
import type { Identities, Judgement, Verdict } from "../../readers/contract.ts";
import { isObject, type JsonObject } from "./line.ts";
import {
  type Artifact,
  type Ask,
  IDENTITY_NAMES,
  type Op,
  OPS,
  type PieceAsk,
  type ReadAsk,
  type SignatureAsk,
  type TesteeInfo,
} from "./testee.ts";
import { breach } from "./wire_schema.ts";

/** The name of the protocol, in the first line of either side. */
export const PROTOCOL = "slm2-testee/1";
export const HELLO: JsonObject = { hello: PROTOCOL };

/** What the other side meant, or why that cannot be told. */
export type Parsed<T> = { readonly value: T } | { readonly fault: string };

// ------------------------------------------------------------------------ introduction

export function infoOf(line: JsonObject): Parsed<TesteeInfo> {
  const fault = breach("hello", line);
  if (fault !== null) return { fault };
  const { name, version, language, stages, ops } = line.testee as Partial<TesteeInfo>;
  const [first, last] = stages!;
  if (first > last) return { fault: `testee.stages end at ${last} before they begin at ${first}` };
  return {
    value: {
      name: name!,
      version: version!,
      language: language!,
      stages: [first, last],
      ops: ops ?? ["read"],
    },
  };
}

// ---------------------------------------------------------------------------- requests

export function requestLine(id: number, ask: Ask): JsonObject {
  switch (ask.op) {
    case "read": {
      const { op, artifact, resolve, ...rest } = ask;
      return { id, op, ...artifactOut(artifact), ...rest, resolve: resolve?.map(artifactOut) };
    }
    case "piece": {
      const { op, set, data, ...rest } = ask;
      return { id, op, set: artifactOut(set), data: data.toBase64(), ...rest };
    }
    case "signature":
      return { id, ...ask, envelope: artifactOut(ask.envelope) };
  }
}

/** What a request asks; a fault is the reason to skip it. */
export function askOf(written: JsonObject): Parsed<Ask> {
  // some serialisers write every optional key: null is one that was left out
  const line = Object.fromEntries(Object.entries(written).filter(([, value]) => value !== null));
  const op = OPS.find((one) => one === line.op);
  if (op === undefined) return { fault: "no such op here" };
  const fault = breach(op, line);
  if (fault !== null) return { fault };
  // the schema has just been held, so that each key has the type of its ask
  switch (op) {
    case "read": {
      const { id: _, op, path, bytes, resolve, ...rest } = line;
      if ((path === undefined) === (bytes === undefined)) {
        return { fault: "a read needs either path or bytes" };
      }
      const artifact = artifactIn(path === undefined ? { bytes } : { path });
      const found = (resolve as JsonObject[] | undefined)?.map(artifactIn);
      if (artifact === null || found?.includes(null)) return NOT_BASE64;
      return {
        value: { ...rest, op, artifact, ...(found && { resolve: found }) } as unknown as ReadAsk,
      };
    }
    case "piece": {
      const { id: _, set, data, ...rest } = line;
      const artifact = artifactIn(set as JsonObject);
      const bytes = base64(data as string);
      if (artifact === null || bytes === null) return NOT_BASE64;
      return { value: { ...rest, set: artifact, data: bytes } as unknown as PieceAsk };
    }
    case "signature": {
      const { id: _, envelope, ...rest } = line;
      const artifact = artifactIn(envelope as JsonObject);
      if (artifact === null) return NOT_BASE64;
      return { value: { ...rest, envelope: artifact } as unknown as SignatureAsk };
    }
  }
}

const NOT_BASE64 = { fault: "bytes that are not base64 of RFC 4648 section 4, padded" };

function artifactOut(artifact: Artifact): JsonObject {
  return "path" in artifact ? { path: artifact.path } : { bytes: artifact.bytes.toBase64() };
}

function artifactIn(artifact: JsonObject): Artifact | null {
  if (artifact.path !== undefined) return { path: artifact.path as string };
  const bytes = base64(artifact.bytes as string);
  return bytes && { bytes };
}

/** RFC 4648 section 4, padded; the engine's decoder alone would let white space through. */
function base64(text: string): Uint8Array | null {
  if (text.length % 4 !== 0 || /\s/.test(text)) return null;
  try {
    return Uint8Array.fromBase64(text, { lastChunkHandling: "strict" });
  } catch {
    return null;
  }
}

// ----------------------------------------------------------------------------- answers

/** An answer under the id of its request, whatever that was. */
export function answerLine(id: unknown, answer: Verdict | Judgement): JsonObject {
  if (answer.verdict === "skip") return { id, skip: answer.why };
  if (answer.verdict === "accept") return { id, ...answer };
  const { verdict, stage, code, section, offset } = answer;
  return { id, verdict, stage, code, section, offset };
}

/** The answer on a line to request `id`; a fault is one of the protocol. */
export function answerOf(line: JsonObject, id: number, op: Op): Parsed<Verdict | Judgement> {
  if (line.id !== id) {
    return { fault: `the answer to request ${id} carries the id ${JSON.stringify(line.id)}` };
  }
  if (line.skip !== undefined) {
    if (line.verdict !== undefined) return { fault: "the answer is both a verdict and a skip" };
    const fault = breach("skip", line);
    return fault === null ? { value: { verdict: "skip", why: line.skip as string } } : { fault };
  }
  switch (line.verdict) {
    case "accept": {
      if (op !== "read") return { value: { verdict: "accept" } };
      const fault = breach("accept", line);
      if (fault !== null) return { fault };
      const given = line.identities as JsonObject;
      return { value: { verdict: "accept", identities: identitiesOf(given) } };
    }
    case "reject": {
      const fault = breach("reject", line);
      if (fault !== null) return { fault };
      const { verdict, stage, code, section, offset } = line;
      const reject = { verdict, stage, code, section, ...(offset !== undefined && { offset }) };
      return { value: reject as Verdict };
    }
    default:
      return { fault: `verdict is neither accept nor reject: ${JSON.stringify(line.verdict)}` };
  }
}

/** Identities in the spec's key order, and nothing else that the testee said. */
function identitiesOf(given: JsonObject): Identities {
  const known = IDENTITY_NAMES.filter((name) => given[name] !== undefined);
  return Object.fromEntries(known.map((name) => [name, given[name]])) as unknown as Identities;
}

/** The id of a request, to answer under; null where the line has none. */
export function idOf(line: unknown): unknown {
  return isObject(line) ? line.id ?? null : null;
}
