/** Seeded faults that show only past the end of a window, or where several rules meet. */
import type { SeededFault } from "./fault.ts";

const cursor = (name: string) => `readers/cursor/${name}.ts`;
const table = (name: string) => `readers/table/${name}.ts`;

export const WINDOW_FAULTS: readonly SeededFault[] = [
  {
    id: "utf8-window",
    file: cursor("utf8_judge"),
    search: "this.#decode(part, true);",
    replacement: "this.#decode(part, false);",
    breaks: "a character that stands in two windows of a blob is taken for a wrong one",
    clause: "slm2-8.26-3",
  },
  {
    id: "documents-window",
    file: cursor("documents"),
    search: "      this.#secondAt = at;\n",
    replacement: "      this.#secondAt ||= at;\n",
    breaks: "of more documents than a window has offsets the later ones are not judged",
    clause: "slm2-8.26-3",
  },
  {
    id: "merkle-seven",
    file: cursor("merkle"),
    search: "this.#roots.reduceRight((right, left) => this.join(left, right))",
    replacement: "this.#roots.reduce((left, right) => this.join(left, right))",
    breaks: "trees of three or more full subtrees are joined from the left",
    clause: "classes-7-12",
  },
  {
    id: "lane-pair-odd",
    file: cursor("lanes"),
    search: "for (let lane = used; lane < block; lane++)",
    replacement:
      "for (let lane = bytes[its + PROFILE.packing_order] === 3 ? 2 * ceilDiv(used, 2) : used; lane < block; lane++)",
    breaks: "a padded lane that shares its byte with an element is not read",
    clause: "slm2-8.26-2",
  },
  {
    id: "merges-untold",
    file: cursor("tokenizer_tables"),
    search: "    if (bytes.length !== 4 + 12 * count) return false;\n    if (vocabulary",
    replacement:
      "    new Float64Array(Math.min(count, 2 ** 24));\n    if (bytes.length !== 4 + 12 * count) return false;\n    if (vocabulary",
    breaks: "memory is taken for a count that nothing has checked, and no allocator is told",
    clause: "slm2-8-8",
  },
  {
    id: "hangul-tail-base",
    file: table("unicode"),
    search: "&& isIn(b, JAMO_T) && b > JAMO_T.BASE) {",
    replacement: "&& isIn(b, JAMO_T)) {",
    breaks: "NFC: U+11A7 is taken for a tail",
    clause: "slm2-5-23",
  },
  {
    id: "instructions-nested",
    file: table("template"),
    search:
      "walk(program, false, (at, opcode) => {\n      hasMarker ||= opcode === EMIT_GENERATION_MARKER;\n      return ++count >",
    replacement:
      "walk(program, false, (at, opcode, inMessage) => {\n      hasMarker ||= opcode === EMIT_GENERATION_MARKER;\n      return (inMessage ? count : ++count) >",
    breaks: "instructions in blocks are not counted",
    clause: "classes-5-16",
  },
  {
    id: "claims-order",
    file: table("closure"),
    search: '  if (!isHex(adapter.get("base", "layout_id"), base.identities.tensor_layout)) {',
    replacement:
      '  const unfit = targetFault(adapter, base.artifact, (code, expected) => fail(code, expected));\n  if (unfit !== null) return unfit;\n  if (!isHex(adapter.get("base", "layout_id"), base.identities.tensor_layout)) {',
    breaks: "order of checks: an adapter's targets before its layout and its tokenizer",
    clause: "classes-6-24",
  },
];
