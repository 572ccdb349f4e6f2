/**
 * Relinking: a changed artifact has other identities, and whoever named it by the old ones names it
 * by the new ones. So a fault in one artifact of a request is judged for what it is, behind every
 * check that the others fit it.
 */
import { layOut, parse } from "../artifact.ts";
import { same } from "../bytes.ts";
import { idsOf } from "../identities.ts";
import type { Line, Request } from "../request.ts";
import { seal } from "../seal.ts";

/** A composition names an adapter, which names a base: no chain of names is longer. */
const MOST_STEPS = 4;
const DIGESTS = ["artifact_id", "whole_file", "tensor_layout"] as const;

/** @param before the request whose artifacts those of `request` were made from, place by place */
export function relink(request: Request, before: Request): Request {
  const artifacts = [...request.artifacts];
  let line = JSON.stringify(request.line);
  const known = before.artifacts.map((file) => file);
  for (let step = 0; step < MOST_STEPS; step++) {
    const moved = artifacts.flatMap((file, i) =>
      known[i] && !same(file, known[i]) ? [[idsOf(known[i]), idsOf(file), i] as const] : []
    );
    if (moved.length === 0) break;
    for (const [, , i] of moved) known[i] = artifacts[i];
    for (const [old, now, i] of moved) {
      for (const name of DIGESTS) {
        if (same(old[name], now[name])) continue;
        line = line.replaceAll(old[name].toHex(), now[name].toHex());
        for (let j = 0; j < artifacts.length; j++) {
          if (j !== i) artifacts[j] = renamed(artifacts[j], old[name], now[name]);
        }
      }
    }
  }
  return { line: JSON.parse(line) as Line, artifacts };
}

/** A file in whose manifest 32 bytes stand for others, its hashes good again. */
export function renamed(file: Uint8Array, old: Uint8Array, now: Uint8Array): Uint8Array {
  const artifact = parse(file);
  let found = false;
  const { manifest } = artifact;
  for (let at = find(manifest, old, 0); at >= 0; at = find(manifest, old, at + old.length)) {
    manifest.set(now, at);
    found = true;
  }
  if (!found) return file;
  seal(artifact);
  return layOut(artifact);
}

function find(bytes: Uint8Array, part: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(part[0], from); at >= 0; at = bytes.indexOf(part[0], at + 1)) {
    if (same(bytes.subarray(at, at + part.length), part)) return at;
  }
  return -1;
}
