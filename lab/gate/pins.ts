/** Whether everything that comes from elsewhere is pinned: packages by hash, data by its source. */
import { join } from "node:path";
import { ROOT } from "./standing.ts";

/** Generated tables, which must say what release they were made from. */
const TABLES = [
  { path: "corpus/writer/unicode16_data.ts", says: /Unicode.{0,40}\b16\b/s },
  { path: "readers/table/unicode_data.ts", says: /Unicode.{0,40}\b16\b/s },
  { path: "readers/cursor/assigned_data.ts", says: /Unicode.{0,40}\b16\b/s },
  { path: "readers/runtime/tokenizer/unicode/unicode_data.ts", says: /Unicode.{0,40}\b\d+\b/s },
] as const;

const EXACT = /^npm:\/?(@[^/@]+\/)?[^/@]+@\d+\.\d+\.\d+(-[\w.]+)?(\/.*)?$/;

/** What is not pinned, a line each. */
export function unpinned(root = ROOT): string[] {
  const read = (path: string) => Deno.readTextFileSync(join(root, path));
  const { imports } = JSON.parse(read("deno.json")) as { imports: Record<string, string> };
  const lock = JSON.parse(read("deno.lock")) as { npm?: Record<string, { integrity?: string }> };
  const loose = Object.entries(imports).filter(([, target]) =>
    !target.startsWith("./") && !EXACT.test(target)
  ).map(([name, target]) => `deno.json: ${name} is ${target}, no exact version`);
  const unhashed = Object.entries(lock.npm ?? {}).filter(([, { integrity }]) => !integrity)
    .map(([name]) => `deno.lock: ${name} has no hash`);
  const tables = TABLES.filter(({ path, says }) => {
    try {
      return !says.test(read(path).slice(0, 2000));
    } catch {
      return true;
    }
  }).map(({ path }) => `${path} does not say which release it is of`);
  return [...loose, ...unhashed, ...tables];
}
