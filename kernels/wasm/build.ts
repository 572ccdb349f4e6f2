/**
 * Builds the kernels: `deno task build:kernels` compiles `assembly/` with AssemblyScript and
 * writes the module as `kernels_data.ts`. The same sources give the same bytes.
 */
import asc from "assemblyscript/asc";

const FLAGS = [
  // -O3 moves the second plane's products behind the first's, which costs registers
  "-O2",
  "--noAssert",
  "--runtime",
  "stub",
  "--enable",
  "simd",
  "--use",
  "abort=",
];

/** Compiles the sources of `assembly/`; throws what the compiler prints. */
export async function compile(): Promise<Uint8Array> {
  const folder = new URL("assembly/", import.meta.url);
  let wasm: Uint8Array | null = null;
  const { error, stderr } = await asc.main(["index.ts", "--outFile", "kernels.wasm", ...FLAGS], {
    readFile(name) {
      try {
        return Deno.readTextFileSync(new URL(name, folder));
      } catch {
        return null; // the compiler asks for files that need not be there
      }
    },
    writeFile(name, content) {
      if (name === "kernels.wasm") wasm = content as Uint8Array;
    },
    listFiles: () => [],
  });
  if (error || wasm === null) throw new Error(stderr.toString());
  return wasm;
}

/** The text of `kernels_data.ts` for a module. */
export function dataModule(wasm: Uint8Array): string {
  const lines = wasm.toBase64().replace(/.{1,96}/g, (line) => `  "${line}",\n`);
  return `// Built from assembly/ by "deno task build:kernels".\nexport default [\n${lines}].join("");\n`;
}

if (import.meta.main) {
  const target = new URL("kernels_data.ts", import.meta.url);
  Deno.writeTextFileSync(target, dataModule(await compile()));
}
