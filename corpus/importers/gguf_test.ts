/** GGUF metadata: every value type against its listing, and every kind of damage. */
import { assert, assertEquals } from "@std/assert";
import { dataTest } from "../../lab/data.ts";
import type { Source } from "../../readers/contract.ts";
import { memorySource } from "../../readers/source.ts";
import { GgufMetadata, type GgufValue, readGguf } from "./gguf.ts";
import { entry, head, join, le, text } from "./testing.ts";

const utf8 = new TextEncoder();

function codeAndOffset(bytes: Uint8Array): [string, number] {
  const result = readGguf(memorySource(bytes), "test.gguf");
  assert(!(result instanceof GgufMetadata), "the file was read");
  return [result.code, result.offset];
}

Deno.test("damage has a code and the offset of the item at fault", () => {
  const one = entry("a", 4, le(4, 1));
  const faults: [Uint8Array, string, number][] = [
    [new Uint8Array(0), "Truncated", 0],
    [utf8.encode("GGUX0000"), "BadMagic", 0],
    [head(0, 1), "UnsupportedVersion", 4],
    [head(0).subarray(0, 20), "Truncated", 16],
    // a count that no file of this size can hold stops nothing but this reading
    [head(2n ** 64n - 1n), "Truncated", 16],
    [head(1), "Truncated", 16],
    [join(head(1), entry("a", 13, new Uint8Array(8))), "UnknownType", 33],
    [join(head(1), entry("a", 7, Uint8Array.of(2))), "BadBool", 37],
    [join(head(1), entry("a", 8, le(8, 2n ** 63n))), "Truncated", 37],
    [join(head(1), entry("a", 9, join(le(4, 8), le(8, 2n ** 61n)))), "Truncated", 41],
    [join(head(1), entry("a", 9, join(le(4, 9), le(8, 0)))), "NestedArray", 37],
    [join(head(1), entry("a", 9, join(le(4, 99), le(8, 1), le(8, 0)))), "UnknownType", 37],
    [join(head(2), one, one), "DuplicateKey", 41],
    [join(head(1), le(8, 1), Uint8Array.of(0xff), le(4, 4), le(4, 1)), "BadKey", 24],
  ];
  for (const [bytes, code, offset] of faults) {
    assertEquals(codeAndOffset(bytes), [code, offset], code);
  }
});

Deno.test("every proper prefix of a file is Truncated", () => {
  const file = join(
    head(3),
    entry("a", 8, text("xyz")),
    entry("b", 9, join(le(4, 8), le(8, 2), text(""), text("é"))),
    entry("c", 12, le(8, 0)),
  );
  assert(readGguf(memorySource(file), "test.gguf") instanceof GgufMetadata);
  for (let size = 0; size < file.length; size++) {
    assertEquals(codeAndOffset(file.subarray(0, size))[0], "Truncated");
  }
});

Deno.test("a source that throws or gives less is Unreadable", () => {
  const sources: Source[] = [
    { size: () => 100, read: () => 3 },
    {
      size: () => 100,
      read() {
        throw new Error("gone");
      },
    },
  ];
  for (const source of sources) {
    const result = readGguf(source, "test.gguf");
    assert(!(result instanceof GgufMetadata) && result.code === "Unreadable");
  }
});

Deno.test("bytes behind the metadata are not read beyond a last window", () => {
  const file = join(head(1), entry("a", 4, le(4, 7)));
  let furthest = 0;
  const source: Source = {
    size: () => 2 ** 40,
    read(offset, into) {
      furthest = Math.max(furthest, offset + into.length);
      into.set(file.subarray(offset, offset + into.length));
      return into.length;
    },
  };
  const result = readGguf(source, "test.gguf");
  assert(result instanceof GgufMetadata);
  assertEquals(result.number("a"), 7);
  assertEquals(result.end, file.length);
  assert(furthest <= 1 << 16);
});

interface Listed {
  readonly key: string;
  readonly type: string;
  readonly value: unknown;
}

/** A listed value as this reader gives it; null for arrays that are listed as a digest. */
function expected(type: string, value: unknown): GgufValue | null {
  if (type === "arr") {
    const { array_of, values } = value as { array_of: string; values?: unknown[] };
    return values ? values.map((one) => expected(array_of, one)!) : null;
  }
  if (type === "str") return utf8.encode(value as string);
  if (type === "bool") return value === 1;
  if (type === "u64" || type === "i64") return BigInt(value as string);
  if (type !== "f32" && type !== "f64") return value as number;
  const bits = new DataView(new ArrayBuffer(8));
  const { hex } = value as { hex: string };
  if (type === "f32") bits.setUint32(0, parseInt(hex, 16));
  else bits.setBigUint64(0, BigInt(`0x${hex}`));
  return type === "f32" ? bits.getFloat32(0) : bits.getFloat64(0);
}

dataTest("every value of every listed file", (data) => {
  const read = (name: string) => Deno.readFileSync(new URL(`gguf/${name}`, data));
  const listing = JSON.parse(new TextDecoder().decode(read("tensors.json"))) as {
    file: string;
    metadata_end: number;
    kv: Listed[];
    tensors: unknown[];
  }[];
  let compared = 0;
  for (const { file, metadata_end, kv, tensors } of listing) {
    const metadata = readGguf(memorySource(read(file)), file);
    assert(metadata instanceof GgufMetadata, file);
    // the listing counts tensor descriptions as metadata
    if (tensors.length === 0) assertEquals(metadata.end, metadata_end, file);
    assertEquals(metadata.keys(), kv.map(({ key }) => key), file);
    for (const { key, type, value } of kv) {
      const want = expected(type, value);
      if (want === null) continue;
      assertEquals(metadata.get(key), want, `${file} ${key}`);
      compared++;
    }
  }
  assert(compared > 50);
});
