/** Programs in manifests: tokenizer steps, template instructions, adapter operations. */
import {
  ARRAY,
  array,
  at,
  bytes,
  copyNode,
  MAP,
  type Node,
  node,
  simple,
  sortItems,
  spots,
  text,
  uint,
} from "./cbor_tree.ts";
import { onTree } from "./manifest.ts";
import type { Mutator } from "./mutator.ts";
import { anyCodePoint, oddText } from "./odd_texts.ts";
import type { Random } from "./random.ts";

const odd = (random: Random): Node =>
  node(3, { bytes: random.oneIn(2) ? oddText(random) : anyCodePoint(random) });

/** Every registered operation of classes.md section 4, in either list. */
const OPS = [
  "nfc",
  "nfkc",
  "lowercase",
  "strip-accents",
  "clean-control",
  "cjk-space",
  "prepend",
  "replace",
  "collapse-space",
  "gpt2-split",
  "whitespace-split",
  "punctuation-split",
  "digits-split",
  "none",
] as const; // deno-fmt-ignore

const DECODERS = ["byte-level", "byte-fallback", "strip-space-marker", "wordpiece-cleanup"];

/** An operation with as many operands as it takes, or others. */
function op(random: Random): Node {
  const name = random.oneIn(12) ? random.pick(["NFC", "", "regex", "a//b"]) : random.pick(OPS);
  const operands = name === "prepend"
    ? [text("x")]
    : name === "replace"
    ? [text("a"), text("b")]
    : name === "digits-split"
    ? [uint(random.pick([0, 1, 3]))]
    : []; // deno-fmt-ignore
  switch (random.below(8)) {
    case 0:
      operands.pop();
      break;
    case 1:
      operands.push(random.oneIn(2) ? uint(1) : text("y"));
      break;
    case 2:
      if (operands.length > 0) operands[random.below(operands.length)] = random.oneIn(2) ? odd(random) : simple(22);
      break;
    default:
  }
  return random.oneIn(24) ? array(...operands) : array(text(name), ...operands);
}

/** An instruction of classes.md section 5, well formed or with another operand. */
function instruction(random: Random, depth = 0): Node {
  const code = random.below(11);
  const block = () =>
    array(...Array.from({ length: random.below(3) }, () => instruction(random, depth + 1)));
  const name = () =>
    random.oneIn(8) ? text("A") : text(random.pick(["user", "assistant", "a", "name"]));
  const parts: Node[] = [uint(code)];
  if (code === 1 || code === 4) parts.push(uint(random.below(4)));
  if (code === 5 || code === 6) parts.push(name(), depth < 3 ? block() : array());
  if (code === 7) parts.push(depth < 3 ? block() : array());
  if (random.oneIn(10)) parts.push(uint(0));
  if (random.oneIn(10)) parts.pop();
  return array(...parts);
}

/** The lists of a template's program: the program itself and every block. */
const blocksOf = (program: Node): Node[] =>
  spots(program).map(({ node }) => node).filter((one) =>
    one.major === ARRAY && one.items.every(({ major }) => major === ARRAY)
  );

