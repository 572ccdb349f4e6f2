/** Tensors of a breach, kept by their hash: equal ones once, and named in the result. */
import { join } from "node:path";
import { floatBytes } from "../floats.ts";

/** Writes tensors into a folder as `<sha256>.f32`, little-endian; the folder is made if need be. */
export class Evidence {
  constructor(readonly folder: string) {}

  /** @returns the hash under which the tensor is kept, 64 hexadecimal digits */
  async keep(tensor: Float32Array): Promise<string> {
    const bytes = floatBytes(tensor);
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
    Deno.mkdirSync(this.folder, { recursive: true });
    const path = join(this.folder, `${hash}.f32`), temporary = `${path}.tmp`;
    Deno.writeFileSync(temporary, bytes);
    Deno.renameSync(temporary, path);
    return hash;
  }
}
