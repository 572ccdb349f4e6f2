/** The contract of every mutator, and what a campaign of them reaches. */
import { assert, assertEquals } from "@std/assert";
import { hash } from "blake3-jit";
import { layOut, parse, stringsOf, stringTable } from "./artifact.ts";
import { BLOB, HEADER, HEADER_SIZE, patch, RECORDS } from "../corpus/writer/fields.ts";
import { same, splice } from "./bytes.ts";
import { ARRAY, encodeTree, parseTree, spots } from "./cbor_tree.ts";
import { mutate, mutateArtifact } from "./mutate.ts";
import { Random } from "./random.ts";
import { MUTATORS } from "./registry.ts";
import { repair } from "./repair.ts";
import { seedArtifacts } from "./seeds.ts";

const SEEDS = seedArtifacts(7, 4, 8192);

Deno.test("a good artifact goes through the model, the tree and both repairs unchanged", () => {
  for (const file of SEEDS) {
    const artifact = parse(file);
    assertEquals(layOut(artifact), file);
    assertEquals(stringTable(stringsOf(artifact.strings)), artifact.strings);
    const { root, rest } = parseTree(artifact.manifest);
    assertEquals(encodeTree(root, rest), artifact.manifest);
    assertEquals(repair(file, "laid"), file);
    assertEquals(repair(file, "sealed"), file);
  }
});

Deno.test("any bytes go through the model without a throw, and always give a file", () => {
  const random = new Random(3);
  for (let i = 0; i < 2000; i++) {
    let file = random.oneIn(8) ? random.bytes(random.below(600)) : random.pick(SEEDS);
    for (let j = 0; j < 4; j++) file = mutate(file, random, random.pick(SEEDS)).bytes;
    assert(layOut(parse(file)).length >= 224);
  }
});

Deno.test("no mutator throws where a map or an array of a manifest is a list of one", () => {
  const random = new Random(5);
  for (const file of SEEDS) {
    const artifact = parse(file);
    const { root, rest } = parseTree(artifact.manifest);
    for (const { node } of spots(root).filter(({ node }) => node.items.length > 1)) {
      const { major, items } = node;
      Object.assign(node, { major: ARRAY, items: items.slice(0, 1) });
      const odd = layOut({ ...artifact, manifest: encodeTree(root, rest) });
      for (let i = 0; i < 12; i++) for (const { mutate } of MUTATORS) mutate(odd, random, file);
      Object.assign(node, { major, items });
    }
  }
});

Deno.test("names are unique, and every mutator says why it is there", () => {
  assertEquals(new Set(MUTATORS.map(({ name }) => name)).size, MUTATORS.length);
  for (const { name, reason } of MUTATORS) {
    assert(/^[a-z0-9-]+$/.test(name) && reason.length > 10, name);
  }
});

for (const { name, mutate } of MUTATORS) {
  Deno.test(`${name}: changes something, leaves its input, and follows from its seed alone`, () => {
    const random = new Random(1), again = new Random(1);
    let changed = 0;
    for (let i = 0; i < 3000 && changed < 20; i++) {
      const input = SEEDS[i % SEEDS.length], other = SEEDS[(i * 7 + 3) % SEEDS.length];
      const before = input.slice(), beside = other.slice();
      const result = mutate(input, random, other);
      assertEquals(input, before);
      assertEquals(other, beside);
      assertEquals(mutate(input, again, other), result);
      if (result !== null && result.some((byte, at) => byte !== input[at])) changed++;
    }
    assert(changed > 0);
  });
}

Deno.test("a campaign is a function of its seed: the digest over its inputs stays", () => {
  const digest = () => {
    const random = new Random(7);
    let all = new Uint8Array(32);
    for (let i = 0; i < 500; i++) {
      const { bytes } = mutate(random.pick(SEEDS), random, random.pick(SEEDS));
      const joined = new Uint8Array(32 + bytes.length);
      joined.set(all);
      joined.set(bytes, 32);
      all = hash(joined) as Uint8Array<ArrayBuffer>;
    }
    return all.toHex();
  };
  assertEquals(digest(), digest());
});

Deno.test("a splice stays inside its bytes, wherever a file says that it is", () => {
  const bytes = Uint8Array.of(1, 2, 3);
  assertEquals(splice(bytes, 1, 1, Uint8Array.of(9, 9)), Uint8Array.of(1, 9, 9, 3));
  assertEquals(splice(bytes, 2 ** 32, 2 ** 32, Uint8Array.of(9)), Uint8Array.of(1, 2, 3, 9));
  assertEquals(splice(bytes, -1, 1, Uint8Array.of(9)), Uint8Array.of(9, 2, 3));
});

Deno.test("parts that lie over one another do not grow a file past what it holds", () => {
  const count = 400, payload = HEADER_SIZE + count * RECORDS.blob.size;
  const file = new Uint8Array(payload + 65536);
  patch(file, HEADER, "blob_table_offset", HEADER_SIZE);
  patch(file, HEADER, "blob_count", count);
  patch(file, HEADER, "payload_offset", payload);
  for (let at = HEADER_SIZE; at < payload; at += RECORDS.blob.size) {
    patch(file.subarray(at), BLOB, "payload_length", 65536);
  }
  assert(layOut(parse(file)).length < 4 * file.length);
});

Deno.test("no artifact grows past what is asked for", () => {
  const random = new Random(8), most = 8192;
  for (let i = 0; i < 2000; i++) {
    const { bytes } = mutateArtifact(random.pick(SEEDS), random, random.pick(SEEDS), most);
    assert(bytes.length <= most);
  }
});

Deno.test("some faults stand behind a repair that would have undone them", () => {
  const random = new Random(9);
  let behind = 0;
  for (let i = 0; i < 4000; i++) {
    const mutant = mutateArtifact(random.pick(SEEDS), random, random.pick(SEEDS));
    if (mutant.repair !== "sealed" || mutant.by.length < 2) continue;
    if (!same(repair(mutant.bytes, "laid"), mutant.bytes)) behind++;
  }
  assert(behind > 100, `${behind} of 4000`);
});

Deno.test("a tree is as large as its manifest, whatever heads promise", () => {
  // arrays in arrays, each of which promises all the bytes that follow
  const promises = Uint8Array.from({ length: 2400 }, (_, i) => i < 60 ? [0x99, 8, 0][i % 3] : 0);
  const { root, rest } = parseTree(promises);
  assert(spots(root).length <= promises.length);
  assertEquals(encodeTree(root, rest), promises);
  const { root: long, rest: more } = parseTree(new Uint8Array(1 << 17).fill(0x80).with(0, 0x9a));
  assert(spots(long).length < 1 << 17);
  assertEquals(encodeTree(long, more).length, 1 << 17);
});
