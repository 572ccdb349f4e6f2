/**
 * A request in one file: what is asked of a reader beyond "read this", and the artifacts that it is
 * asked about. So a campaign's inputs stay bytes, whatever they ask.
 *
 *     8 bytes    slm2-ask
 *     u32        number of parts
 *     u32 each   their lengths
 *     parts      the line of testee.md 2 without its id, then the artifacts
 *
 * In the line an artifact is `{"path":"n"}`, n its place behind the line, from 0. In `resolve` it
 * may be `{"path":"n@id"}`: a store claims that id for it (slm2.md, decision 1).
 */
import { HEADER } from "../corpus/writer/fields.ts";
import { compare, concat, join, u32, utf8 } from "../corpus/writer/bytes.ts";
import { cut, getU32 } from "./bytes.ts";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Line = { [key: string]: Json };

/** A request in parts; a mutator may change and replace all of it. */
export interface Request {
  line: Line;
  artifacts: Uint8Array[];
}

const MAGIC = utf8("slm2-ask");
/** No campaign needs more; what says more is no request. */
const MOST_PARTS = 128;

const decoder = new TextDecoder();

/** Whether a file is a request; any other is an artifact to read. */
export const isRequest = (input: Uint8Array): boolean =>
  input.length >= MAGIC.length && compare(input.subarray(0, MAGIC.length), MAGIC) === 0;

/** The parts of a request, as far as its bytes reach; null where it has no line that is an object. */
export function parseRequest(input: Uint8Array): Request | null {
  if (!isRequest(input) || input.length < 12) return null;
  const count = getU32(input, 8);
  if (count === 0 || count > MOST_PARTS) return null;
  const parts: Uint8Array[] = [];
  for (let i = 0, at = 12 + 4 * count; i < count; i++) {
    const length = 12 + 4 * i + 4 <= input.length ? getU32(input, 12 + 4 * i) : 0;
    parts.push(cut(input, at, length));
    at += length;
  }
  const [line, ...artifacts] = parts;
  const parsed = jsonOf(line);
  const isObject = typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
  return isObject ? { line: parsed, artifacts } : null;
}

function jsonOf(line: Uint8Array): Json {
  try {
    return JSON.parse(decoder.decode(line));
  } catch {
    return null;
  }
}

/** The file of a request. */
export function layOutRequest({ line, artifacts }: Request): Uint8Array {
  const parts = [utf8(JSON.stringify(line)), ...artifacts];
  return concat(MAGIC, u32(parts.length), ...parts.map(({ length }) => u32(length)), join(parts));
}

/** What a line's `path` refers to: the place of an artifact, and the id that is claimed for it. */
export function reference(path: string): { readonly place: number; readonly claimed_id?: string } {
  const [place, claimed_id] = path.split("@");
  return {
    place: /^\d{1,3}$/.test(place) ? Number(place) : -1,
    ...(claimed_id !== undefined && { claimed_id }),
  };
}

/** What an input is, in a word: what is asked, and the classes of the artifacts that it is asked about. */
export function sortOf(input: Uint8Array): string {
  const request = parseRequest(input);
  if (request === null) return `${input[HEADER.artifact_class[0]]}`;
  const classes = request.artifacts.map((file) => file[HEADER.artifact_class[0]]);
  return `${request.line.op} ${classes.join()}`;
}
