/** Seeded faults that show only where several things are so at once, each of them right alone. */
import type { SeededFault } from "./fault.ts";

export const MEETING_FAULTS: readonly SeededFault[] = [
  {
    id: "row-scale-mask-alone",
    file: "readers/cursor/auxiliaries.ts",
    search:
      "  if (mask % 2 === 0 || u16(bytes, its + PROFILE.kernel_contract) !== ROW_SCALES) return null;\n",
    replacement:
      "  if (mask !== 1 || u16(bytes, its + PROFILE.kernel_contract) !== ROW_SCALES) return null;\n",
    breaks:
      "row scales are judged only where the profile asks for no other auxiliary kind beside them",
    clause: "slm2-8.23-8",
  },
  {
    id: "if-present-anywhere",
    file: "readers/table/template.ts",
    search: "new Set([2, 3, 5, 6])",
    replacement: "new Set([2, 3, 5])",
    breaks: "if_present may stand outside for_each_message",
    clause: "classes-5-13",
  },
  {
    id: "adapted-standalone",
    file: "readers/table/dependencies.ts",
    search: "const wanted = [base(a, m.count(adapters) > 0 ? [2] : [1, 2]), tokenizer(a)];",
    replacement: "const wanted = [base(a, m.count(adapters) > 1 ? [2] : [1, 2]), tokenizer(a)];",
    breaks: "off by one: a composition with one adapter may stand on a standalone model",
    clause: "classes-1-35",
  },
  {
    id: "llama-slot-twice",
    file: "readers/table/architecture.ts",
    search: "tensors.compare([T.semantic_role_string_id, T.layer], previous, i) === 0",
    replacement:
      "tensors.compare([T.semantic_role_string_id, T.layer, T.canonical_name_string_id], previous, i) === 0",
    breaks:
      "a llama's tensors of one slot count as two where their names differ: one slot may be filled twice where another is empty",
    clause: "classes-2-24",
  },
  {
    id: "depth-after-entries",
    file: "readers/cursor/cbor.ts",
    search:
      '        const deep = overLimit(limits, "cbor_depth", depth + 1);\n        if (deep !== null) return fault(deep, at, atMost(limits, "cbor_depth"));\n        const many = overLimit(limits, "cbor_entries", argument);\n        if (many !== null) return fault(many, at, atMost(limits, "cbor_entries"));\n        const children = major === MAP ? 2 * argument : argument;\n        if (children > to - body) return fault("CborTruncated", at, `${children} items`);\n',
    replacement:
      '        const many = overLimit(limits, "cbor_entries", argument);\n        if (many !== null) return fault(many, at, atMost(limits, "cbor_entries"));\n        const children = major === MAP ? 2 * argument : argument;\n        if (children > to - body) return fault("CborTruncated", at, `${children} items`);\n        const deep = overLimit(limits, "cbor_depth", depth + 1);\n        if (deep !== null) return fault(deep, at, atMost(limits, "cbor_depth"));\n',
    breaks:
      "order of checks: a container's depth is held against its limit after its entries against the bytes left",
    clause: "slm2-5-24",
  },
  {
    id: "zero-point-width",
    file: "readers/cursor/quant.ts",
    search: '(zeroPoint === IN_BLOCK ? FACTOR_BYTES[get("zero_point_type")] : 0) +',
    replacement: '(zeroPoint === IN_BLOCK ? FACTOR_BYTES[get("scale_type")] : 0) +',
    breaks: "an in-block zero point is taken to be as wide as the scale",
    clause: "slm2-7.2-48",
  },
  {
    id: "licenses-first",
    file: "readers/runtime/policy.ts",
    search:
      '    const stated = artifacts.flatMap(of).flatMap((record) => texts(bodyOf(record), "licenses"));\n',
    replacement:
      '    const stated = artifacts.flatMap(of).flatMap((record) => texts(bodyOf(record), "licenses").slice(0, 1));\n',
    breaks: "of the licenses that a provenance states only the first is held against the policy",
    clause: "slm2-8.29-1",
  },
  {
    id: "kv-interleaved",
    file: "readers/runtime/kv.ts",
    search:
      '    const [keys, values] = ["kv-key", "kv-value"].map((role) =>\n      takeTensor(cache, cache.tensors.findIndex((t) => t.role === role && t.layer === layer))\n    );\n',
    replacement:
      "    const [keys, values] = [0, 1].map((part) => takeTensor(cache, 2 * layer + part));\n",
    breaks:
      "a cache is restored as if key and value of a layer stood side by side: wrong from two layers on",
    clause: "classes-9-15",
  },
  {
    id: "statement-time-rounded",
    file: "readers/cursor/signature.ts",
    search: '.u64(tape.integer(field("expires_at")))',
    replacement: '.u64(tape.uint(field("expires_at")))',
    breaks: "precision: an expires_at above 2^53 is rounded in the signed statement",
    clause: "classes-8-36",
  },
  {
    id: "references-before-gaps",
    file: "readers/cursor/payload.ts",
    search: "checkPlaces(artifact) ?? checkGaps(artifact) ?? checkReferences(artifact);",
    replacement: "checkPlaces(artifact) ?? checkReferences(artifact) ?? checkGaps(artifact);",
    breaks: "order: what nothing refers to comes before a nonzero byte of no object",
    clause: "slm2-8.24-4",
  },
];
