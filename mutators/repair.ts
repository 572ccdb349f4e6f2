/**
 * How much of a broken file is put right again, so that a fault reaches the stage that should see
 * it. Chosen apart from the mutator: every fault is tried bare, in place, and behind good hashes.
 */
import { layOut, parse } from "./artifact.ts";
import { same } from "./bytes.ts";
import type { Random } from "./random.ts";
import { isRequest, layOutRequest, parseRequest } from "./request.ts";
import { relink } from "./requests/relink.ts";
import { seal } from "./seal.ts";

/** `raw` as broken; `laid` offsets, counts, lengths and file_size canonical; `sealed` hashes too. */
export const REPAIRS = ["raw", "laid", "sealed"] as const;
export type Repair = typeof REPAIRS[number];

/** Out of 32: three stay raw, one is laid out but left unsealed, the rest is sealed. */
const RAW = 3, LAID = 1;

export function chooseRepair(random: Random): Repair {
  const n = random.below(32);
  return n < RAW ? "raw" : n < RAW + LAID ? "laid" : "sealed";
}

/**
 * Puts `bytes` right to a level. Where that undoes the mutation (the result is `parent`), the
 * bytes are given back raw: a fault in an offset is only there as long as nobody mends it.
 */
export function repair(bytes: Uint8Array, level: Repair, parent?: Uint8Array): Uint8Array {
  if (level === "raw") return bytes;
  if (isRequest(bytes)) return repairRequest(bytes, level, parent);
  const artifact = parse(bytes);
  if (level === "sealed") seal(artifact);
  const repaired = layOut(artifact);
  return parent && same(repaired, parent) ? bytes : repaired;
}

/** A request has its artifacts put right, and what names them. */
function repairRequest(bytes: Uint8Array, level: Repair, parent?: Uint8Array): Uint8Array {
  const request = parseRequest(bytes);
  if (request === null) return bytes;
  const before = parent && parseRequest(parent);
  const artifacts = request.artifacts.map((file, i) => repair(file, level, before?.artifacts[i]));
  const repaired = { line: request.line, artifacts };
  return layOutRequest(before && level === "sealed" ? relink(repaired, before) : repaired);
}
