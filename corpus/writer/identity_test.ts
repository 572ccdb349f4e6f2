import { assertEquals } from "@std/assert";
import { createHasher, hash } from "blake3-jit";
import { dataTest } from "../../lab/data.ts";
import { concat, u16, u32, u64, utf8 } from "./bytes.ts";
import * as id from "./identity.ts";

/** Bytes of hexadecimal, spaces allowed. */
const bytes = (text: string) => Uint8Array.fromHex(text.replaceAll(" ", ""));

Deno.test("SLM_HASH frames its domain and each field with type and length", () => {
  const framed = concat(
    bytes("53 4c 4d 32 2d 48 41 53 48 00"), // "SLM2-HASH\0"
    bytes("04 00 74 65 73 74"), // "test"
    bytes("06 00 00 00"),
    bytes("01 00 02 00 00 00 00 00 00 00 aa bb"),
    bytes("02 00 02 00 00 00 00 00 00 00 c3 a9"),
    bytes("03 00 02 00 00 00 00 00 00 00 34 12"),
    bytes("04 00 00 00 00 00 00 00 00 00"),
    bytes("05 00 28 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00"),
    new Uint8Array(32).fill(7),
    bytes("06 00 02 00 00 00 00 00 00 00 18 64"),
  );
  assertEquals(
    id.slmHash(
      "test",
      id.raw(bytes("aa bb")),
      id.ident("\u00e9"),
      id.int16(0x1234),
      id.digest(null),
      id.digests([new Uint8Array(32).fill(7)]),
      id.cbor(100),
    ),
    hash(framed),
  );
});

Deno.test("a last field that arrives in windows hashes as one that is at hand", () => {
  const payload = Uint8Array.from({ length: 5000 }, (_, i) => i);
  const windows = id.slmHasher("test", [id.int64(1)], payload.length);
  for (const [from, to] of [[0, 1], [1, 1], [1, 1025], [1025, 5000]]) {
    windows.update(payload.subarray(from, to));
  }
  assertEquals(windows.finish(), id.slmHash("test", id.int64(1), id.raw(payload)));
});

Deno.test("an absent digest is not a digest of zeros", () => {
  const zeros = id.slmHash("test", id.digest(new Uint8Array(32)));
  assertEquals(id.toHex(id.slmHash("test", id.digest(null))) === id.toHex(zeros), false);
});

dataTest("BLAKE3 gives the official digests, at once and in windows, inputs unchanged", (data) => {
  const read = (name: string) =>
    JSON.parse(Deno.readTextFileSync(new URL(`vectors/${name}.json`, data))).cases as {
      input_len: number;
      hash: string;
    }[];
  const cases = [...read("blake3_test_vectors"), ...read("blake3_extra")];
  for (const { input_len, hash: expected } of cases) {
    // a view into a larger buffer, so that neither its offset nor its surroundings can show
    const around = new Uint8Array(input_len + 16).fill(0xaa);
    const input = around.subarray(13, 13 + input_len);
    for (let i = 0; i < input_len; i++) input[i] = i % 251;
    const before = hash(around);
    assertEquals(hash(input).toHex(), expected.slice(0, 64), `${input_len} bytes`);
    const hasher = createHasher();
    for (let at = 0; at < input_len; at += 100_003) hasher.update(input.subarray(at, at + 100_003));
    assertEquals(hasher.finalize().toHex(), expected.slice(0, 64), `${input_len} bytes, windows`);
    assertEquals(hash(around), before, "input changed");
  }
});

Deno.test("identities by hand", () => {
  const key = {
    role: "w",
    name: "a",
    layer: -1,
    subindex_0: 2,
    subindex_1: -1,
    shape: [2, 3],
    element_type: 1,
    profile_id: null,
    elements: 6,
  };
  const payload = new Uint8Array(24).fill(1);
  const hasher = id.tensorPayload(2, key, 24);
  hasher.update(payload);
  const shape = concat(bytes("02"), u64(2), u64(3));
  assertEquals(
    hasher.finish(),
    id.slmHash(
      "tensor-payload",
      [3, u16(2)],
      [2, utf8("w")],
      [2, utf8("a")],
      [1, shape],
      [3, u16(1)],
      [4, new Uint8Array(32)],
      [3, u64(6)],
      [1, payload],
    ),
  );
  const blob = id.blobPayload(4, { kind: 1, name: "vocabulary", media_type: "text/plain" }, 24);
  blob.update(payload);
  assertEquals(
    blob.finish(),
    id.slmHash(
      "blob-payload",
      [3, u16(4)],
      [3, u16(1)],
      [2, utf8("vocabulary")],
      [2, utf8("text/plain")],
      [3, u64(24)],
      [1, payload],
    ),
  );
  const architecture = id.architectureId(undefined);
  assertEquals(architecture, id.slmHash("architecture", [6, new Uint8Array(0)]));
  const auxiliary = new Uint8Array(32).fill(9);
  assertEquals(
    id.tensorLayout(architecture, [key], auxiliary),
    id.slmHash(
      "tensor-layout",
      [4, architecture],
      [1, bytes("01000000 0100 77 ffffffff 02000000 ffffffff 0100 61")],
      [1, shape],
      [1, concat(u16(1), new Uint8Array(32))],
      [1, concat(u32(1), auxiliary)],
    ),
  );
  assertEquals(
    id.tokenPrefixId([1, 260]),
    id.slmHash("token-prefix", [3, u64(2)], [1, bytes("01000000 04010000")]),
  );
  assertEquals(
    id.keyId(new Uint8Array(32)),
    id.slmHash("key", [2, utf8("ed25519")], [1, new Uint8Array(32)]),
  );
});

Deno.test("a byte that moves from role to name changes every identity that has both", () => {
  const tensor = (role: string, name: string): id.TensorKey => ({
    role,
    name,
    layer: -1,
    subindex_0: -1,
    subindex_1: -1,
    shape: [],
    element_type: 6,
    profile_id: null,
    elements: 1,
  });
  const ab = tensor("ab", "c"), a = tensor("a", "bc");
  const payload = (key: id.TensorKey) => id.tensorPayload(1, key, 0).finish().toHex();
  const layout = (key: id.TensorKey) =>
    id.tensorLayout(new Uint8Array(32), [key], new Uint8Array(0)).toHex();
  assertEquals(payload(ab) === payload(a), false);
  assertEquals(layout(ab) === layout(a), false);
});
