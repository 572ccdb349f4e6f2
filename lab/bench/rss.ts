/**
 * `rss.ts READER FILE`: prints by how many bytes the peak of resident memory grows while the
 * reader verifies the file, after it has judged a small file once (code and windows warm).
 */
import { fileSource, memorySource } from "../../readers/source.ts";
import { loadReaders } from "../readers.ts";

const [name, path] = Deno.args;
const [reader] = await loadReaders(name);
reader.read({ source: memorySource(new Uint8Array(4096)) });

const before = Deno.memoryUsage().rss;
let peak = before;
const file = fileSource(path);
let reads = 0;
const { verdict } = reader.read({
  source: {
    size: () => file.size(),
    read(offset, into) {
      if (reads++ % 64 === 0) peak = Math.max(peak, Deno.memoryUsage().rss);
      return file.read(offset, into);
    },
  },
  pieces: false,
});
peak = Math.max(peak, Deno.memoryUsage().rss);
if (verdict.verdict !== "accept") throw new Error(`rejected: ${verdict.code}`);
console.log(peak - before);
