import { assert, assertEquals } from "@std/assert";
import { concat, u16, u32 } from "./bytes.ts";
import { ident, raw, slmHash } from "./identity.ts";
import { ELEMENT_TYPES, profileBody, profileId, REGISTERED } from "./profiles.ts";
import { elementsOf, meetsTailRule, storageOf, storedBytes } from "./storage.ts";

Deno.test("sixteen profiles are registered, each consistent by section 7.2", () => {
  assertEquals(REGISTERED.size, 16);
  for (const { name, fields: f } of REGISTERED.values()) {
    assert([5, 6].includes(f.storage_type), name);
    assertEquals([f.decoded_type, f.accumulator_type], [1, 1], name);
    assertEquals(f.code_count_per_block, f.block_elements, name);
    assertEquals(f.scale_type === 0, f.scale_placement === 0, name);
    assertEquals(f.zero_point_type === 0, f.zero_point_placement === 0, name);
    assertEquals(f.scale_count_per_block, f.scale_placement === 1 ? 1 : 0, name);
    assertEquals(f.zero_point_count_per_block, f.zero_point_placement === 1 ? 1 : 0, name);
    const half = 2; // every value in a block is f16
    assertEquals(
      f.block_bytes,
      half * (f.scale_count_per_block + f.zero_point_count_per_block) +
        Math.ceil(f.code_bits * f.block_elements / 8),
      name,
    );
    const packing: Record<number, boolean> = {
      1: f.code_bits === 8,
      2: f.code_bits === 4 && f.block_elements % 2 === 0,
      3: f.code_bits === 4 && f.block_elements % 2 === 0,
      4: f.code_bits === 5 && f.block_elements === 32,
    };
    assert(packing[f.packing_order], name);
    const codebook = [f.codebook_kind !== 0, f.code_signedness === 3, f.kernel_contract === 4];
    assert(codebook.every((one) => one === codebook[0]), name);
    assertEquals((f.auxiliary_mask & 1) === 1, f.scale_placement === 2, name);
    assertEquals((f.auxiliary_mask & 2) === 2, f.zero_point_placement === 2, name);
    assert(name.endsWith({ 1: ".pad", 2: ".exact", 3: ".row" }[f.tail_rule] ?? "?"), name);
  }
});

Deno.test("a profile's identity, its record written out by hand", () => {
  const profile = REGISTERED.get("q4-1.b32.row")!;
  const body = concat(
    ...[1, 0, 6, 1, 1, 4].map(u16), // version, flags, storage u8, decoded, accumulator, bits
    ...[32, 20].map(u32), // block elements and bytes
    u16(32), // codes a block
    new Uint8Array([0, 2]), // unsigned, split halves
    ...[2, 1, 1].map(u16), // f16 scale in the block
    ...[2, 1, 1].map(u16), // f16 minimum in the block
    ...[0, 3, 3, 1, 3, 0, 0, 0].map(u16), // no codebook, row, ties up, clamp, contract 3
    new Uint8Array(40),
  );
  assertEquals(profileBody(profile), body);
  assertEquals(
    profileId(profile.name, body),
    slmHash("quant-profile", ident("q4-1.b32.row"), raw(body)),
  );
});

Deno.test("stored bytes of a tensor, by tail rule", () => {
  const stored = (type: string, ...shape: number[]) => storedBytes(shape, storageOf(type));
  assertEquals(stored("f32", 2, 3), 24n);
  assertEquals(stored("u64"), 8n);
  assertEquals(stored("q8-0.b32.row", 3, 33), 204n);
  assertEquals(stored("q8-0.b32.pad", 3, 33), 136n);
  assertEquals(stored("q8-0.b32.exact", 64), 68n);
  assertEquals(stored("q8-0.b32.row"), 34n);
  assertEquals(stored("q8-row.exact", 5, 7), 35n);
  assertEquals(stored("f32", 65536, 65536, 65536, 65536), 2n ** 66n);
  const exact = REGISTERED.get("q8-0.b32.exact")!.fields;
  assertEquals([meetsTailRule([32], exact), meetsTailRule([3, 33], exact)], [true, false]);
});

Deno.test("names of types: element types, profiles, and nothing else", () => {
  assertEquals(storageOf("bf16"), { element_type: ELEMENT_TYPES.bf16.id, profile: null });
  assertEquals(storageOf("nf4.b64.pad").element_type, 256);
  assertEquals(storageOf("toString"), { element_type: 0, profile: null });
  assertEquals(elementsOf([]), 1n);
});
