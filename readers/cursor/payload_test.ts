/** Stage 24: padding, and what nothing refers to. */
import { assertEquals } from "@std/assert";
import { getField } from "../../corpus/writer/fields.ts";
import { REGISTERED } from "../../corpus/writer/profiles.ts";
import { assemble } from "../../corpus/writer/write.ts";
import { edited, judged, PACK, poked } from "./testing.ts";

const file = assemble(PACK).bytes;
const get = (path: string) => Number(getField(file, path));

Deno.test("payload: padding, then strings, then profiles that nothing refers to", () => {
  const q = PACK.tensors![1];
  const mine = { name: "mine", fields: REGISTERED.get(q.type)!.fields };
  const tensors = [
    { ...q, name: "q1" },
    { ...q, name: "q2", type: "mine" },
    { ...PACK.tensors![4], role: "zz" },
  ];
  const whole = assemble({ ...PACK, profiles: [mine], tensors, auxiliaries: [] }).bytes;
  const field = (path: string) => Number(getField(whole, path));
  const profile = { "tensor[1].quant_profile_index": field("tensor[0].quant_profile_index") };
  const string = {
    "tensor[2].semantic_role_string_id": field("tensor[2].canonical_name_string_id"),
  };
  const gap = field("header.payload_offset") + field("tensor[0].payload_length");
  const each = edited(whole, { ...profile, ...string });
  assertEquals(judged(whole), "25 UnsupportedQuantProfile quant");
  assertEquals(judged(poked(each, gap, 1)), "24 NonZeroPadding payload");
  assertEquals(judged(each), "24 UnreferencedString strings");
  assertEquals(judged(edited(whole, profile)), "24 UnreferencedProfile quant");
});

Deno.test("payload: the section longer than its objects", () => {
  const longer = edited(Uint8Array.of(...file, 0), {
    "header.file_size": file.length + 1,
    "header.payload_length": get("header.payload_length") + 1,
  });
  assertEquals(judged(longer), "24 PayloadTrailing payload");
});

Deno.test("payload: gaps in a payload of many windows", () => {
  const tensors = Array.from({ length: 40 }, (_, i) => ({
    role: "t",
    name: `t${100 + i}`,
    shape: [i % 5 === 0 ? 100_000 : 3 + i],
    type: "u8",
    payload: new Uint8Array(i % 5 === 0 ? 100_000 : 3 + i).fill(9),
    alignment: i % 7 === 0 ? 65536 : 64,
  }));
  const big = assemble({ ...PACK, tensors, auxiliaries: [] }).bytes;
  assertEquals(judged(big), "accept");
  const start = Number(getField(big, "header.payload_offset"));
  for (let i = 0; i < 40; i++) {
    const end = start + Number(getField(big, `tensor[${i}].payload_relative_offset`)) +
      Number(getField(big, `tensor[${i}].payload_length`));
    if (end === big.length) continue;
    assertEquals(judged(poked(big, end, 1)), "24 NonZeroPadding payload", `after ${i}`);
    assertEquals(judged(poked(big, end - 1, 1)), "26 PayloadHashMismatch payload", `in ${i}`);
  }
});
