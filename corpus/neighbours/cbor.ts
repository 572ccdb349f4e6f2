/** RFC 8949's example items under SLM-DCBOR-1 (slm2.md section 5). */
import type { Code } from "../../readers/contract.ts";
import { compare } from "../writer/bytes.ts";
import { withValue } from "../recipes/cbor_site.ts";

/** A file whose manifest holds a vector, and what a reader must say; null: accept. */
export interface Question {
  readonly name: string;
  readonly file: Uint8Array;
  /** `any` where only that it is rejected at stage 17 is known */
  readonly code: Code | "any" | null;
}

type Vectors = readonly { readonly hex: string }[];

const read = (data: URL, name: string): Vectors =>
  JSON.parse(Deno.readTextFileSync(new URL(`vectors/${name}`, data)));

/** Appendix A: well-formed items, each accepted or rejected for its first item that is outside. */
export const appendixA = (data: URL): Question[] =>
  read(data, "cbor_appendix_a.json").map(({ hex }) => {
    const item = Uint8Array.fromHex(hex);
    return { name: hex, file: withValue(item), code: new Scan(item).fault() };
  });

/**
 * Items that are not well-formed. Which step of section 5 sees it depends on what follows in the
 * manifest, so only the stage is asked.
 */
export const notWellFormed = (data: URL): Question[] =>
  read(data, "cbor_fail.json").map(({ hex }) => ({
    name: hex,
    file: withValue(Uint8Array.fromHex(hex)),
    code: "any",
  }));

/** Goes through a well-formed item up to the first thing that SLM-DCBOR-1 does not have. */
class Scan {
  #at = 0;
  constructor(private readonly bytes: Uint8Array) {}

  /** The code of the first fault of the item that begins here, steps 3 to 13. */
  fault(isKey = false): Code | null {
    const first = this.bytes[this.#at++];
    const major = first >> 5, info = first % 32;
    if (isKey && major !== 3) return "CborKeyNotText";
    if (major === 6 || (major === 7 && (info < 20 || info > 22))) return "CborForbiddenType";
    if (major === 7) return null;
    if (info === 31) return "CborIndefiniteLength";
    const size = info < 24 ? 0 : 2 ** (info - 24);
    const argument = info < 24
      ? BigInt(info)
      : BigInt(`0x${this.bytes.subarray(this.#at, this.#at + size).toHex()}`);
    this.#at += size;
    if (size > 0 && argument < SHORTER[size]) return "CborNotShortest";
    if (major === 1 && argument >= 1n << 63n) return "CborIntegerRange";
    if (major === 2 || major === 3) this.#at += Number(argument);
    return major === 4
      ? this.#elements(Number(argument))
      : major === 5
      ? this.#entries(Number(argument))
      : null;
  }

  #elements(n: number): Code | null {
    let found: Code | null = null;
    for (let i = 0; i < n && found === null; i++) found = this.fault();
    return found;
  }

  #entries(n: number): Code | null {
    let before = new Uint8Array(0);
    for (let i = 0; i < n; i++) {
      const start = this.#at;
      const fault = this.fault(true);
      if (fault) return fault;
      const key = this.bytes.slice(start, this.#at);
      const order = compare(before, key);
      if (i > 0 && order >= 0) return order === 0 ? "CborDuplicateKey" : "CborKeyOrder";
      before = key;
      const inner = this.fault();
      if (inner) return inner;
    }
    return null;
  }
}

/** Arguments below these fit a shorter form than one of that many bytes. */
const SHORTER: { readonly [size: number]: bigint } = {
  1: 24n,
  2: 1n << 8n,
  4: 1n << 16n,
  8: 1n << 32n,
};
