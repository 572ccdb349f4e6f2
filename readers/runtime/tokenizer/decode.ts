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

/**
 * Each `marker` becomes one byte; held back is what may be the beginning of one, of which the length
 * says all. No byte is looked at twice (Knuth, Morris and Pratt, 1977).
 */
function substitute(marker: Uint8Array, by: number): Filter {
  const borders = bordersOf(marker);
  let held = 0;
  return {
    push(bytes) {
      if (held === 0 && bytes.indexOf(marker[0]) < 0) return bytes;
      const out = new Uint8Array(held + bytes.length);
      let length = 0;
      for (const byte of bytes) {
        while (held > 0 && byte !== marker[held]) {
          const settled = held - borders[held - 1];
          for (let i = 0; i < settled; i++) out[length++] = marker[i];
          held -= settled;
        }
        if (byte !== marker[held]) out[length++] = byte;
        else if (++held === marker.length) {
          out[length++] = by;
          held = 0;
        }
      }
      return out.slice(0, length);
    },
    end() {
      const rest = marker.slice(0, held);
      held = 0;
      return rest;
    },
  };
}

/** Of each prefix of `word`, the length of the longest shorter one that it ends in. */
function bordersOf(word: Uint8Array): Uint32Array {
  const borders = new Uint32Array(word.length);
  for (let end = 1, length = 0; end < word.length; end++) {
    while (length > 0 && word[end] !== word[length]) length = borders[length - 1];
    if (word[end] === word[length]) length++;
    borders[end] = length;
  }
  return borders;
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
