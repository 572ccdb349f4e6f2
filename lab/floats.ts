/** Raw files of f32 values, little-endian whatever the machine's own order. */
import { UsageError } from "./exit.ts";
import { replaceFile } from "./files.ts";

/** @throws UsageError of a file that holds no whole f32 values */
export function readFloats(path: string): Float32Array {
  const bytes = Deno.readFileSync(path);
  if (bytes.length % 4 !== 0) {
    throw new UsageError(`${path} holds ${bytes.length} bytes: f32 values of 4 are expected`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Float32Array.from({ length: bytes.length / 4 }, (_, i) => view.getFloat32(4 * i, true));
}

/** Writes `values`; the file gets its name once it is whole. */
export function writeFloats(path: string, values: Float32Array): void {
  replaceFile(path, (write) => {
    write(floatBytes(values));
    return null;
  });
}

/** `values` as they stand in a file. */
export function floatBytes(values: Float32Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(4 * values.length);
  const view = new DataView(bytes.buffer);
  values.forEach((value, i) => view.setFloat32(4 * i, value, true));
  return bytes;
}
