/** Stage 23: auxiliary records and runs. */
import { assertEquals } from "@std/assert";
import type { Description } from "../../corpus/writer/description.ts";
import { assemble } from "../../corpus/writer/write.ts";
import { cases, described, PACK } from "./testing.ts";

const file = assemble(PACK).bytes;

cases(file, "auxiliary", [
  ["owner", { "auxiliary[0].owner": 5, "auxiliary[0].kind": 0 }, "23 AuxIndex auxiliary"],
  ["target", { "auxiliary[0].target": 2 ** 32 - 1 }, "23 AuxIndex auxiliary"],
  ["kind 0", { "auxiliary[0].kind": 0, "auxiliary[0].target": 2 }, "23 AuxFieldInvalid auxiliary"],
  ["kind 6", { "auxiliary[0].kind": 6 }, "23 AuxFieldInvalid auxiliary"],
  ["flags", { "auxiliary[0].flags": 1 }, "23 AuxFieldInvalid auxiliary"],
  ["axis -2", { "auxiliary[0].axis": -2 }, "23 AuxFieldInvalid auxiliary"],
  ["axis = rank", { "auxiliary[0].axis": 1 }, "23 AuxFieldInvalid auxiliary"],
  ["axis of a scalar", { "auxiliary[0].target": 4 }, "23 AuxFieldInvalid auxiliary"],
  ["reserved", { "auxiliary[0].reserved": Uint8Array.of(1) }, "23 AuxFieldInvalid auxiliary"],
  ["self", { "auxiliary[0].target": 2 }, "23 AuxSelfReference auxiliary"],
  ["a quantized target", { "auxiliary[0].target": 1 }, "23 AuxTarget auxiliary"],
  ["first", { "tensor[2].auxiliary_first": 1 }, "23 AuxRun auxiliary"],
  ["count", { "tensor[2].auxiliary_count": 0 }, "23 AuxRun auxiliary"],
  ["a run of none", { "tensor[0].auxiliary_count": 1 }, "23 AuxRun auxiliary"],
  ["an owner that claims nothing", { "auxiliary[0].owner": 1 }, "23 AuxRun auxiliary"],
  ["another kind", { "auxiliary[0].kind": 2 }, "23 AuxMask auxiliary"],
  ["axis -1 under contract 5", { "auxiliary[0].axis": -1 }, "23 AuxFieldInvalid auxiliary"],
  ["group size", { "auxiliary[0].group_size": 2 }, "23 AuxFieldInvalid auxiliary"],
  ["stride", { "auxiliary[0].block_stride": 1 }, "23 AuxFieldInvalid auxiliary"],
  ["a target of another shape", { "auxiliary[0].target": 0 }, "23 AuxTarget auxiliary"],
]);

Deno.test("auxiliary: more owners and records", () => {
  const [a, q, r, s] = PACK.tensors!;
  const r2 = { ...r, role: "r2", name: "r2" };
  const of = (more: Partial<Description>) => described({ ...PACK, ...more });
  const scales = [{ owner: "r", target: "s" }, { owner: "r2", target: "s" }];
  assertEquals(
    of({ tensors: [a, q, r, r2, s], auxiliaries: scales }),
    "accept",
    "one target for two",
  );
  assertEquals(of({ tensors: [a, q, r, r2, s] }), "23 AuxMask auxiliary", "r2 has none");
  assertEquals(
    of({ auxiliaries: [...PACK.auxiliaries!, { owner: "r", target: "a" }] }),
    "23 AuxMask auxiliary",
    "two of a kind",
  );
  assertEquals(
    of({ auxiliaries: [...PACK.auxiliaries!, { owner: "a", target: "z", kind: 4, axis: -1 }] }),
    "23 AuxMask auxiliary",
    "a dense owner",
  );
  assertEquals(
    of({ auxiliaries: [...PACK.auxiliaries!, { owner: "s", target: "a" }] }),
    "23 AuxTarget auxiliary",
    "a target that owns, seen before its own record",
  );
  const f16 = { ...s, type: "f16", payload: new Uint8Array(8) };
  assertEquals(of({ tensors: [a, q, r, f16] }), "23 AuxTarget auxiliary");
  const rank2 = { ...s, shape: [4, 1] };
  assertEquals(of({ tensors: [a, q, r, rank2] }), "23 AuxTarget auxiliary");
  const none = { ...PACK, tensors: [a, q, r, s], auxiliaries: [] };
  assertEquals(described(none), "23 AuxMask auxiliary", "the table is absent");
  const scalar = { ...r, shape: [], payload: new Uint8Array(1) };
  const one = { ...s, shape: [1], payload: new Uint8Array(4) };
  assertEquals(of({ tensors: [a, q, scalar, one] }), "accept", "a scalar is one row");
});
