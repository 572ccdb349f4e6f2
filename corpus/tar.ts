/**
 * A ustar archive (POSIX.1-1988) of files in memory, the same bytes on every machine: names in
 * order, no times, no owners.
 */
const BLOCK = 512;

/** One member: its name with forward slashes, and its bytes. */
export type Member = readonly [name: string, bytes: Uint8Array];

/**
 * Writes an archive.
 * @returns its bytes, in parts that follow one another
 * @throws RangeError for a name that ustar cannot hold
 */
export function* tar(members: Iterable<Member>): Generator<Uint8Array> {
  const sorted = [...members].sort(([a], [b]) => a < b ? -1 : a > b ? 1 : 0);
  for (const [name, bytes] of sorted) {
    yield header(name, bytes.length);
    yield bytes;
    yield new Uint8Array((BLOCK - bytes.length % BLOCK) % BLOCK);
  }
  yield new Uint8Array(2 * BLOCK);
}

const NAME = 100, PREFIX = 155;

function header(path: string, size: number): Uint8Array {
  const block = new Uint8Array(BLOCK);
  const text = new TextEncoder();
  const put = (at: number, value: string) => block.set(text.encode(value), at);
  const octal = (at: number, length: number, n: number) =>
    put(at, n.toString(8).padStart(length - 1, "0"));
  const [prefix, name] = split(path);
  put(0, name);
  octal(100, 8, 0o644);
  octal(108, 8, 0);
  octal(116, 8, 0);
  octal(124, 12, size);
  octal(136, 12, 0);
  put(148, " ".repeat(8));
  put(156, "0");
  put(257, "ustar\0" + "00");
  octal(329, 8, 0);
  octal(337, 8, 0);
  put(345, prefix);
  const sum = block.reduce((total, byte) => total + byte, 0);
  put(148, `${sum.toString(8).padStart(6, "0")}\0 `);
  return block;
}

/** A path as prefix and name, cut at a slash where it is long. */
function split(path: string): [prefix: string, name: string] {
  if (path.length <= NAME) return ["", path];
  const cut = path.indexOf("/", path.length - NAME - 1);
  if (cut < 0 || cut > PREFIX) throw new RangeError(`ustar cannot hold the name ${path}`);
  return [path.slice(0, cut), path.slice(cut + 1)];
}
