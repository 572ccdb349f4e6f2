/** Machine identifiers (section 6). */

const SLASH = 0x2f;
const DOT = 0x2e;

/** `[a-z0-9._/-]` by code: 2 may begin an identifier, 1 may only follow. */
const ALPHABET: Uint8Array = (() => {
  const table = new Uint8Array(256);
  for (const c of "abcdefghijklmnopqrstuvwxyz0123456789") table[c.charCodeAt(0)] = 2;
  for (const c of "._/-") table[c.charCodeAt(0)] = 1;
  return table;
})();

/**
 * Whether the bytes in `[from, to)` are an identifier: `[a-z0-9][a-z0-9._/-]{0,254}`, no
 * `//`, no trailing `/`, no component equal to `.` or `..` (section 6).
 */
export function isIdentifier(bytes: Uint8Array, from: number, to: number): boolean {
  if (to === from || to - from > 255 || ALPHABET[bytes[from]] !== 2) return false;
  let component = from;
  for (let i = from; i < to; i++) {
    if (ALPHABET[bytes[i]] === 0) return false;
    if (bytes[i] !== SLASH) continue;
    if (!isComponent(bytes, component, i)) return false;
    component = i + 1;
  }
  return isComponent(bytes, component, to);
}

function isComponent(bytes: Uint8Array, from: number, to: number): boolean {
  if (to === from) return false;
  if (bytes[from] !== DOT) return true;
  return to - from > 1 && (bytes[from + 1] !== DOT || to - from > 2);
}
