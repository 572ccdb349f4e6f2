/** Readings with more to them: limits, expectations, a resolver (slm2.md 4, stages 25 and 27). */
import { HEADER, TENSOR } from "../../corpus/writer/fields.ts";
import { layOut, parse } from "../artifact.ts";
import { getU32, getU64 } from "../bytes.ts";
import {
  ARRAY,
  at,
  BYTES,
  bytes,
  MAP,
  type Node,
  node,
  parseTree,
  simple,
  spots,
  TEXT,
  text,
  uint,
} from "../cbor_tree.ts";
import { idsOf } from "../identities.ts";
import type { Random } from "../random.ts";
import { type Json, type Line, reference, type Request } from "../request.ts";
import { seal } from "../seal.ts";
import { type Asker, listAt, near, objectAt, otherHash, withTree } from "./asker.ts";

const u32 = (name: keyof typeof HEADER) => (file: Uint8Array) => getU32(file, HEADER[name][0]);
const u64 = (name: keyof typeof HEADER) => (file: Uint8Array) => getU64(file, HEADER[name][0]);
const items = (file: Uint8Array) => spots(parseTree(parse(file).manifest).root);
const most = (numbers: readonly number[]) => numbers.reduce((a, b) => Math.max(a, b), 0);
const lengths = (major: number) => (file: Uint8Array) =>
  most(items(file).filter(({ node }) => node.major === major).map(({ node }) => node.bytes.length));

/** What a file has of each thing that a policy limits (section 4). */
const ACTUAL: { readonly [limit: string]: (file: Uint8Array) => number } = {
  file_size: (file) => file.length,
  manifest_length: u64("manifest_length"),
  string_table_length: u64("string_table_length"),
  quant_count: u32("quant_count"),
  tensor_count: u32("tensor_count"),
  blob_count: u32("blob_count"),
  auxiliary_count: u32("auxiliary_count"),
  cbor_depth: (file) =>
    most(
      items(file).filter(({ node }) => node.major === ARRAY || node.major === MAP)
        .map(({ depth }) => depth),
    ),
  cbor_items: (file) => items(file).length,
  cbor_text: lengths(TEXT),
  cbor_bytes: lengths(BYTES),
  cbor_entries: (file) =>
    most(items(file).map(({ node }) => node.items.length / (node.major === MAP ? 2 : 1))),
  rank: (file) => most(parse(file).tensors.map(({ record }) => record[TENSOR.rank[0]])),
};

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

export const readAskers: readonly Asker[] = [
  {
    name: "ask-policy",
    reason: "a limit at what the file has, one below and one above",
    op: "read",
    ask({ line, artifacts }, random) {
      const name = random.pick(Object.keys(ACTUAL));
      objectAt(line, "policy")[name] = near(ACTUAL[name](artifacts[0]), random);
      return true;
    },
  },
  {
    name: "ask-fewer",
    reason: "one thing less is asked",
    op: "read",
    ask({ line }, random) {
      const policy = Object.keys(objectAt(line, "policy"));
      if (policy.length > 1 && random.oneIn(2)) {
        delete objectAt(line, "policy")[random.pick(policy)];
        return true;
      }
      const keys = Object.keys(line).filter((key) => key !== "op" && key !== "path");
      if (keys.length === 0) return false;
      delete line[random.pick(keys)];
      return true;
    },
  },
  {
    name: "ask-expect",
    reason: "identities of this file, of a companion, and ones that differ a little",
    op: "read",
    ask({ line, artifacts }, random) {
      const ids = idsOf(random.oneIn(4) ? random.pick(artifacts) : artifacts[0]);
      const name = random.pick(["whole_file", "artifact_id"] as const);
      const hash = ids[name].toHex();
      objectAt(line, "expect")[name] = random.oneIn(3) ? otherHash(hash, random) : hash;
      return true;
    },
  },
  {
    name: "ask-memory",
    reason: "a runtime with as much memory as is asked for, or one byte less",
    op: "read",
    ask(request, random) {
      const { line, artifacts } = request;
      line.resolve ??= [];
      if (random.oneIn(2)) {
        artifacts[0] = withTree(artifacts[0], (root) => {
          const memory = at(root, "requirements", "memory_bytes");
          if (memory) {
            Object.assign(memory, uint(random.pick([0, 1, 4096, 2 ** 53, 2n ** 64n - 1n])));
          }
        });
      }
      const memory = at(
        parseTree(parse(artifacts[0]).manifest).root,
        "requirements",
        "memory_bytes",
      );
      line.runtime_memory = near(Number(memory?.value ?? 0), random);
      return true;
    },
  },
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
