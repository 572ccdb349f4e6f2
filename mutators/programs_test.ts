/** What mutators of programs have to reach: limits, wherever what is counted stands. */
import { assert, assertEquals } from "@std/assert";
import { template } from "../corpus/writer/build/template.ts";
import { isWriteError } from "../corpus/writer/fault.ts";
import { write } from "../corpus/writer/write.ts";
import { parse } from "./artifact.ts";
import { ARRAY, at, type Node, parseTree, spots } from "./cbor_tree.ts";
import { programs } from "./programs.ts";
import { Random } from "./random.ts";

const ZEROS = "0".repeat(64);

Deno.test("template-long: 4,096 and 4,097 instructions, in the program and in its blocks", () => {
  const written = write(template({ class: 4, artifact_id: ZEROS, whole_file: ZEROS }, [
    { do: "stop" },
    { for_each_message: [{ do: "role" }, { if_role: "user", then: [{ do: "content" }] }] },
  ], { roles: ["user"] }));
  assert(!isWriteError(written));
  const long = programs.find(({ name }) => name === "template-long")!;
  const random = new Random(2);
  const made = Array.from({ length: 160 }, () => long.mutate(written.bytes, random))
    .filter((bytes) => bytes !== null)
    .map((bytes) => at(parseTree(parse(bytes).manifest).root, "body", "program")!);
  const isInstruction = ({ major, items }: Node) => major === ARRAY && items[0]?.major === 0;
  const all = made.map((program) =>
    spots(program).filter(({ node }) => isInstruction(node)).length
  );
  assertEquals(new Set(all), new Set([4096, 4097]));
  const ofProgram = made.map(({ items }) => items.length);
  assert(Math.min(...ofProgram) === 2 && Math.max(...ofProgram) > 4000);
});
