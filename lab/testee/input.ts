/** An input of a campaign as the request that it is: a request file, or any other file to read. */
import { isRequest, layOutRequest, parseRequest, reference } from "../../mutators/request.ts";
import { mapArtifacts } from "./artifacts.ts";
import { clip } from "./line.ts";
import type { Artifact, Ask } from "./testee.ts";
import { askOf, requestLine } from "./wire.ts";

/**
 * What `input` asks; null where it says that it is a request and is none. Its paths are places in
 * the file and nothing else, so that no input makes anyone open a path of this machine.
 */
export function askOfInput(input: Uint8Array): Ask | null {
  if (!isRequest(input)) return { op: "read", artifact: { bytes: input } };
  const request = parseRequest(input);
  const ask = request && askOf({ id: 0, ...request.line });
  if (!ask || "fault" in ask) return null;
  let dangling = false;
  const asked = mapArtifacts(ask.value, (artifact): Artifact => {
    const { place, ...claim } = reference("path" in artifact ? artifact.path : "");
    const bytes = request.artifacts[place];
    if (bytes === undefined) dangling = true;
    return { bytes, ...claim };
  });
  return dangling ? null : asked;
}

/** The input that asks `ask`: its artifact alone, where reading that is all that is asked. */
export function inputOfAsk(ask: Ask): Uint8Array {
  const artifacts: Uint8Array[] = [];
  const line = mapArtifacts(ask, (artifact) => {
    if (!("bytes" in artifact)) throw new TypeError("an input holds its artifacts by value");
    const { bytes, claimed_id } = artifact;
    const place = artifacts.push(bytes) - 1;
    return { path: claimed_id === undefined ? `${place}` : `${place}@${claimed_id}` };
  });
  const { id: _, ...rest } = JSON.parse(JSON.stringify(requestLine(0, line)));
  const isReading = Object.keys(rest).every((key) => ["op", "path", "pieces"].includes(key));
  if (rest.op === "read" && isReading && !rest.pieces) return artifacts[0];
  return layOutRequest({ line: rest, artifacts });
}

/** Whether testee.md has words for all of it. */
export function isWirable(ask: Ask): boolean {
  return ask.op !== "read" ||
    !(ask.resolve?.some((one) => "bytes" in one && one.claimed_id !== undefined) ?? false);
}

/** The artifact that a request is about. */
export const subjectOf = (ask: Ask): Artifact =>
  ask.op === "read" ? ask.artifact : ask.op === "piece" ? ask.set : ask.envelope;

/** What is asked, for a person: as on the wire, with sizes for bytes. */
export function describeAsk(ask: Ask): string {
  const told = mapArtifacts(ask, (artifact) => ({
    path: "bytes" in artifact ? `${artifact.bytes.length} bytes` : artifact.path,
  }));
  const short = (_: string, value: unknown) =>
    value instanceof Uint8Array ? `${value.length} bytes` : value;
  return clip(JSON.stringify(told, short), MOST_TOLD);
}

const MOST_TOLD = 4000;
