import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import type { Allocator, Identities, Reading, ReadRequest, Source } from "../contract.ts";
import { table } from "./reader.ts";
import { type CborMap, fromHex, le, memory, patched, short, utf8 } from "./testing.ts";
import { build, type Draft } from "./testing_build.ts";
import { floats, LLAMA, llama, pack } from "./testing_models.ts";
import { documents, receipt, retrieval, SAMPLES } from "./testing_samples.ts";

function read(bytes: Uint8Array, request: Omit<ReadRequest, "source"> = {}): Reading {
  return table.read({ ...request, source: memory(bytes) });
}
function identities(bytes: Uint8Array, request: Omit<ReadRequest, "source"> = {}): Identities {
  const { verdict } = read(bytes, request);
  if (verdict.verdict !== "accept") throw new Error(JSON.stringify(verdict));
  return verdict.identities;
}

Deno.test("a view inside a larger buffer reads as the file alone", () => {
  for (const draft of SAMPLES) {
    const bytes = build(draft);
    const expected = identities(bytes);
    for (const filler of [0xaa, 0x55]) {
      const buffer = new Uint8Array(bytes.length + 26).fill(filler);
      buffer.set(bytes, 13);
      assertEquals(identities(buffer.subarray(13, 13 + bytes.length)), expected);
      assertEquals(buffer.subarray(13, 13 + bytes.length), bytes);
    }
  }
});

// ----------------------------------------------------------------------------- sources

/** A source that counts how often each byte is read. */
function counted(bytes: Uint8Array): { source: Source; reads: Uint8Array; calls: () => number } {
  const reads = new Uint8Array(bytes.length);
  let calls = 0;
  const inner = memory(bytes);
  return {
    reads,
    calls: () => calls,
    source: {
      size: inner.size,
      read(offset, into) {
        calls++;
        assert(offset >= 0 && offset + into.length <= bytes.length, "inside the file");
        for (let i = 0; i < into.length; i++) reads[offset + i]++;
        return inner.read(offset, into);
      },
    },
  };
}

/** Tensors of growing size and alignment: gaps of all kinds, longer than any window. */
function gappy(): Draft {
  const tensors = Array.from({ length: 60 }, (_, i) => {
    const n = i % 3 === 0 ? 1 : 700 * i + 1;
    return {
      role: "a",
      name: `t${String(i).padStart(3, "0")}`,
      shape: [n],
      type: 6,
      data: new Uint8Array(n).fill(i + 1),
      alignment: 64 << (i % 11),
    };
  });
  return { ...pack(), quants: [], aux: [], tensors };
}

Deno.test("each payload byte is read at most twice, each other byte once", () => {
  const long = documents(...Array.from({ length: 30_000 }, (_, i) => utf8("x".repeat(i % 40))));
  const index = retrieval(long);
  const many: Draft = {
    ...index,
    body: { ...(index.body as CborMap), count: 30_000 },
    tensors: [{ ...index.tensors![0], shape: [30_000, 2], data: floats(60_000) }],
  };
  for (const draft of [...SAMPLES, gappy(), many]) {
    const bytes = build(draft);
    const { source, reads } = counted(bytes);
    assertEquals(short(table.read({ source }).verdict), "accept");
    const payload = Number(new DataView(bytes.buffer).getBigUint64(144, true)) || bytes.length;
    assertEquals(reads.findIndex((n, i) => n > (i < payload ? 1 : 2)), -1);
    assertEquals(reads.subarray(0, payload).indexOf(0), -1);
    const small = bytes.length - payload <= 256 * 1024;
    if (small) assertEquals(reads.findIndex((n) => n !== 1), -1, "a small payload once");
  }
});

