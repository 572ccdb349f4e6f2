/** `lab retrieve` as a program: an index built, verified and asked under each metric. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import { floatBytes } from "../floats.ts";
import { inFolder, lab, packFable } from "../testing.ts";

const DIM = 3, TEXTS = ["east", "north-east", "north, far", "up"];
const VECTORS = Float32Array.from([1, 0, 0, 1, 1, 0, 0, 5, 0, 0, 0, 1]);

/** The best two for (1, 0.4, 0) and their scores, by hand. */
const EXPECTED: Readonly<Record<string, [row: number, score: number][]>> = {
  cosine: [[0, 1 / Math.sqrt(1.16)], [1, 1.4 / Math.sqrt(2 * 1.16)]],
  dot: [[2, 2], [1, 1.4]],
  l2: [[0, 0.4], [1, 0.6]],
};

Deno.test("retrieve: documents by their vectors, under each metric, in f32 and under a profile", () =>
  inFolder(async (store) => {
    const { composition, tokenizer } = await packFable(store);
    const vectors = join(store, "v.f32"), documents = join(store, "texts.json");
    Deno.writeFileSync(vectors, floatBytes(VECTORS));
    Deno.writeTextFileSync(documents, JSON.stringify(TEXTS));
    const build = (...more: string[]) =>
      lab([
        ...["retrieve", "build", "--vectors", vectors, "--dim", `${DIM}`, "--out", store],
        ...["--embedding", composition.id, "--json", ...more],
      ]);
    for (const [metric, expected] of Object.entries(EXPECTED)) {
      for (const type of ["f32", "q8-0.b32.row"]) {
        const built = await build("--documents", documents, "--metric", metric, "--type", type);
        assertEquals([built.code, built.err], [0, ""]);
        const { artifact_id } = JSON.parse(built.out);
        const asked = await lab([
          ...["retrieve", "query", artifact_id, "--store", store, "--values", "1,0.4,0"],
          ...["--count", "2", "--json"],
        ]);
        const hits = asked.out.trim().split("\n").map((line) => JSON.parse(line));
        assertEquals(hits.map(({ row }) => row), expected.map(([row]) => row), `${metric} ${type}`);
        assertEquals(hits.map(({ document }) => document), expected.map(([row]) => TEXTS[row]));
        hits.forEach(({ score }, i) => assert(Math.abs(score - expected[i][1]) < 0.02));
        if (metric === "l2") {
          assertEquals((await lab(["verify", artifact_id, "--store", store])).code, 0);
        }
      }
    }
    const before = [...Deno.readDirSync(store)].length;
    const nan = join(store, "nan.f32");
    Deno.writeFileSync(nan, floatBytes(Float32Array.from([1, NaN, 0])));
    const [odd, few, strange, query, other] = await Promise.all([
      build("--dim", "5"),
      build("--documents", documents, "--dim", "4"),
      build("--vectors", nan),
      lab(["retrieve", "query", tokenizer.id, "--store", store, "--values", "1"]),
      build("--embedding", tokenizer.id),
    ]);
    assertEquals([odd, few, strange, query, other].map(({ code }) => code), [2, 2, 1, 2, 2]);
    assertStringIncludes(odd.err, "holds 12 values: whole rows of 5 are expected");
    assertStringIncludes(few.err, "an array of 3 texts is expected, one a vector");
    assertStringIncludes(strange.err, "NonFiniteSource in vector 0; nothing was written");
    assertStringIncludes(query.err, "retrieval_index is expected");
    assertEquals([...Deno.readDirSync(store)].length, before + 1);
  }));