export const programs: readonly Mutator[] = [
  onTree(
    "tokenizer-op",
    "normaliser and pretokenizer steps: names, operands, the wrong list",
    (tree) => {
      const { random } = tree;
      const list = at(tree.root, "body", random.oneIn(2) ? "normalizer" : "pretokenizer");
      if (list?.major !== ARRAY) return false;
      const where = random.below(list.items.length + 1);
      if (list.items.length > 0 && random.oneIn(3)) {
        list.items.splice(
          Math.min(where, list.items.length - 1),
          1,
          op(random),
        );
      } else list.items.splice(where, 0, op(random));
      return true;
    },
  ),
  onTree(
    "tokenizer-id",
    "ids at the size of the vocabulary, policies without what they need",
    (tree) => {
      const { random } = tree;
      const body = at(tree.root, "body");
      const size = body && at(body, "vocab_size");
      if (!body || !size) return false;
      const end = Number(size.value);
      const id = () => uint(Math.max(0, random.pick([end, end - 1, 0, end + 1])));
      switch (random.below(6)) {
        case 0:
        case 1: {
          const edge = at(body, random.oneIn(2) ? "bos" : "eos");
          const found = edge && at(edge, "id"), auto = edge && at(edge, "auto");
          if (found) Object.assign(found, node(0), random.oneIn(3) ? simple(22) : id());
          if (auto) Object.assign(auto, simple(random.oneIn(2) ? 21 : 20));
          return true;
        }
        case 2: {
          const unknown = at(body, "unknown");
          const found = unknown && at(unknown, "id"), policy = unknown && at(unknown, "policy");
          if (found && random.oneIn(2)) {
            Object.assign(
              found,
              node(0),
              random.oneIn(2) ? simple(22) : id(),
            );
          }
          if (policy) Object.assign(policy, text(random.pick(["reject", "token", "bytes"])));
          return true;
        }
        case 3: {
          const stop = at(body, "stop_tokens");
          if (stop?.major !== ARRAY) return false;
          stop.items.push(id());
          if (random.oneIn(2)) sortItems(stop);
          return true;
        }
        case 4: {
          const stop = at(body, "stop_bytes");
          if (stop?.major !== ARRAY) return false;
          stop.items.push(bytes(random.bytes(random.below(3))));
          if (random.oneIn(2)) sortItems(stop);
          return true;
        }
        default:
          size.value = Math.max(0, end + random.pick([1, -1]));
          return true;
      }
    },
  ),
  onTree(
    "tokenizer-decoder",
    "how ids become text again: what is dropped, held back or turned into spaces",
    (tree) => {
      const { random } = tree;
      const decoder = at(tree.root, "body", "decoder");
      const marker = at(tree.root, "body", "space_marker");
      const prefix = at(tree.root, "body", "added_prefix_space");
      if (decoder?.major !== ARRAY || !marker || !prefix) return false;
      decoder.items = DECODERS.filter(() => random.oneIn(2)).map(text);
      if (!random.oneIn(8)) sortItems(decoder);
      if (random.oneIn(3)) prefix.value = random.oneIn(2) ? 21 : 20;
      if (random.oneIn(3)) {
        Object.assign(
          marker,
          random.oneIn(2) ? simple(22) : text(random.pick(["\u2581", " ", "_"])),
        );
      }
      return true;
    },
  ),
  onTree(
    "template-instruction",
    "instructions outside their loop, nested loops, blobs that are not there",
    (tree) => {
      const { random } = tree;
      const program = at(tree.root, "body", "program");
      if (program?.major !== ARRAY) return false;
      const block = random.pick([program, ...blocksOf(program)]);
      const where = random.below(block.items.length + 1);
      block.items.splice(where, random.oneIn(3) ? 1 : 0, instruction(random));
      return true;
    },
  ),
  onTree(
    "template-marker",
    "a generation marker without its instruction, an instruction without it",
    (tree) => {
      const { random } = tree;
      const marker = at(tree.root, "body", "generation_marker");
      const program = at(tree.root, "body", "program");
      if (!marker || program?.major !== ARRAY) return false;
      if (random.oneIn(2)) {
        Object.assign(
          marker,
          node(0),
          marker.major === 7 ? uint(random.below(9)) : simple(22),
        );
      } else program.items.push(array(uint(8)));
      return true;
    },
  ),
  onTree("template-long", "as many instructions as a program may have, and one more", (tree) => {
    const { random } = tree;
    const program = at(tree.root, "body", "program");
    if (program?.major !== ARRAY || !random.oneIn(8)) return false;
    const have = spots(program).filter(({ node: { major, items } }) =>
      major === ARRAY && items[0]?.major === 0
    ).length;
    // whether they stand in one block or in several is all one
    const blocks = [program, ...blocksOf(program)];
    const end = 4096 + random.pick([0, 1]);
    for (let i = have, some = 0; i < end; i += some) {
      some = random.oneIn(2) ? end - i : random.between(1, end - i);
      const { items } = random.pick(blocks);
      for (let j = 0; j < some; j++) {
        items.push(array(uint(9)));
      }
    }
    return true;
  }),
  onTree(
    "adapter-operation",
    "operations: other names, orders, ranks, axes, operands, repeated or missing",
    (tree) => {
      const { random } = tree;
      const list = at(tree.root, "body", "operations");
      if (list?.major !== ARRAY || list.items.length === 0) return false;
      const one = random.pick(list.items);
      const number = (name: string, ...values: number[]) => {
        const found = at(one, name);
        if (found) Object.assign(found, node(0), uint(random.pick(values)));
      };
      switch (random.below(9)) {
        case 0: {
          const found = at(one, "op");
          if (found) {
            Object.assign(
              found,
              text(
                random.pick([
                  "lora/1",
                  "additive-delta/1",
                  "sparse-delta/1",
                  "multiplicative-vector/1",
                  "lora/2",
                ]),
              ),
            );
          }
          break;
        }
        case 1:
          number("order", 0, 1, 2, 3, Number(at(one, "order")?.value ?? 0) + 1);
          break;
        case 2:
          number("rank", 0, 1, 2, 8);
          break;
        case 3:
          number("axis", -1, 0, 1, -2);
          break;
        case 4:
          number("element_type", 0, 1, 2, 256, 13);
          number("kernel_contract", 0, 1, 2, 5, 6);
          break;
        case 5: {
          const profile = at(one, "profile");
          if (profile) profile.bytes = random.oneIn(2) ? new Uint8Array(32) : random.bytes(32);
          break;
        }
        case 6: {
          list.items.splice(random.below(list.items.length + 1), 0, copyNode(one));
          if (random.oneIn(4)) break;
          for (const [i, { major, items }] of list.items.entries()) {
            const order = major === MAP ? at(node(MAP, { items }), "order") : undefined;
            if (order) order.value = i;
          }
          break;
        }
        case 7: {
          const operands = at(one, "tensors");
          if (!operands || operands.items.length < 2) return false;
          const i = 2 * random.below(operands.items.length / 2);
          if (random.oneIn(2)) operands.items.splice(i, 2);
          else {operands.items[i + 1] = copyNode(
              random.pick(operands.items.filter((_, j) => j % 2 === 1)),
            );}
          break;
        }
        default: {
          const keys = spots(one).filter(({ node }) => at(node, "subindex_0"));
          const key = keys.length > 0 ? random.pick(keys).node : null;
          const found = key && at(key, random.pick(["layer", "subindex_0", "subindex_1"]));
          if (found) Object.assign(found, node(0), uint(random.pick([-1, 0, 1, -2])));
        }
      }
      return true;
    },
  ),
];
