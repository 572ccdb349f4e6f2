/** The manifest, and bodies of models (classes.md 1 and 2): a row a sentence. */
import { tensorPack } from "../../corpus/writer/build/model.ts";
import type { Item } from "../../corpus/writer/cbor.ts";
import type { Description } from "../../corpus/writer/description.ts";
import {
  dense,
  edited,
  type Edits,
  file,
  hash,
  RECEIPT,
  type Row,
  sentences,
} from "./sentences.ts";

const on =
  (description: Description) => (sentence: string, edits: Edits, expected: string): Row => [
    sentence,
    () => edited(description, edits),
    expected.includes("[") || expected === "accept" ? expected : `18 ${expected} [manifest]`,
  ];

const extension = (id: string, version: number | bigint, critical = false, payload: Item = {}) => ({
  critical,
  id,
  payload,
  version,
});

const subject = (edits: object = {}) => ({
  artifact_class: 1,
  id: hash(1),
  role: "subject",
  whole_file: hash(2),
  ...edits,
});

const MAX64 = 2n ** 64n - 1n;

const r = on(RECEIPT);

sentences("classes.md 1", [
  r(
    "an unknown key before a missing one",
    { "body.x": 1, "body.cases": undefined },
    "UnknownCoreKey",
  ),
  r(
    "a missing key before a later wrong one",
    { "body.cases": undefined, "body.dataset": 1 },
    "MissingCoreKey",
  ),
  r("the shortest key first", { "body.scope": 1, "body.dataset": undefined }, "WrongType"),
  r(
    "an unknown key before a wrong value",
    { "body.scope": 1, "zzzzzzzzzzzzzzzzzzzzzz": 1 },
    "UnknownCoreKey",
  ),
  r("the body before its class", { "body.status": 1, "artifact_class": 13 }, "WrongType"),
  r("a body that is no map", { "body": [] }, "WrongType"),
  r("the schema before extensions", { "schema": "x", "extensions": 1 }, "SchemaMismatch"),
  r("a schema that is no text", { "schema": 1 }, "WrongType"),
  r(
    "extensions before dependencies",
    { "extensions": 1, "dependencies": new Array(257).fill(0) },
    "WrongType",
  ),
  r("dependencies before requirements", {
    "requirements": 1,
    "dependencies": new Array(257).fill(0),
  }, "BadValue"),
  r("256 dependencies are for the row to refuse", {
    "dependencies": new Array(256).fill(subject()),
  }, "BadValue"),
  r("length before elements", { "extensions": new Array(65).fill(0) }, "BadValue"),
  r("elements in their length", { "extensions": new Array(64).fill(0) }, "WrongType"),
  r("the class is last", { "artifact_class": 13, "requirements.memory_bytes": -1 }, "WrongType"),
  r("another class", { "artifact_class": 1 }, "ClassMismatch"),
  r("a class beyond 2^53", { "artifact_class": MAX64 }, "ClassMismatch"),
  r("a negative class", { "artifact_class": -1 }, "WrongType"),
  r("a negative uint", { "body.cases": -1 }, "WrongType"),
  r("free: 2^64 - 1", { "body.cases": MAX64, "requirements.memory_bytes": MAX64 }, "accept"),
  r("free: more passed than there are", { "body.cases_passed": 2 }, "accept"),
  r("31 bytes", { "body.dataset": new Uint8Array(31) }, "BadValue"),
  r("null is no b32", { "body.dataset": null }, "WrongType"),
  r("another text", { "body.status": "PASS" }, "BadValue"),
  r("an enumeration asks its type first", { "body.status": false }, "WrongType"),
  r("an identifier of no bytes", { "body.scope": "" }, "BadIdentifier"),
  r("255 bytes", { "body.scope": "a".repeat(255) }, "accept"),
  r("256 bytes", { "body.scope": "a".repeat(256) }, "BadIdentifier"),
  r("a component of three dots", { "body.scope": "a/.../b" }, "accept"),
  r("a component of two", { "body.scope": "a/.." }, "BadIdentifier"),
  r("a hyphen first", { "body.scope": "-a" }, "BadIdentifier"),
  r("a hyphen first in a later component", { "body.scope": "a/-/_" }, "accept"),
  r("true is no null", { "dependencies": [subject({ whole_file: true })] }, "WrongType"),
  r(
    "null is no bool",
    { "extensions": [extension("a", 0, null as unknown as boolean)] },
    "WrongType",
  ),
  r(
    "a payload is bytes",
    { "extensions": [extension("a", 0, false, new Uint8Array(3))] },
    "accept",
  ),
  r("or a map, whatever is in it", {
    "extensions": [extension("a", 0, false, { "A B": [null, -1] })],
  }, "accept"),
  r("and no array", { "extensions": [extension("a", 0, false, [])] }, "WrongType"),
  r("id before payload", { "extensions": [extension("A", 0, false, [])] }, "BadIdentifier"),
  r("extensions by the bytes of their ids", {
    "extensions": [extension("aa", 0), extension("b", 0)],
  }, "accept"),
  r(
    "not by their encodings",
    { "extensions": [extension("b", 0), extension("aa", 0)] },
    "UnsortedSet",
  ),
  r("a prefix first", { "extensions": [extension("a", 9), extension("a.", 0)] }, "accept"),
  r("then by version", {
    "extensions": [extension("a", 2n ** 53n), extension("a", 2n ** 53n + 1n)],
  }, "accept"),
  r(
    "one version twice",
    { "extensions": [extension("a", MAX64), extension("a", MAX64)] },
    "UnsortedSet",
  ),
  r(
    "order before what is critical",
    { "extensions": [extension("b", 0, true), extension("a", 0)] },
    "UnsortedSet",
  ),
  r(
    "critical before dependencies",
    { "extensions": [extension("a", 0, true)], "dependencies": [] },
    "UnknownCriticalExtension",
  ),
  r("the whole manifest before extensions' order", {
    "extensions": [extension("b", 0), extension("a", 0)],
    "artifact_class": 1,
  }, "ClassMismatch"),
  r("features are a set", { "requirements.features": ["b", "a"] }, "UnsortedSet"),
  r("by their encodings", { "requirements.features": ["b", "aa"] }, "accept"),
  r("elements before order", { "requirements.features": ["b", "a", "C"] }, "BadIdentifier"),
  r("each once", { "requirements.features": ["b", "b"] }, "UnsortedSet"),
  r("a dependency of class 13", { "dependencies": [subject({ artifact_class: 13 })] }, "accept"),
  r("of class 0", { "dependencies": [subject({ artifact_class: 0 })] }, "BadValue"),
  r("of class 14", { "dependencies": [subject({ artifact_class: 14 })] }, "BadValue"),
  r("of another role", { "dependencies": [subject({ role: "base" })] }, "BadValue"),
  r("none", { "dependencies": [] }, "BadValue"),
  r("two", { "dependencies": [subject(), subject()] }, "BadValue"),
  r("its id is the body's", { "dependencies": [subject({ id: hash(3) })] }, "BadValue"),
  r("its whole_file too", { "dependencies": [subject({ whole_file: hash(3) })] }, "BadValue"),
  r(
    "null is not the body's whole_file",
    { "dependencies": [subject({ whole_file: null })] },
    "BadValue",
  ),
  [
    "tables before dependencies",
    () => edited({ ...RECEIPT, tensors: [dense("a", "a", [])] }, { "dependencies": [] }),
    "18 TableNotPermitted [manifest]",
  ],
  [
    "a required table that is not there",
    () => file(tensorPack([])),
    "18 TableNotPermitted [manifest]",
  ],
  [
    "schema before tables",
    () => edited(tensorPack([]), { "body.dependents": 1 }),
    "18 WrongType [manifest]",
  ],
  [
    "tables before relations",
    () => edited(tensorPack([]), { "body.dependents": true }),
    "18 TableNotPermitted [manifest]",
  ],
  ["a string table is in no matrix", () => edited(RECEIPT, {}), "accept"],
]);

