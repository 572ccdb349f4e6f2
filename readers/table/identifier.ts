/** Machine identifiers (section 6). */

const SLASH = 0x2f;
const DOT = 0x2e;
const OTHERS = new Set(Array.from("._/-", (c) => c.charCodeAt(0)));
const isAlphanumeric = (byte: number) =>
  (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x30 && byte <= 0x39);

/**
 * Whether bytes [from, to) are `[a-z0-9][a-z0-9._/-]{0,254}` without `//`, a trailing `/` or a
 * component `.` or `..`.
 */
export function isIdentifier(bytes: Uint8Array, from: number, to: number): boolean {
  if (to - from < 1 || to - from > 255 || !isAlphanumeric(bytes[from])) return false;
  let component = from;
  for (let i = from; i <= to; i++) {
    const byte = i === to ? SLASH : bytes[i];
    if (byte === SLASH) {
      const length = i - component;
      if (length === 0) return false;
      if (length <= 2 && bytes[component] === DOT && bytes[i - 1] === DOT) return false;
      component = i + 1;
    } else if (!isAlphanumeric(byte) && !OTHERS.has(byte)) return false;
  }
  return true;
}
