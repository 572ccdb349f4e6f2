/** Sources that fail: the readers see it, in every kind of request, and one that does not is found. */
import { assert, assertEquals } from "@std/assert";
import { BLOB } from "../../corpus/writer/fields.ts";
import { layOut, parse } from "../../mutators/artifact.ts";
import { getU16 } from "../../mutators/bytes.ts";
import { mutate } from "../../mutators/mutate.ts";
import { Random } from "../../mutators/random.ts";
import { seedArtifacts } from "../../mutators/seeds.ts";
import type { Reader, Source } from "../../readers/contract.ts";
import { cursor } from "../../readers/cursor/reader.ts";
import { table } from "../../readers/table/reader.ts";
import { seedRequests } from "../campaign/requests.ts";
import { Observer } from "./observe.ts";
import { sourceIo } from "./source_io.ts";

/** Blob kind of classes.md section 9. */
const DOCUMENTS = 64;

const SEEDS = [...seedArtifacts(8, 2), ...seedRequests(8192).filter((_, i) => i % 8 === 0)];

function keysOf(readers: readonly Reader[], inputs: readonly Uint8Array[]): string[] {
  const observer = new Observer(readers);
  return [
    ...new Set(inputs.flatMap((input) => {
      const observation = observer.input(input);
      return observation && sourceIo(observation)?.key || [];
    })),
  ];
}

Deno.test("source io: whatever is read, a fault that a reader meets is its answer", () => {
  const random = new Random(3);
  const mutants = Array.from(
    { length: 150 },
    () => mutate(random.pick(SEEDS), random, random.pick(SEEDS)).bytes,
  );
  assertEquals(keysOf([cursor, table], [...SEEDS, ...mutants]), []);
});

Deno.test("source io: the second look at documents fails behind a hash that is wrong", () => {
  const indexes = SEEDS.flatMap((file) => {
    const artifact = parse(file);
    const documents = artifact.blobs.find(({ record }) =>
      getU16(record, BLOB.blob_kind[0]) === DOCUMENTS
    );
    if (!documents) return [];
    documents.record[BLOB.content_hash[0]] ^= 1;
    return [layOut(artifact)];
  });
  assert(indexes.length > 0);
  assertEquals(keysOf([cursor, table], indexes), []);
});

/** Reader two over a source that is not the one given. */
const over = (change: (source: Source) => Source): Reader => ({
  ...table,
  read: (request) => table.read({ ...request, source: change(request.source) }),
});

const PLANTED: readonly [name: string, reader: Reader, key: RegExp][] = [
  [
    "zeros for what a short read leaves out",
    over((source) => ({
      size: () => source.size(),
      read(offset, into) {
        source.read(offset, into);
        return into.length;
      },
    })),
    /^source-io table short /,
  ],
  [
    "a size that is asked once",
    over((source) => {
      const first = source.size();
      return {
        size() {
          source.size();
          return first;
        },
        read: (offset, into) => source.read(offset, into),
      };
    }),
    /^source-io table size accept$/,
  ],
  [
    "a throw that passes through",
    {
      ...table,
      read(request) {
        request.source.read(0, new Uint8Array(1));
        return table.read(request);
      },
    },
    /^source-io table throws throw Error/,
  ],
];
for (const [name, reader, key] of PLANTED) {
  Deno.test(`source io: ${name} is found`, () => {
    const keys = keysOf([reader], SEEDS);
    assert(keys.some((one) => key.test(one)), keys.join("\n"));
  });
}