const m = on(tensorPack([dense("a", "x", [])]));

sentences("classes.md 2", [
  m("dependents exactly in class 2", { "body.dependents": true }, "BadValue"),
  m(
    "parameters of a pack",
    { "body.architecture.parameters": { a: 1 } },
    "25 UnsupportedArchitecture [manifest]",
  ),
  m("parameters are a map", { "body.architecture.parameters": [] }, "WrongType"),
  m(
    "an unknown architecture",
    { "body.architecture.id": "tensor-pack/2" },
    "25 UnsupportedArchitecture [manifest]",
  ),
  m("an id that is none", { "body.architecture.id": "tensor-pack//1" }, "BadIdentifier"),
  m("a model has no dependency", { "dependencies": [subject()] }, "BadValue"),
  ["an unknown profile before an unknown architecture", () =>
    edited({
      ...tensorPack([{
        role: "w",
        name: "w",
        shape: [32],
        type: "mine",
        payload: new Uint8Array(32),
      }]),
      profiles: [{
        name: "mine",
        fields: {
          storage_type: 5,
          decoded_type: 1,
          accumulator_type: 1,
          code_bits: 8,
          block_elements: 1,
          block_bytes: 1,
          code_count_per_block: 1,
          code_signedness: 1,
          packing_order: 1,
          scale_type: 0,
          scale_count_per_block: 0,
          scale_placement: 0,
          zero_point_type: 0,
          zero_point_count_per_block: 0,
          zero_point_placement: 0,
          codebook_kind: 0,
          tail_rule: 1,
          rounding_mode: 1,
          saturation_mode: 1,
          kernel_contract: 1,
          auxiliary_mask: 0,
          calibration_mode: 0,
        },
      }],
    }, { "body.architecture.id": "x" }), "25 UnsupportedQuantProfile [quant]"],
]);
