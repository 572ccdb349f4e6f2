/**
 * How fast the readers judge: a large dense artifact against the bare rate of a BLAKE3
 * package, small artifacts by the second, and the memory that a 2 GiB file costs.
 */
import { blake3 as noble } from "@noble/hashes/blake3.js";
import { hash as jit } from "blake3-jit";
import { write, writeTo } from "../../corpus/writer/write.ts";
import type { Description } from "../../corpus/writer/description.ts";
import type { Reader } from "../../readers/contract.ts";
import { fileSource, memorySource } from "../../readers/source.ts";
import { loadReaders } from "../readers.ts";
import { interleave, type Row } from "./rounds.ts";

const MIB = 1 << 20;
const LARGE = 256 * MIB;
const HUGE = 2048 * MIB;

/** Each reader beside the hash library that bounds it, and what its issue asks of it. */
const BOUNDS: Record<string, { library: string; hash: (b: Uint8Array) => Uint8Array; small: number }> =
  {
    cursor: { library: "blake3-jit", hash: jit, small: 10_000 },
    table: { library: "@noble/hashes", hash: noble, small: 3_000 },
  };

/** A tensor pack of one f32 matrix with `bytes` of payload, given in parts. */
function dense(bytes: number): Description {
  return {
    artifact_class: 2,
    body: {
      architecture: { id: "tensor-pack/1", parameters: {} },
      dependents: true,
    },
    tensors: [{
      role: "weights",
      name: "w",
      element_type: 1,
      shape: [bytes / 4096, 1024],
      payload: {
        size: bytes,
        read(offset, into) {
          const part = into.subarray(0, Math.min(into.length, bytes - offset));
          part.fill(0x3c + (offset / MIB) % 4);
          return part.length;
        },
      },
    }],
  } as Description;
}

/** Writes `dense(bytes)` to a temporary file and gives it to `use`. */
function withDense<T>(bytes: number, use: (path: string) => T): T {
  const path = Deno.makeTempFileSync({ suffix: ".slm" });
  try {
    const file = Deno.openSync(path, { read: true, write: true });
    const written = writeTo({
      write(offset, part) {
        file.seekSync(offset, Deno.SeekMode.Start);
        for (let done = 0; done < part.length;) done += file.writeSync(part.subarray(done));
      },
      read(offset, into) {
        file.seekSync(offset, Deno.SeekMode.Start);
        return file.readSync(into) ?? 0;
      },
    }, dense(bytes), { pieces: false });
    file.close();
    if ("code" in written) throw new Error(`the writer refused: ${written.expected}`);
    return use(path);
  } finally {
    Deno.removeSync(path);
  }
}

/** Rates of the readers as rows. */
export async function readerRows(): Promise<Row[]> {
  const readers = await loadReaders("cursor,table");
  return [...largeRows(readers), ...smallRows(readers), ...await memoryRows(readers)];
}

function largeRows(readers: readonly Reader[]): Row[] {
  return withDense(LARGE, (path) => {
    const memory = new Uint8Array(64 * MIB).fill(0x3c);
    return readers.flatMap((reader) => {
      const { library, hash } = BOUNDS[reader.name];
      // the slow library gets a part of the work, so that one round stays short
      const share = reader.name === "cursor" ? memory : memory.subarray(0, 4 * MIB);
      const source = fileSource(path);
      const [bare, verify] = interleave([
        { name: library, run: () => hash(share).length * share.length / 32 },
        {
          name: reader.name,
          run() {
            const { verdict } = reader.read({ source, pieces: false });
            if (verdict.verdict !== "accept") throw new Error(`rejected: ${verdict.code}`);
            return LARGE;
          },
        },
      ], reader.name === "cursor" ? 5 : 1);
      source.close();
      return [
        { group: "256 MiB", name: `${library}, bare`, value: bare.median / MIB, unit: "MiB/s" },
        { group: "256 MiB", name: reader.name, value: verify.median / MIB, unit: "MiB/s" },
        {
          group: "256 MiB",
          name: `${reader.name} / bare`,
          value: verify.median / bare.median,
          unit: "ratio",
          against: library,
          least: 0.45,
        },
      ];
    });
  });
}

function smallRows(readers: readonly Reader[]): Row[] {
  const written = write({ ...dense(4096), tensors: smallTensors() } as Description);
  if ("code" in written) throw new Error(`the writer refused: ${written.expected}`);
  const source = memorySource(written.bytes);
  const rates = interleave(
    readers.map((reader) => ({
      name: reader.name,
      run() {
        const verdicts = BOUNDS[reader.name].small / 4;
        for (let i = 0; i < verdicts; i++) {
          if (reader.read({ source }).verdict.verdict !== "accept") throw new Error("rejected");
        }
        return verdicts;
      },
    })),
    5,
  );
  return rates.map(({ name, median }) => ({
    group: `${(written.bytes.length / 1024).toFixed(1)} KiB`,
    name,
    value: median,
    unit: "verdicts/s",
    least: BOUNDS[name].small,
  }));
}

/** Four small tensors: with header, manifest and tables an artifact of about 2 KiB. */
function smallTensors() {
  return ["a", "b", "c"].map((name, i) => ({
    role: "weights",
    name,
    element_type: 1,
    shape: [4, 8],
    payload: new Uint8Array(128).fill(i),
  }));
}

/** How far the peak of resident memory grows while a fresh process verifies 2 GiB. */
function memoryRows(readers: readonly Reader[]): Promise<Row[]> {
  return withDenseAsync(HUGE, async (path) => {
    const rows: Row[] = [];
    for (const { name } of readers.slice(0, 1)) {
      const script = new URL("./rss.ts", import.meta.url).href;
      const { stdout, success } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", script, name, path],
        stderr: "inherit",
      }).output();
      if (!success) throw new Error("the memory measurement failed");
      rows.push({
        group: "2 GiB",
        name: `${name}, growth of resident memory`,
        value: Number(new TextDecoder().decode(stdout)) / MIB,
        unit: "MiB",
        most: 16,
      });
    }
    return rows;
  });
}

function withDenseAsync<T>(bytes: number, use: (path: string) => Promise<T>): Promise<T> {
  const kept = Deno.makeTempFileSync({ suffix: ".slm" });
  withDense(bytes, (path) => Deno.renameSync(path, kept) ?? Deno.writeTextFileSync(path, ""));
  return use(kept).finally(() => Deno.removeSync(kept));
}
