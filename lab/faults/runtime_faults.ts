/** Seeded faults of the runtime and of its kernels. */
import type { SeededFault } from "./fault.ts";

const runtime = (name: string) => `readers/runtime/${name}.ts`;
const kernel = (name: string) => `kernels/${name}.ts`;

export const RUNTIME_FAULTS: readonly SeededFault[] = [
  {
    id: "q5-fifth-plane",
    file: kernel("quant/blocks"),
    search: "const fifthUpper = (bytes[at + 4 + (j >> 3)] >> (j & 7)) & 1;",
    replacement: "const fifthUpper = (bytes[at + 3 + (j >> 3)] >> (j & 7)) & 1;",
    breaks: "the fifth bits of the upper half are read one byte early",
    clause: "slm2-7.2-22",
  },
  {
    id: "q4-1-minimum",
    file: kernel("quant/blocks"),
    search: "out[j] = fround(d * (pair & 15)) + least;",
    replacement: "out[j] = fround(d * ((pair & 15) - 8)) + least;",
    breaks: "codes of q4-1 are taken as biased ones",
    clause: "slm2-7.2-35",
  },
  {
    id: "row-lead",
    file: kernel("quant/codec"),
    search: 'const lead = spec.tail === "row" ? 0 : first % elements;',
    replacement: "const lead = 0;",
    breaks: "a row that begins inside a block reads its neighbour",
    clause: "slm2-7.2-25",
  },
  {
    id: "q8-unsigned",
    file: kernel("quant/blocks"),
    search: "out[j] = d * ((bytes[at + 2 + j] << 24) >> 24);",
    replacement: "out[j] = d * bytes[at + 2 + j];",
    breaks: "codes of two's complement are read as unsigned ones",
    clause: "slm2-7.2-18",
  },
  {
    id: "template-unbounded",
    file: runtime("template/render"),
    search: "if (this.#size > MOST_OUTPUT) {",
    replacement: "if (this.#size > 8 * MOST_OUTPUT) {",
    breaks: "a template's output passes 4 MiB",
    clause: "classes-5-20",
  },
  {
    id: "table-cover",
    file: runtime("tokenizer/kinds/table"),
    search: "at = match?.end ?? at + 1;",
    replacement: "at = match?.end ?? at + 2;",
    breaks: "behind an uncovered byte the next one is lost",
    clause: "classes-4-55",
  },
  {
    id: "unigram-cover",
    file: runtime("tokenizer/kinds/unigram"),
    search: "else if (!cover(piece, from[end], end, ids)) return false;",
    replacement: "else if (!cover(piece, from[end], from[end] + 1, ids)) return false;",
    breaks: "of an uncovered code point only the first byte is covered",
    clause: "classes-4-55",
  },
  {
    id: "whitespace-last-byte",
    file: runtime("tokenizer/pretokenizer"),
    search: "return next < end && last > at ? last : next;",
    replacement: "return next < end && last > at ? next - 1 : next;",
    breaks: "gpt2-split: whitespace is cut short by one byte, not by its last code point",
    clause: "classes-4-63",
  },
  {
    id: "cleanup-streamed",
    file: runtime("tokenizer/decode"),
    search: "        held = byte === SPACE;\n",
    replacement:
      "        held = byte === SPACE && byte !== bytes.at(-1);\n        if (byte === SPACE && !held) out.push(SPACE);\n",
    breaks: "a space at the end of a token is not held back: streams differ from the whole",
    clause: "classes-4-58",
  },
];
