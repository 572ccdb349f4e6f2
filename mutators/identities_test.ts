/** Identities of the tolerant model are those that a reader gives. */
import { assertEquals } from "@std/assert";
import { cursor } from "../readers/cursor/reader.ts";
import { memorySource } from "../readers/source.ts";
import { join } from "../corpus/writer/bytes.ts";
import { layOut, parse } from "./artifact.ts";
import { idsOf } from "./identities.ts";
import { Random } from "./random.ts";
import { seedArtifacts } from "./seeds.ts";

const COMPOSITION = 6;

Deno.test("a good artifact has the identities that a reader gives it", () => {
  for (const file of seedArtifacts(5, 3)) {
    const { verdict } = cursor.read({ source: memorySource(file) });
    if (verdict.verdict !== "accept") throw new Error(verdict.code);
    const { class: artifact_class, artifact_id, whole_file, tensor_layout } = verdict.identities;
    const ids = idsOf(file);
    assertEquals(
      [ids.class, ids.artifact_id.toHex(), ids.whole_file.toHex(), ids.tensor_layout.toHex()],
      [artifact_class, artifact_id, whole_file, tensor_layout],
    );
  }
});

Deno.test("any bytes have some", () => {
  const random = new Random(4);
  for (let i = 0; i < 300; i++) {
    assertEquals(idsOf(random.bytes(random.below(700))).artifact_id.length, 32);
  }
});

Deno.test("any manifest has some: compositions mutated at every level", () => {
  const random = new Random(6);
  const files = seedArtifacts(6, 6).filter((file) => idsOf(file).class === COMPOSITION);
  for (const file of files) {
    for (const head of ["3bffffffffffffffff", "3b8000000000000000", "f97e00", "ff", "a1ff00"]) {
      const artifact = parse(file);
      const { manifest } = artifact;
      for (let times = 0; times < 40; times++) {
        const at = random.below(manifest.length);
        const broken = [manifest.subarray(0, at), Uint8Array.fromHex(head), manifest.subarray(at)];
        artifact.manifest = join(broken);
        assertEquals(idsOf(layOut(artifact)).artifact_id.length, 32);
      }
    }
  }
});
