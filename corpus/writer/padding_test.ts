import { assertEquals } from "@std/assert";
import { clearPadding, setCode, zeroCode } from "./padding.ts";
import { REGISTERED } from "./profiles.ts";

const fieldsOf = (name: string) => REGISTERED.get(name)!.fields;

Deno.test("the code of zero, by family", () => {
  const codes = ["q8-0.b32.pad", "q4-0.b32.pad", "q4-1.b32.pad", "q5-0.b32.pad", "nf4.b64.pad"]
    .map((name) => zeroCode(fieldsOf(name)));
  assertEquals(codes, [0, 8, 0, 16, 7]);
});

Deno.test("a lane stands where its packing puts it", () => {
  const set = (name: string, lane: number, code: number) => {
    const block = new Uint8Array(fieldsOf(name).block_bytes);
    setCode(block, lane, code, fieldsOf(name));
    return [...block.entries()].filter(([, byte]) => byte !== 0);
  };
  assertEquals(set("q8-0.b32.pad", 31, 0xff), [[33, 0xff]]);
  assertEquals(set("q4-0.b32.pad", 0, 8), [[2, 0x08]]);
  assertEquals(set("q4-0.b32.pad", 17, 8), [[3, 0x80]]);
  assertEquals(set("q4-1.b32.pad", 16, 3), [[4, 0x30]]);
  assertEquals(set("q5-0.b32.pad", 9, 16), [[3, 0x02]]);
  assertEquals(set("q5-0.b32.pad", 31, 31), [[5, 0x80], [21, 0xf0]]);
  assertEquals(set("nf4.b64.pad", 3, 7), [[3, 0x70]]);
});

Deno.test("only padded lanes change, in the last block of each run", () => {
  const blank = (bytes: number) => new Uint8Array(bytes).fill(0xff);
  const row = blank(204), pad = blank(136);
  clearPadding(row, [3, 33], fieldsOf("q8-0.b32.row"));
  clearPadding(pad, [3, 33], fieldsOf("q8-0.b32.pad"));
  const zeros = (bytes: Uint8Array) => [...bytes.keys()].filter((i) => bytes[i] === 0);
  const lanes = (block: number, from: number) =>
    Array.from({ length: 32 - from }, (_, i) => block * 34 + 2 + from + i);
  assertEquals(zeros(row), [...lanes(1, 1), ...lanes(3, 1), ...lanes(5, 1)]);
  assertEquals(zeros(pad), lanes(3, 3));
  const exact = blank(34);
  clearPadding(exact, [32], fieldsOf("q8-0.b32.exact"));
  assertEquals(exact, blank(34));
});