Deno.test("every nonzero byte in a gap is found, before any hash", () => {
  const bytes = build(gappy());
  const view = new DataView(bytes.buffer);
  const payload = Number(view.getBigUint64(144, true));
  const tensors = Number(view.getBigUint64(96, true));
  let end = 0;
  for (let i = 0; i < 60; i++) {
    const offset = Number(view.getBigUint64(tensors + 192 * i + 112, true));
    for (const at of new Set([end, offset - 1])) {
      if (at < end || at >= offset) continue;
      const bad = patched(bytes, [payload + at, le(1, 1)], [payload, le(99, 1)]);
      const { verdict } = read(bad);
      assertEquals(short(verdict), "24 NonZeroPadding [payload]");
      assertEquals(verdict.verdict === "reject" && verdict.offset, payload + at);
    }
    end = offset + Number(view.getBigUint64(tensors + 192 * i + 120, true));
  }
});

Deno.test("SourceIo: throws, short reads and sizes that change", () => {
  const bytes = build(gappy());
  const calls = counted(bytes);
  table.read({ source: calls.source });
  const io = "1 SourceIo [none]";
  const inner = memory(bytes);
  assertEquals(
    short(
      table.read({
        source: {
          ...inner,
          size: () => {
            throw new Error();
          },
        },
      }).verdict,
    ),
    io,
  );
  assertEquals(short(table.read({ source: { ...inner, size: () => NaN } }).verdict), io);
  for (let fail = 0; fail < calls.calls(); fail++) {
    const failing = (fault: (n: number) => number): Source => {
      let call = 0;
      return {
        size: inner.size,
        read: (offset, into) => call++ === fail ? fault(into.length) : inner.read(offset, into),
      };
    };
    assertEquals(short(table.read({ source: failing((n) => n - 1) }).verdict), io);
    assertEquals(
      short(
        table.read({
          source: failing(() => {
            throw new Error();
          }),
        }).verdict,
      ),
      io,
    );
    let call = 0;
    const growing: Source = {
      size: () => call > fail ? bytes.length + 1 : bytes.length,
      read: (offset, into) => (call++, inner.read(offset, into)),
    };
    assertEquals(short(table.read({ source: growing }).verdict), io);
  }
});

Deno.test("a lying file of 200 GiB costs a few reads", () => {
  const head = build(pack());
  const size = 200 * 2 ** 30;
  const lying = (patches: [number, Uint8Array][]) => {
    const bytes = patched(head, [40, le(size, 8)], ...patches);
    let calls = 0;
    let read = 0;
    const source: Source = {
      size: () => size,
      read(offset, into) {
        calls++;
        read += into.length;
        into.fill(0);
        into.set(bytes.subarray(offset, offset + into.length));
        return into.length;
      },
    };
    const { verdict } = table.read({ source });
    assert(calls <= 4 && read <= 2 ** 20, `${calls} reads of ${read} bytes`);
    return short(verdict);
  };
  const payload = Number(new DataView(head.buffer).getBigUint64(144, true));
  assertEquals(lying([]), "15 TrailingBytes [file]");
  assertEquals(lying([[152, le(size, 8)]]), "15 SectionOutOfBounds [payload]");
  assertEquals(lying([[152, le(size - payload, 8)]]), "24 PayloadTrailing [payload]");
});

// ------------------------------------------------------------------------------ memory

Deno.test("structural stages stay within 1 MiB and 16 bytes a byte of tables", () => {
  const count = (draft: Draft): void => {
    const bytes = build(draft);
    let held = 0;
    const allocator: Allocator = {
      bytes: (length) => (held += length, new Uint8Array(length)),
      hold: (length) => void (held += length),
    };
    const { verdict } = read(bytes, { allocator });
    const payload = Number(new DataView(bytes.buffer).getBigUint64(144, true)) || bytes.length;
    assert(held <= 2 ** 20 + 16 * (payload - 224), `${held} for ${payload}: ${short(verdict)}`);
  };
  for (const draft of SAMPLES) if (draft.artifactClass !== 4) count(draft);
  count({
    ...pack(),
    quants: [],
    aux: [],
    tensors: Array.from({ length: 3000 }, (_, i) => ({
      role: "r",
      name: `t${String(i).padStart(6, "0")}`,
      shape: [1],
      data: floats(1),
    })),
  });
  // texts that need full normalisation
  const marks = "q\u0323" + "\u0323".repeat(30_000);
  const extension = (version: number) => ({
    critical: false,
    id: "a",
    payload: { t: marks },
    version,
  });
  count({ ...receipt(), extensions: Array.from({ length: 20 }, (_, i) => extension(i)) });
});

