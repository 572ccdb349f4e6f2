/** What breaks a request: as a mutator, for what is asked rather than for an artifact. */
import { encodeTree, type Node, parseTree } from "../cbor_tree.ts";
import { layOut, parse } from "../artifact.ts";
import type { Json, Line, Request } from "../request.ts";
import type { Random } from "../random.ts";

export interface Asker {
  /** stays the same for ever: campaigns count by it */
  readonly name: string;
  /** why it is there */
  readonly reason: string;
  /** how often it is tried beside others; absent: once */
  readonly weight?: number;
  /** the requests that it has something to do with */
  readonly op: "read" | "piece" | "signature";
  /**
   * Changes `request` in place, whose lists are its own and whose artifacts are not.
   * @param other an artifact of another input
   * @returns whether there was something to do
   */
  ask(request: Request, random: Random, other: Uint8Array): boolean;
}

/** An object of the line, made where there is none. */
export function objectAt(line: Line, key: string): Line {
  const there = line[key];
  if (typeof there === "object" && there !== null && !Array.isArray(there)) return there;
  return line[key] = {};
}

/** A list of the line; a copy that is not in it where there is none. */
export const listAt = (line: Line, key: string): Json[] => {
  const there = line[key];
  return Array.isArray(there) ? there : [];
};

/** Changes the manifest of a file; lengths and what follows are laid out anew. */
export function withTree(file: Uint8Array, change: (root: Node) => void): Uint8Array {
  const artifact = parse(file);
  const { root, rest } = parseTree(artifact.manifest);
  change(root);
  return layOut({ ...artifact, manifest: encodeTree(root, rest) });
}

/** A number beside one that is compared with it, or far away. */
export function near(n: number, random: Random): number {
  return Math.max(0, random.pick([n - 1, n, n + 1, n - 1, n, n + 1, 0, 2 ** 32 + n, 2 ** 53 - 1]));
}

/** A hash that differs in one digit, or another one. */
export function otherHash(hash: string, random: Random): string {
  if (random.oneIn(4)) return random.bytes(32).toHex();
  const at = random.below(64);
  return hash.slice(0, at) + "0123456789abcdef"[(parseInt(hash[at], 16) + 1) % 16] +
    hash.slice(at + 1);
}
