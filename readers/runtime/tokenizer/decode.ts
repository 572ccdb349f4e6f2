/**
 * Decoding (classes.md section 4): entries concatenated, special tokens left out, then the
 * decoder's steps. Each step is a filter that holds back the bytes that it cannot judge yet, so
 * that one id at a time and all ids at once give the same.
 */

import { joined } from "./utf8.ts";

/** Takes bytes as they come and passes on what is settled; `end` passes on the rest. */
export interface Filter {
  push(bytes: Uint8Array): Uint8Array;
  end(): Uint8Array;
}

/** What of a tokenizer decides its decoding. */
export interface Decoding {
  readonly decoder: readonly string[];
  readonly space_marker: Uint8Array | null;
  readonly added_prefix_space: boolean;
}

const NOTHING: Uint8Array = new Uint8Array(0);
const SPACE = 0x20;

/** The steps in order, for a text (`begins`) or for what continues one. */
export function decodeFilter(
  { decoder, space_marker, added_prefix_space }: Decoding,
  begins: boolean,
): Filter {
  const filters: Filter[] = [];
  if (decoder.includes("strip-space-marker") && space_marker !== null && space_marker.length > 0) {
    filters.push(substitute(space_marker, SPACE));
  }
  if (decoder.includes("wordpiece-cleanup")) filters.push(cleanUp());
  if (added_prefix_space && begins) filters.push(dropFirstSpace());
  return {
    push: (bytes) => filters.reduce((passed, filter) => filter.push(passed), bytes),
    end() {
      let rest = NOTHING;
      for (const filter of filters) rest = joined([filter.push(rest), filter.end()]);
      return rest;
    },
  };
}

/** Each `marker` becomes one byte; held back is what may be the beginning of one. */
function substitute(marker: Uint8Array, by: number): Filter {
  let held = NOTHING;
  return {
    push(bytes) {
      const text = held.length > 0 ? joined([held, bytes]) : bytes;
      held = NOTHING;
      let at = text.indexOf(marker[0]);
      if (at < 0) return text;
      const out = new Uint8Array(text.length);
      let length = 0, settled = 0;
      const settle = (end: number) => {
        out.set(text.subarray(settled, end), length);
        length += end - settled;
        settled = end;
      };
      while (at >= 0 && held.length === 0) {
        const shared = sharedLength(text, at, marker);
        if (shared === marker.length) {
          settle(at);
          out[length++] = by;
          settled += shared;
          at = text.indexOf(marker[0], settled);
        } else if (at + shared === text.length) held = text.slice(at);
        else at = text.indexOf(marker[0], at + 1);
      }
      settle(text.length - held.length);
      return out.subarray(0, length);
    },
    end() {
      const rest = held;
      held = NOTHING;
      return rest;
    },
  };
}

/** How many bytes of `marker` stand at `at`. */
function sharedLength(text: Uint8Array, at: number, marker: Uint8Array): number {
  let length = 0;
  while (length < marker.length && text[at + length] === marker[length]) length++;
  return length;
}

/** U+0020 before `.` `?` `!` `,` goes; a space at the end is held back. */
function cleanUp(): Filter {
  const MARKS = [0x2e, 0x3f, 0x21, 0x2c];
  let held = false;
  return {
    push(bytes) {
      const out: number[] = [];
      for (const byte of bytes) {
        if (held && !MARKS.includes(byte)) out.push(SPACE);
        held = byte === SPACE;
        if (!held) out.push(byte);
      }
      return Uint8Array.from(out);
    },
    end: () => held ? Uint8Array.of(SPACE) : NOTHING,
  };
}

function dropFirstSpace(): Filter {
  let first = true;
  return {
    push(bytes) {
      if (!first || bytes.length === 0) return bytes;
      first = false;
      return bytes[0] === SPACE ? bytes.subarray(1) : bytes;
    },
    end: () => NOTHING,
  };
}
