/** Requests: the artifact alone where that is enough, fewer artifacts, a shorter line, smaller artifacts. */
import {
  isRequest,
  type Json,
  layOutRequest,
  parseRequest,
  type Request,
} from "../../mutators/request.ts";
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
    return layOutRequest(copy);
  };
  for (let i = request()!.artifacts.length - 1; i >= 0; i--) {
    await search.take(edited(({ artifacts }) => artifacts.splice(i, 1)));
    if (i >= request()!.artifacts.length) continue;
    await search.take(edited(({ artifacts }) => artifacts[i] = new Uint8Array(0)));
    const whole = (artifact: Uint8Array) => edited(({ artifacts }) => artifacts[i] = artifact);
    await search.within(request()!.artifacts[i], whole, shrink);
  }
  for (let number = 0; number < holders(request()!.line).length; number++) {
    const keys = Object.keys(holders(request()!.line)[number]);
    for (const key of keys) {
      await search.take(edited(({ line }) => drop(holders(line)[number], key)));
    }
  }
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
