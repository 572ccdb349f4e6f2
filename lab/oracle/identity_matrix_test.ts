/** The identity matrix on artifacts of every class, and on readers that hold too much or too little. */
import { assert, assertEquals } from "@std/assert";
import { seedArtifacts } from "../../mutators/seeds.ts";
import type { Identities, Reader } from "../../readers/contract.ts";
import { cursor } from "../../readers/cursor/reader.ts";
import { table } from "../../readers/table/reader.ts";
import { isWriteError } from "../../corpus/writer/fault.ts";
import { write } from "../../corpus/writer/write.ts";
import { CHANGES, identityMatrix } from "./identity_matrix.ts";
import { Observer } from "./observe.ts";
import { describe } from "./rewrites.ts";

const SEEDS = seedArtifacts(4, 3);

Deno.test("identity matrix: a change moves what it must, in artifacts of every class", () => {
  const observer = new Observer([cursor, table]);
  for (const bytes of SEEDS) assertEquals(identityMatrix()(observer.observe(bytes)), null);
});

for (const one of CHANGES) {
  Deno.test(`identity matrix: ${one.name} is possible in some artifact`, () => {
    const observer = new Observer([cursor]);
    assert(SEEDS.some((bytes) => {
      const [{ candidate }] = observer.observe(bytes).seen;
      const after = one.change(describe(bytes, candidate!()));
      return after !== null && !isWriteError(write(after));
    }));
  });
}

/** Reader one, with other identities. */
const wrong = (change: (identities: Identities) => Partial<Identities>): Reader => ({
  ...cursor,
  read(request) {
    const { verdict, candidate } = cursor.read(request);
    if (verdict.verdict === "reject") return { verdict };
    const identities = { ...verdict.identities, ...change(verdict.identities) };
    return { verdict: { ...verdict, identities }, candidate };
  },
});

const FAULTS: readonly [name: string, reader: Reader, key: RegExp][] = [
  [
    "an id that holds the whole file",
    wrong(({ whole_file }) => ({ artifact_id: whole_file })),
    /^identity-matrix noncritical-extension cursor artifact_id$/,
  ],
  [
    "an id that nothing moves",
    wrong(() => ({ artifact_id: "00".repeat(32) })),
    /^identity-matrix requirements cursor artifact_id$/,
  ],
  [
    "a layout that leaves layers out",
    wrong(({ tensors }) => ({ tensor_layout: tensors[0] })),
    /^identity-matrix (payload-byte|layer) cursor tensor_layout$/,
  ],
  [
    "a semantic manifest that is the manifest",
    wrong(({ manifest }) => ({ semantic_manifest: manifest })),
    /^identity-matrix noncritical-extension cursor semantic_manifest$/,
  ],
  ["a reading that is never the same", wrong(() => ({ manifest: `${calls++}` })), /nothing/],
];
let calls = 0;

for (const [name, reader, key] of FAULTS) {
  Deno.test(`identity matrix: ${name} is found`, () => {
    const observer = new Observer([reader]);
    const keys = SEEDS.flatMap((bytes) => identityMatrix()(observer.observe(bytes))?.key ?? []);
    assert(keys.some((one) => key.test(one)), keys.join("\n"));
  });
}