// --------------------------------------------------------------------------- candidate

Deno.test("a candidate is decoded when asked, also after other reads", () => {
  const bytes = build(pack());
  const reading = read(bytes);
  for (const draft of SAMPLES) read(build(draft));
  const candidate = reading.candidate?.();
  assert(candidate !== undefined);
  assertEquals(candidate.artifact_class, 1);
  assertEquals(candidate.file_size, bytes.length);
  assertEquals(candidate.identities, identities(bytes));
  assertEquals(candidate.profiles.map((p) => p.name).sort(), ["q8-0.b32.row", "q8-row.exact"]);
  const [dense, padded, rows, scale, scalar] = candidate.tensors;
  assertEquals(
    [dense.role, dense.name, dense.layer, dense.element_type, dense.profile, dense.elements],
    ["a", "dense", -1, 1, null, 6],
  );
  assertEquals(padded.shape, [3, 33]);
  assertEquals(candidate.profiles[padded.profile ?? -1].name, "q8-0.b32.row");
  assertEquals([rows.auxiliary_first, rows.auxiliary_count], [0, 1]);
  assertEquals(scalar.shape, []);
  assertEquals(bytes.slice(scale.offset, scale.offset + scale.length), floats(2));
  assertEquals(candidate.auxiliaries, [
    { owner: 2, kind: 1, target: 3, axis: 0, group_size: 1, block_stride: 0 },
  ]);
  const body = candidate.manifest.get("body") as ReadonlyMap<string, unknown>;
  assertEquals(Array.from(body.keys()), ["dependents", "architecture"]);

  const index = read(build(retrieval())).candidate?.();
  assertEquals(index?.blobs.map(({ kind, name, media_type }) => [kind, name, media_type]), [
    [64, "documents", "text/plain"],
  ]);
  const big = read(build(llama(2, { ...LLAMA, max_seq: 2n ** 64n - 1n }))).candidate?.();
  const parameters = (big?.manifest.get("body") as ReadonlyMap<
    string,
    ReadonlyMap<string, ReadonlyMap<string, unknown>>
  >)
    .get("architecture")?.get("parameters");
  assertEquals(parameters?.get("max_seq"), 2n ** 64n - 1n);
  assertEquals(read(bytes.subarray(1)).candidate, undefined);
});

// ---------------------------------------------------------------------------- any bytes

Deno.test("any change of any file gives a verdict", () => {
  const files = SAMPLES.map(build).filter((bytes) => bytes.length < 10_000);
  fc.assert(
    fc.property(
      fc.constantFrom(...files),
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      (bytes, changes, cut) => {
        const copy = bytes.slice();
        for (const [at, byte] of changes) copy[at % copy.length] = byte;
        const file = cut ? copy.subarray(0, changes[0][0] % copy.length) : copy;
        const { verdict } = read(file, { resolve: [{ source: memory(bytes) }] });
        const again = read(file, { resolve: [{ source: memory(bytes) }] }).verdict;
        assertEquals(again, verdict);
      },
    ),
    { numRuns: 1500 },
  );
});

Deno.test("a file turned by line-end conversion is no SLM2", () => {
  const bytes = build(pack());
  assertEquals(
    short(read(patched(bytes, [0, fromHex("534c4d320d0a1a0d")])).verdict),
    "4 BadMagic [header]",
  );
});
