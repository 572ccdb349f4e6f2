/** Readings with more to them: limits, expectations, a runtime's memory (slm2.md 4, stages 25 and 27). */
import { HEADER, TENSOR } from "../../corpus/writer/fields.ts";
import { parse } from "../artifact.ts";
import { getU32, getU64 } from "../bytes.ts";
import { ARRAY, at, BYTES, MAP, parseTree, spots, TEXT, uint } from "../cbor_tree.ts";
import { idsOf } from "../identities.ts";
import { type Asker, near, objectAt, otherHash, withTree } from "./asker.ts";

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
];
