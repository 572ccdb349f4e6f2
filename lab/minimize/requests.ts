/**
 * Requests: the artifact alone where that is enough, a shorter line, fewer artifacts, and each of
 * them smaller, named by the others as it is then.
 */
import { parse } from "../../mutators/artifact.ts";
import { same } from "../../mutators/bytes.ts";
import {
  ARRAY,
  at,
  BYTES,
  MAP,
  type Node,
  parseTree,
  simple,
  spots,
} from "../../mutators/cbor_tree.ts";
import {
  isRequest,
  type Json,
  layOutRequest,
  parseRequest,
  reference,
  type Request,
} from "../../mutators/request.ts";
import { relink } from "../../mutators/requests/relink.ts";
import { withTree } from "../../mutators/requests/asker.ts";
import type { Search } from "./search.ts";

/**
 * Makes a request smaller.
 * @param shrink makes one of its artifacts smaller, which is judged in its place
 */
export async function shrinkRequest(
  search: Search,
  shrink: (artifact: Search) => Promise<void>,
): Promise<void> {
  const request = () => parseRequest(search.best);
  for (const artifact of request()?.artifacts ?? []) await search.take(artifact);
  if (!isRequest(search.best) || request() === null) return;
  const edited = (edit: (request: Request) => void) => {
    const copy = parseRequest(search.best)!;
    edit(copy);
    return layOutRequest(compact(copy));
  };
  for (let number = 0; number < holders(request()!.line).length; number++) {
    // from the end: what is left keeps its place
    for (const key of Object.keys(holders(request()!.line)[number]).toReversed()) {
      await search.take(edited(({ line }) => drop(holders(line)[number], key)));
    }
  }
  for (let i = dependencies(request()!).length - 1; i >= 0; i--) {
    await search.take(edited((request) => {
      request.artifacts[0] = withoutDependency(request.artifacts[0], i);
    }));
  }
  for (const key of Object.keys(resolved(request()!)).toReversed()) {
    await search.take(edited((request) => drop(resolved(request), key)));
  }
  const { artifacts } = request()!;
  const largestFirst = artifacts.map((_, i) => i)
    .sort((a, b) => artifacts[b].length - artifacts[a].length);
  for (const i of largestFirst) {
    await search.take(edited(({ artifacts }) => artifacts[i] = new Uint8Array(0)));
    const before = request()!;
    const whole = (artifact: Uint8Array) =>
      layOutRequest(relink({ ...before, artifacts: before.artifacts.with(i, artifact) }, before));
    await search.within(before.artifacts[i], whole, shrink);
  }
}

/** The simple value null. */
const NULL = 22;

/** What the artifact that is asked about names, and what may be found. */
const dependencies = ({ artifacts: [main] }: Request) =>
  at(parseTree(parse(main ?? new Uint8Array(0)).manifest).root, "dependencies")?.items ?? [];
const resolved = ({ line }: Request): Json[] => Array.isArray(line.resolve) ? line.resolve : [];

/** An artifact without one dependency, wherever the body names it: out of a list, or null instead. */
function withoutDependency(file: Uint8Array, number: number): Uint8Array {
  return withTree(file, (root) => {
    const [dependency] = at(root, "dependencies")?.items.splice(number, 1) ?? [];
    const id = dependency && at(dependency, "id"), body = at(root, "body");
    if (!id || !body) return;
    const isIt = (node: Node) => node.major === BYTES && same(node.bytes, id.bytes);
    for (const { node } of spots(body)) {
      if (node.major === ARRAY) node.items = node.items.filter((item) => !isIt(item));
      else if (node.major === MAP) {
        node.items = node.items.map((one) => isIt(one) ? simple(NULL) : one);
      }
    }
  });
}

type Holder = Json[] | { [key: string]: Json };

/** Every array and object of a value, outer ones first. */
function holders(value: Json): Holder[] {
  if (typeof value !== "object" || value === null) return [];
  return [value, ...Object.values(value).flatMap(holders)];
}

function drop(holder: Holder, key: string): void {
  if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else delete holder[key];
}

/** Only the artifacts that the line names, numbered anew. */
function compact({ line, artifacts }: Request): Request {
  const places: number[] = [];
  const renumbered = JSON.parse(JSON.stringify(line), (key, value) => {
    if (key !== "path" || typeof value !== "string") return value;
    const { place, claimed_id } = reference(value);
    if (!places.includes(place)) places.push(place);
    const now = places.indexOf(place);
    return claimed_id === undefined ? `${now}` : `${now}@${claimed_id}`;
  });
  return { line: renumbered, artifacts: places.flatMap((place) => artifacts[place] ?? []) };
}
