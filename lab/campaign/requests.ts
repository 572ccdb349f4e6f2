/** Requests to begin a campaign with: small good closures, and what the golden corpus asks beyond "read this". */
import { closure } from "../../corpus/recipes/ask/closure.ts";
import { expectations } from "../../corpus/recipes/ask/expectations.ts";
import { pieceChecks } from "../../corpus/recipes/ask/pieces.ts";
import { policy } from "../../corpus/recipes/ask/policy.ts";
import { signatures } from "../../corpus/recipes/ask/signatures.ts";
import type { Case } from "../../corpus/recipes/case.ts";
import { layOutRequest, type Line } from "../../mutators/request.ts";
import { seedClosures } from "../../mutators/requests/closures.ts";

const RECIPES = [...closure, ...expectations, ...pieceChecks, ...policy, ...signatures];

/** As request files, those of at most `most` bytes, each once. */
export function seedRequests(most: number): Uint8Array[] {
  const files = [
    ...seedClosures().filter(({ length }) => length <= most),
    ...RECIPES.flatMap((recipe) => recipe.cases()).flatMap((one) => fileOf(one, most)),
  ];
  return [...new Map(files.map((file) => [file.toBase64(), file])).values()];
}

/** The request file of a case; none where it only reads a file, or where a file is too large. */
function fileOf(one: Case, most: number): Uint8Array[] {
  const bytes = bytesOf(one);
  if (bytes === null || one.op === "read" && one.ask === undefined) return [];
  const artifacts = [bytes];
  const path = (artifact: Uint8Array) => ({ path: `${artifacts.push(artifact) - 1}` });
  const line = lineOf(one, path);
  const size = artifacts.reduce((sum, { length }) => sum + length, 0);
  if (line === null || size > most) return [];
  const file = layOutRequest({ line: line as Line, artifacts });
  return file.length > most ? [] : [file];
}

function lineOf(one: Case, path: (artifact: Uint8Array) => { path: string }): object | null {
  switch (one.op) {
    case "read": {
      const { resolve, ...ask } = one.ask!;
      const found = resolve?.flatMap((other) => bytesOf(other) ?? []).map(path);
      return { op: "read", path: "0", ...ask, ...(found && { resolve: found }) };
    }
    case "piece": {
      const { data, ...ask } = one.ask;
      if (!("bytes" in data)) return null;
      return { op: "piece", set: { path: "0" }, ...ask, data: data.bytes.toBase64() };
    }
    case "signature":
      return { op: "signature", envelope: { path: "0" }, ...one.ask };
  }
}

/** A case's file; null where it has none, or one that is not at hand. */
const bytesOf = ({ artifact }: Case): Uint8Array | null =>
  artifact && "bytes" in artifact ? artifact.bytes : null;
