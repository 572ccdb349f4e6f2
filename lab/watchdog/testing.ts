/** For tests: a file whose header lies. */
import { type HEADER, setField } from "../../corpus/writer/fields.ts";

/** A copy of `file` with another value in one header field. */
export function putField(file: Uint8Array, name: keyof typeof HEADER, value: number): Uint8Array {
  const copy = file.slice();
  setField(copy, `header.${name}`, value);
  return copy;
}
