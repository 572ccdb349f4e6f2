/** Safetensors and the adapters in them: real files, and every kind of damage. */
import { assert, assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import * as fc from "fast-check";
import { dataTest } from "../../lab/data.ts";
import { fileSource, memorySource } from "../../readers/source.ts";
import { isImportError } from "./import.ts";
import { decimalRational, importLora } from "./lora.ts";
import { readSafeTensors } from "./safetensors.ts";

const file = (header: string, bytes = 0, length = header.length) => {
  const out = new Uint8Array(8 + header.length + bytes);
  new DataView(out.buffer).setBigUint64(0, BigInt(length), true);
  out.set(new TextEncoder().encode(header), 8);
  return memorySource(out);
};
const read = (source: ReturnType<typeof file>) => readSafeTensors(source, "f");

interface Listed {
  readonly file: string;
  readonly tensors: readonly {
    readonly name: string;
    readonly dtype: string;
    readonly shape: number[];
    readonly sha256: string;
  }[];
}

dataTest("safetensors: every tensor of the reference files, byte for byte", async (folder) => {
  const at = (name: string) => new URL(`safetensors/${name}`, folder);
  const files: Listed[] = JSON.parse(Deno.readTextFileSync(at("tensors.json")));
  let seen = 0;
  for (const { file: name, ...listed } of files) {
    const source = fileSource(fileURLToPath(at(name)));
    const tensors = readSafeTensors(source, name);
    assert(!isImportError(tensors), name);
    assertEquals(tensors.length, listed.tensors.length, name);
    for (const { name: tensor, dtype, shape, sha256 } of listed.tensors) {
      const found = tensors.find((one) => one.name === tensor)!;
      assertEquals([found.dtype, found.shape], [dtype, shape], tensor);
      const bytes = new Uint8Array(found.values.size());
      assertEquals(found.values.read(0, bytes), bytes.length);
      const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
      assertEquals(hash, sha256, tensor);
      seen++;
    }
    source.close();
  }
  assert(seen > 50, `${seen}`);
});

const bad: Record<string, [source: ReturnType<typeof file>, code: string]> = {
  "nothing": [memorySource(new Uint8Array()), "Truncated"],
  "a header that is not there": [file("{}", 0, 3), "Truncated"],
  "a header of 2^60 bytes": [file("{}", 0, 2 ** 60), "TooLarge"],
  "no JSON": [file("{"), "BadKey"],
  "an array": [file("[]"), "BadKey"],
  "no shape": [file('{"a":{"dtype":"F32","data_offsets":[0,0]}}'), "BadDimension"],
  "a negative size": [
    file('{"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,0]}}'),
    "BadDimension",
  ],
  "bytes outside": [
    file('{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}', 3),
    "BadDimension",
  ],
  "too few bytes": [
    file('{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}', 4),
    "BadDimension",
  ],
  "turned offsets": [
    file('{"a":{"dtype":"F32","shape":[0],"data_offsets":[4,0]}}', 4),
    "BadDimension",
  ],
};
for (const [what, [source, code]] of Object.entries(bad)) {
  Deno.test(`safetensors refused: ${what}`, () => {
    const result = read(source);
    assertEquals(isImportError(result) && `${result.code}`, code);
  });
}

Deno.test("safetensors: any bytes give tensors or an error", () =>
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
    const result = readSafeTensors(memorySource(bytes), "f");
    assert(Array.isArray(result) || isImportError(result));
  })));

Deno.test("lora: the scale is alpha over rank in lowest terms", () => {
  const values = memorySource(new Uint8Array(64));
  const tensor = (side: string, shape: number[]) => ({
    name: `layers.0.mlp.up_proj.lora_${side}.weight`,
    dtype: "F32",
    shape,
    offset: 0,
    values,
  });
  const base = [{ role: "ffn-up", name: "up", layer: 0, shape: [2, 4], type: "f32" }];
  const scale = (alpha: string) => {
    const found = importLora([tensor("A", [4, 4]), tensor("B", [2, 4])], "f", base, {
      alpha: decimalRational(alpha)!,
    });
    return isImportError(found) ? found.code : found[0].scale;
  };
  assertEquals([scale("16"), scale("6"), scale("0.5"), scale("0")], [[4n, 1n], [3n, 2n], [1n, 8n], [
    0n,
    1n,
  ]]);
  assertEquals(["-1", "1e3", "", "1."].map(decimalRational), [null, null, null, null]);
});
