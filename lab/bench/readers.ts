/**
 * How fast the readers judge: a large dense artifact against the bare rate of a BLAKE3
 * package, small artifacts by the second, and the memory that a 2 GiB file costs.
 */
import { blake3 as noble } from "@noble/hashes/blake3.js";
import { hash as jit } from "blake3-jit";
import { write, writeTo } from "../../corpus/writer/write.ts";
import type { Description } from "../../corpus/writer/description.ts";
import { fileTarget } from "../../corpus/store.ts";
import type { Reader, Source } from "../../readers/contract.ts";
import { fileSource, memorySource } from "../../readers/source.ts";
import { loadReaders } from "../readers.ts";
import { interleave, type Row } from "./rounds.ts";

const MIB = 1 << 20;
const LARGE = 256 * MIB;
const HUGE = 2048 * MIB;

/** Each reader beside the hash library that bounds it, and what its issue asks of it. */
const BOUNDS: Record<
  string,
  { library: string; hash: (b: Uint8Array) => Uint8Array; small: number }
> = {
  cursor: { library: "blake3-jit", hash: jit, small: 10_000 },
  table: { library: "@noble/hashes", hash: noble, small: 3_000 },
};

/** A tensor pack; class 2, so that others may bind to it. */
function pack(tensors: Description["tensors"]): Description {
  const architecture = { id: "tensor-pack/1", parameters: {} };
  return { artifact_class: 2, body: { architecture, dependents: true }, tensors };
}

/** One f32 matrix with `bytes` of payload, given in parts. */
function dense(bytes: number): Description {
  const payload: Source = {
    size: () => bytes,
    read(offset, into) {
      into.fill(0x3c + Math.floor(offset / MIB) % 4);
      return into.length;
    },
  };
  return pack([{ role: "weights", name: "w", type: "f32", shape: [bytes / 4096, 1024], payload }]);
}

/** Writes `dense(bytes)` to a temporary file and gives it to `use`. */
async function withDense<T>(bytes: number, use: (path: string) => T | Promise<T>): Promise<T> {
  const path = Deno.makeTempFileSync({ suffix: ".slm" });
  try {
    using file = Deno.openSync(path, { read: true, write: true });
    const written = writeTo(fileTarget(file), dense(bytes), { pieces: false });
    if ("code" in written) throw new Error(`the writer refused: ${written.expected}`);
    return await use(path);
  } finally {
    Deno.removeSync(path);
  }
}

/** Rates of the readers as rows. */
export async function readerRows(): Promise<Row[]> {
  const readers = await loadReaders("cursor,table");
  return [...await largeRows(readers), ...smallRows(readers), ...await memoryRows(readers)];
}

function largeRows(readers: readonly Reader[]): Promise<Row[]> {
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
  const written = write(pack(smallTensors()));
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

/** Five small tensors: with header, manifest and tables an artifact of about 2 KiB. */
function smallTensors() {
  return ["a", "b", "c", "d", "e"].map((name, i) => ({
    role: "weights",
    name,
    type: "f32",
    shape: [4, 8],
    payload: new Uint8Array(128).fill(i),
  }));
}

/** How far the peak of resident memory grows while a fresh process verifies 2 GiB. */
function memoryRows(readers: readonly Reader[]): Promise<Row[]> {
  return withDense(HUGE, async (path) => {
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
