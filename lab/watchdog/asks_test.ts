/** Bounds of section 8 on every kind of request: the readers hold them, and planted excesses are caught. */
import { assert, assertEquals } from "@std/assert";
import type { Allocator, Reader, Source } from "../../readers/contract.ts";
import { cursor } from "../../readers/cursor/reader.ts";
import { table } from "../../readers/table/reader.ts";
import { fileOfProbe } from "../campaign/growth.ts";
import { seedRequests } from "../campaign/requests.ts";
import { growing } from "../oracle/growing.ts";
import { CHEAP, judge, Observer } from "../oracle/observe.ts";
import { askOfInput } from "../testee/input.ts";
import { askReader } from "../testee/open.ts";
import { ASKS } from "./asks.ts";

const REQUESTS = seedRequests(1 << 16);
const OWN = [
  "trusted keys",
  "revoked keys",
  "dependencies",
  "targets",
  "pieces",
  "audit path",
] as const;

Deno.test("what grows is accepted by both readers, but for a path that is too long", () => {
  for (const [name, { ask }] of Object.entries(ASKS)) {
    for (const reader of [cursor, table]) {
      const answer = askReader(reader, ask(8));
      const said = answer.verdict === "reject" ? answer.code : answer.verdict;
      assertEquals(said, name === "audit path" ? "PieceRoot" : "accept", name);
    }
  }
});

Deno.test("requests: the readers stay inside every bound", () => {
  const observer = new Observer([cursor, table]);
  for (const input of REQUESTS) {
    const observation = observer.input(input);
    assert(observation);
    assertEquals(judge(observation, CHEAP), []);
  }
  for (const name of OWN) {
    assertEquals(judge(observer.ask(ASKS[name].ask(200)), CHEAP), []);
  }
});

/** The keys of what oracles say about a reader. */
const keysOf = (reader: Reader): string[] => {
  const observer = new Observer([reader]);
  const found = REQUESTS.flatMap((input) => judge(observer.input(input)!, CHEAP));
  return [...new Set(found.map(({ key }) => key))];
};

function readAll(source: Source): void {
  source.read(0, new Uint8Array(source.size()));
}

const EXCESSES: readonly [name: string, excess: Partial<Reader>, keys: RegExp][] = [
  [
    "companions that are read once more for each dependency",
    {
      read(request) {
        for (let i = 0; i < 3; i++) request.resolve?.forEach(({ source }) => readAll(source));
        return cursor.read(request);
      },
    },
    /^bounded cursor (structure|payload)-reads$/,
  ],
  [
    "a read behind the end of a companion",
    {
      read(request) {
        for (const { source } of request.resolve ?? []) {
          source.read(source.size() - 1, new Uint8Array(2));
        }
        return cursor.read(request);
      },
    },
    /^bounded cursor outside$/,
  ],
  [
    "a copy of all companions for each of them",
    {
      read(request) {
        for (const { source } of request.resolve ?? []) hold(request.allocator, source, 2000);
        return cursor.read(request);
      },
    },
    /^bounded cursor memory$/,
  ],
  [
    "an allocation of a lying index",
    {
      piece(request) {
        request.allocator?.bytes(32 * Math.max(0, request.index));
        return cursor.piece(request);
      },
    },
    /^total cursor memory Refused/,
  ],
  [
    "an allocation before a set is read",
    {
      piece(request) {
        hold(request.allocator, request.set, 1 << 12);
        return cursor.piece(request);
      },
    },
    /^bounded cursor (early-)?memory$/,
  ],
  [
    "an envelope that is read thrice",
    {
      signature(request) {
        for (let i = 0; i < 2; i++) readAll(request.envelope);
        return cursor.signature(request);
      },
    },
    /^bounded cursor structure-reads$/,
  ],
];

function hold(allocator: Allocator | undefined, source: Source, times: number): void {
  allocator?.hold(times * source.size());
}

for (const [name, excess, key] of EXCESSES) {
  Deno.test(`a planted excess is caught: ${name}`, () => {
    const keys = keysOf({ ...cursor, ...excess });
    assert(keys.some((one) => key.test(one)), keys.join("\n"));
  });
}

let work = 0;
const QUADRATIC: readonly [typeof OWN[number], most: number, excess: Partial<Reader>][] = [
  ["trusted keys", 5000, {
    signature(request) {
      for (const one of request.trust.keys) {
        for (const other of request.trust.keys) if (one.key_id === other.key_id) work++;
      }
      return cursor.signature(request);
    },
  }],
  ["dependencies", 80, {
    read(request) {
      for (const _ of request.resolve ?? []) {
        for (const { source } of request.resolve ?? []) cursor.read({ source, pieces: false });
      }
      return cursor.read(request);
    },
  }],
  ["audit path", 6000, {
    piece(request) {
      for (const one of request.proof ?? []) {
        for (const other of request.proof ?? []) if (one[31] === other[31]) work++;
      }
      return cursor.piece(request);
    },
  }],
];
for (const [probe, most, excess] of QUADRATIC) {
  Deno.test(`a planted quadratic loop over ${probe} is caught`, () => {
    const less = { [probe]: { ...ASKS[probe], most } };
    const found = growing({ ...cursor, ...excess }, less);
    assertEquals(found?.key, "growing cursor");
    // what is filed is a file that anyone can read, smaller than what the probe began with
    const [, name, size] = /^(.*) (\d+)$/.exec(found!.probe!)!;
    assertEquals(name, probe);
    assert(Number(size) <= most, size);
    const file = fileOfProbe(found!.probe!);
    const answers = [askOfInput(file)!, ASKS[probe].ask(Number(size))]
      .map((ask) => JSON.stringify(askReader(cursor, ask)));
    assertEquals(answers[0], answers[1]);
  });
}
