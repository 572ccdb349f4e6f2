/** Long artifacts and blocks of every profile: good ones are accepted, and what breaks them is seen. */
import { assert, assertEquals } from "@std/assert";
import { cursor } from "../readers/cursor/reader.ts";
import { memorySource } from "../readers/source.ts";
import { table } from "../readers/table/reader.ts";
import { lanes } from "./lanes.ts";
import { Random } from "./random.ts";
import { repair } from "./repair.ts";
import { seedArtifacts } from "./seeds.ts";
import { windows } from "./windows.ts";

const SEEDS = seedArtifacts(7, 4, 8192);

/** What must come of each, and a length that the longest must have. */
const ASKED = [
  ["window-text", "BlobContent", 2 ** 18],
  ["window-documents", "BlobContent", 2 ** 16],
  ["lane-any", "PaddedLane", 2 ** 14],
] as const;

for (const [name, code, length] of ASKED) {
  Deno.test(`${name}: accepted or ${code}, as both readers say, up to long files`, () => {
    const { mutate } = [...windows, ...lanes].find((one) => one.name === name)!;
    const random = new Random(1);
    const said = new Map<string, number>();
    let longest = 0;
    for (let i = 0; i < 6000 && !(said.has(code) && longest >= length); i++) {
      const made = mutate(random.pick(SEEDS), random);
      if (made === null) continue;
      const source = memorySource(repair(made, "sealed"));
      const [one, other] = [cursor, table].map((reader) => reader.read({ source }).verdict)
        .map((verdict) => verdict.verdict === "reject" ? verdict.code : verdict.verdict);
      assertEquals(one, other);
      said.set(one, Math.max(said.get(one) ?? 0, source.size()));
      if (one === "accept") longest = Math.max(longest, source.size());
    }
    assert(said.has("accept") && said.has(code), JSON.stringify([...said]));
    assert(longest >= length, `${longest}`);
  });
}
