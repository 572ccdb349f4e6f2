/** Readings with a resolver: what it has, lacks and lies about (classes.md section 6). */
import { layOut, parse } from "../artifact.ts";
import { at, bytes, MAP, type Node, node, parseTree, simple, text, uint } from "../cbor_tree.ts";
import { idsOf } from "../identities.ts";
import type { Random } from "../random.ts";
import { type Json, type Line, reference, type Request } from "../request.ts";
import { seal } from "../seal.ts";
import { type Asker, listAt, withTree } from "./asker.ts";
import { renamed } from "./relink.ts";

/** The places of the artifacts that may be found. */
const found = ({ line }: Request): number[] =>
  listAt(line, "resolve").map((one) => reference(String((one as Line).path)).place);

/** Puts another file into a place that may be found. */
function swapFile(
  request: Request,
  random: Random,
  change: (file: Uint8Array) => Uint8Array | null,
): boolean {
  const places = found(request).filter((place) => request.artifacts[place]);
  if (places.length === 0) return false;
  const place = random.pick(places);
  const changed = change(request.artifacts[place]);
  if (changed === null) return false;
  request.artifacts[place] = changed;
  return true;
}

/** The same content under a noncritical extension: one id, two files. */
function twin(file: Uint8Array, random: Random): Uint8Array {
  const artifact = withTree(file, (root) => {
    const extensions = at(root, "extensions");
    if (!extensions) return;
    extensions.items = [node(MAP, {
      items: [
        ...[text("id"), text("twin")],
        ...[text("payload"), bytes(random.bytes(2))],
        ...[text("version"), uint(1)],
        ...[text("critical"), simple(20)],
      ],
    })];
  });
  const sealed = parse(artifact);
  seal(sealed);
  return layOut(sealed);
}

/** A dependency of the main artifact, and its manifest changed in it. */
function inDependency(
  request: Request,
  random: Random,
  change: (dependency: Node) => void,
): boolean {
  let done = false;
  const main = withTree(request.artifacts[0] ?? new Uint8Array(0), (root) => {
    const list = at(root, "dependencies")?.items ?? [];
    if (list.length === 0) return;
    change(random.pick(list));
    done = true;
  });
  if (done) request.artifacts[0] = main;
  return done;
}

export const resolveAskers: readonly Asker[] = [
  {
    name: "resolve-missing",
    reason: "an artifact that the resolver does not have",
    op: "read",
    ask({ line }, random) {
      const list = listAt(line, "resolve");
      if (list.length === 0) return false;
      list.splice(random.below(list.length), 1);
      return true;
    },
  },
  {
    name: "resolve-order",
    reason: "of several with one id the first counts: the same list in another order",
    op: "read",
    ask({ line }, random) {
      const list = listAt(line, "resolve");
      if (list.length < 2) return false;
      const [one] = list.splice(random.below(list.length), 1);
      list.splice(random.below(list.length + 1), 0, one);
      return true;
    },
  },
  {
    name: "resolve-more",
    reason: "another artifact, one twice, or the artifact itself may be found",
    op: "read",
    ask({ line, artifacts }, random, other) {
      const list: Json[] = line.resolve = listAt(line, "resolve");
      const place = random.oneIn(2) ? random.below(artifacts.length) : artifacts.push(other) - 1;
      list.splice(random.below(list.length + 1), 0, { path: `${place}` });
      return true;
    },
  },
  {
    name: "resolve-twin",
    reason: "two files of one id: the asked whole_file decides, else the first",
    op: "read",
    ask(request, random) {
      const { line, artifacts } = request;
      const places = found(request).filter((place) => artifacts[place]);
      if (places.length === 0) return false;
      const place = artifacts.push(twin(artifacts[random.pick(places)], random)) - 1;
      const list = listAt(line, "resolve");
      list.splice(random.below(list.length + 1), 0, { path: `${place}` });
      return true;
    },
  },
  {
    name: "resolve-swap",
    reason: "a dependency that is another artifact, under the old name or under its own",
    op: "read",
    ask: (request, random, other) => swapFile(request, random, () => other),
  },
  {
    name: "resolve-damage",
    reason: "a dependency that is rejected at any stage, or is another file of the same id",
    op: "read",
    ask: (request, random) =>
      swapFile(request, random, (file) => {
        if (file.length === 0) return null;
        if (random.oneIn(3)) return twin(file, random);
        if (random.oneIn(3)) return file.slice(0, -1);
        const at = random.oneIn(2) ? random.below(Math.min(224, file.length)) : file.length - 1;
        return file.with(at, file[at] ^ 1 << random.below(8));
      }),
  },
  {
    name: "resolve-claim",
    reason: "a store that keeps a file under its id, or lies about it",
    op: "read",
    ask({ line, artifacts }, random) {
      const list = listAt(line, "resolve");
      if (list.length === 0) return false;
      const i = random.below(list.length);
      const { place } = reference(String((list[i] as Line).path));
      if (!artifacts[place]) return false;
      const asked = at(parseTree(parse(artifacts[0]).manifest).root, "dependencies")?.items ?? [];
      const own = idsOf(artifacts[random.oneIn(4) ? random.below(artifacts.length) : place]);
      const lie = asked.length > 0 && random.oneIn(2)
        ? at(random.pick(asked), "id")?.bytes
        : undefined;
      list[i] = random.oneIn(5)
        ? { path: `${place}` }
        : { path: `${place}@${(lie ?? own.artifact_id).toHex()}` };
      return true;
    },
  },
  {
    name: "resolve-lie",
    reason:
      "a store that has another file under the asked id, and the whole_file asked for is its own",
    op: "read",
    ask(request, random) {
      const { line, artifacts } = request;
      const list = listAt(line, "resolve");
      const asked = at(parseTree(parse(artifacts[0]).manifest).root, "dependencies")?.items ?? [];
      if (list.length === 0 || asked.length === 0) return false;
      const dependency = random.pick(asked), i = random.below(list.length);
      const id = at(dependency, "id")?.bytes, whole_file = at(dependency, "whole_file")?.bytes;
      const { place } = reference(String((list[i] as Line).path));
      if (!id || !artifacts[place]) return false;
      list[i] = { path: `${place}@${id.toHex()}` };
      if (whole_file?.length !== 32) return true;
      artifacts[0] = renamed(artifacts[0], whole_file, idsOf(artifacts[place]).whole_file);
      return true;
    },
  },
  {
    name: "dependency-any-file",
    reason: "a dependency that any file of the id meets, and one that asks for one file",
    op: "read",
    ask: (request, random) =>
      inDependency(request, random, (dependency) => {
        const whole = at(dependency, "whole_file");
        if (!whole) return;
        const file = random.pick(request.artifacts);
        Object.assign(whole, random.oneIn(2) ? simple(22) : bytes(idsOf(file).whole_file));
      }),
  },
  {
    name: "dependency-other",
    reason: "a dependency that names another artifact of the request, or another class",
    op: "read",
    ask: (request, random) =>
      inDependency(request, random, (dependency) => {
        const ids = idsOf(random.pick(request.artifacts));
        const id = at(dependency, "id"), artifact_class = at(dependency, "artifact_class");
        if (id && !random.oneIn(4)) Object.assign(id, bytes(ids.artifact_id));
        if (artifact_class && random.oneIn(3)) Object.assign(artifact_class, uint(ids.class));
      }),
  },
];
