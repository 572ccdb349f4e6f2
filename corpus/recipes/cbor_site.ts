/**
 * A place in a manifest where any item may stand: the payload of a noncritical extension is a
 * map whose values are free (classes.md section 1), so bytes put there meet section 5 of
 * slm2.md and nothing else.
 */
import { concat } from "../writer/bytes.ts";
import { encode, type Item } from "../writer/cbor.ts";
import type { Description } from "../writer/description.ts";
import { manifestOf } from "../writer/manifest.ts";
import { lazy, valid, type ValidCase } from "./case.ts";
import { model } from "./library.ts";
import { withManifest } from "./parts.ts";

/** The model with an extension of that payload. */
export const withPayload = (payload: Item): Description => ({
  ...model().description,
  extensions: [{ id: "lab/any", version: 0, critical: false, payload: payload as Uint8Array }],
});

/** The parent of every CBOR corruption: the payload is `{v: 0}`. */
export const site = lazy(() =>
  valid("valid/cbor/site", "an extension whose payload holds one free value", withPayload({ v: 0 }))
);

const SITE = Uint8Array.fromHex("a1617600");

function indexOf(bytes: Uint8Array, part: Uint8Array): number {
  for (let at = 0; at + part.length <= bytes.length; at++) {
    if (part.every((byte, i) => bytes[at + i] === byte)) return at;
  }
  throw new Error("the site is not in its manifest");
}

const parts = lazy(() => {
  const manifest = encode(manifestOf(site().description).item);
  const at = indexOf(manifest, SITE);
  return { before: manifest.slice(0, at), after: manifest.slice(at + SITE.length) };
});

/** The site's file with other bytes for the whole payload, everything else repaired. */
export const withRaw = (raw: Uint8Array): Uint8Array =>
  withManifest(site().artifact.bytes, concat(parts().before, raw, parts().after));

/** The same, with `{v: value}` for the payload. */
export const withValue = (value: Uint8Array): Uint8Array =>
  withRaw(concat(Uint8Array.fromHex("a16176"), value));

/** The same, with `{key: 0}` for the payload. */
export const withKey = (key: Uint8Array): Uint8Array =>
  withRaw(concat(Uint8Array.fromHex("a1"), key, Uint8Array.fromHex("00")));

/** The manifest ends with `value`: it was cut there, and its length says so. */
export const endingIn = (value: Uint8Array): Uint8Array =>
  withManifest(
    site().artifact.bytes,
    concat(parts().before, Uint8Array.fromHex("a16176"), value),
  );

/** Bytes of the manifest after the free value. */
export const bytesAfter = (): number => parts().after.length;

/**
 * Every sequence of a base and two or three marks, split by whether NFC leaves it as it is. The
 * engine's normalisation decides, which is UAX #15's for code points assigned in 16.0.0.
 */
export function markSequences(): { readonly normal: string[]; readonly other: string[] } {
  const bases = ["a", "q", "\u00c5", "\u1100", "\uac00", "\u0915", "\u{11099}"];
  const marks = [..."\u0300\u0301\u0316\u0323\u0345\u093c\u1161\u11a8\u{110ba}"];
  const pairs = marks.flatMap((one) => marks.map((two) => one + two));
  const tails = [...pairs, ...pairs.flatMap((pair) => marks.map((mark) => pair + mark))];
  const all = bases.flatMap((base) => tails.map((tail) => base + tail));
  const isNormal = (text: string) => text.normalize("NFC") === text;
  return { normal: all.filter(isNormal), other: all.filter((text) => !isNormal(text)) };
}

/** A valid case whose free value is that item. */
export const free = (id: string, reason: string, value: Item): ValidCase =>
  valid(id, reason, withPayload({ v: value }));
