/** What descriptions of every class are made of. */
import fc from "fast-check";
import type { Rational } from "../../corpus/writer/bodies.ts";
import type { Item } from "../../corpus/writer/cbor.ts";
import type {
  AuxiliaryDescription,
  Description,
  Reference,
  TensorDescription,
} from "../../corpus/writer/description.ts";
import { clearPadding } from "../../corpus/writer/padding.ts";
import { ELEMENT_TYPES, REGISTERED } from "../../corpus/writer/profiles.ts";
import { meetsTailRule, storageOf, storedBytes } from "../../corpus/writer/storage.ts";
import { isIdentifier, textFault } from "../../corpus/writer/text.ts";

/** `id`, mostly short. */
export const identifier: fc.Arbitrary<string> = fc.oneof(
  { weight: 8, arbitrary: fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,7}(\/[a-z0-9]{1,3})?$/) },
  { weight: 1, arbitrary: fc.constantFrom("0", "a".repeat(255), "a/...", "a..b", "constructor") },
).filter(isIdentifier);

/** Text in NFC, of assigned code points, with what trips decoders and tables. */
export const text: fc.Arbitrary<string> = fc.string({
  unit: fc.oneof(
    { weight: 4, arbitrary: fc.string({ minLength: 1, maxLength: 1 }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom("\u00e9", "\u65e5", "\u{1f31f}", "\ufeff", "\u0000", "\ufffd"),
    },
    { weight: 1, arbitrary: fc.string({ unit: "binary", minLength: 1, maxLength: 1 }) },
  ),
  maxLength: 12,
}).map((one) => one.normalize("NFC")).filter((one) => textFault(one) === null);

export const digest: fc.Arbitrary<Uint8Array> = fc.uint8Array({ minLength: 32, maxLength: 32 });

/** An unsigned integer of the manifest, with the borders of its encodings and of 2^53. */
export const uint: fc.Arbitrary<number | bigint> = fc.oneof(
  fc.nat(300),
  fc.constantFrom(23, 24, 255, 256, 65535, 65536, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1),
  fc.constantFrom(2n ** 53n, 2n ** 63n, 2n ** 64n - 1n),
);

/** `rat` from 0 up, in lowest terms. */
export const rational: fc.Arbitrary<Rational> = fc.tuple(
  fc.nat(1000),
  fc.integer({ min: 1, max: 99 }),
)
  .map(([n, d]): Rational => {
    const common = gcd(n, d);
    return [n / common, d / common];
  });

const gcd = (a: number, b: number): number => b === 0 ? a : gcd(b, a % b);

/** An item inside an extension. */
const item: fc.Arbitrary<Item> = fc.letrec<{ item: Item }>((tie) => ({
  item: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.oneof(uint, fc.integer().map((n) => -1 - Math.abs(n)), fc.constant(-(2n ** 63n))),
    text,
    fc.boolean(),
    fc.constant(null),
    fc.uint8Array({ maxLength: 40 }),
    fc.array(tie("item"), { maxLength: 3 }),
    fc.uniqueArray(fc.tuple(text, tie("item")), { maxLength: 3, selector: ([key]) => key })
      .map((entries) => new Map(entries)),
  ),
})).item;

const itemMap = fc.uniqueArray(fc.tuple(text, item), { maxLength: 4, selector: ([key]) => key })
  .map((entries): ReadonlyMap<string, Item> => new Map(entries));

/** An artifact that is referred to, of a class. */
export const reference = (artifact_class: number | fc.Arbitrary<number>): fc.Arbitrary<Reference> =>
  fc.record({
    class: typeof artifact_class === "number" ? fc.constant(artifact_class) : artifact_class,
    artifact_id: digest.map((bytes) => bytes.toHex()),
    whole_file: digest.map((bytes) => bytes.toHex()),
  });

/** Any class that exists. */
export const anyClass: fc.Arbitrary<number> = fc.integer({ min: 1, max: 13 });

/** Adds noncritical extensions and requirements, which every class may have. */
export const dressed = <D extends Description>(bare: fc.Arbitrary<D>): fc.Arbitrary<Description> =>
  fc.record({
    bare,
    extensions: fc.uniqueArray(
      fc.record({
        id: identifier,
        version: fc.nat(3),
        critical: fc.constant(false),
        payload: fc.oneof(fc.uint8Array({ maxLength: 20 }), itemMap),
      }),
      { maxLength: 2, selector: ({ id, version }) => `${id} ${version}` },
    ),
    requirements: fc.record({
      features: fc.uniqueArray(identifier, { maxLength: 2 }),
      memory_bytes: uint,
    }),
  }).map(({ bare, extensions, requirements }) => ({ ...bare, extensions, requirements }));

export const alignment: fc.Arbitrary<number | undefined> = fc.oneof(
  { weight: 6, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.constantFrom(64, 128, 256, 1024) },
);

/** `length` bytes. */
export const bytes = (length: number): fc.Arbitrary<Uint8Array> =>
  fc.uint8Array({ minLength: length, maxLength: length });

/** A payload of a tensor: any bytes, but for padded lanes. */
export function payload(type: string, shape: readonly number[]): fc.Arbitrary<Uint8Array> {
  const storage = storageOf(type);
  return bytes(Number(storedBytes(shape, storage))).map((content) => {
    if (storage.profile) clearPadding(content, shape, storage.profile.fields);
    return content;
  });
}

/** Types that a model's matrices may have and that fit the shape. */
export const matrixType = (shape: readonly number[]): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom("f32", "f16", "bf16") },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        ...[...REGISTERED.values()].filter(({ fields }) => meetsTailRule(shape, fields))
          .map(({ name }) => name),
      ),
    },
  );

/** A tensor with what belongs to it: for `q8-row`, the scales of its rows. */
export interface Stored {
  readonly tensors: readonly TensorDescription[];
  readonly auxiliaries: readonly AuxiliaryDescription[];
}

/** A tensor of a type from `types`, and its scale tensor `NAME.scale` where its profile has one. */
export function stored(
  key: Omit<TensorDescription, "type" | "payload">,
  types: fc.Arbitrary<string>,
): fc.Arbitrary<Stored> {
  const { shape, layer } = key;
  const rows = shape.slice(0, -1).reduce((product, n) => product * n, 1);
  return types.chain((type) => {
    const outside = storageOf(type).profile?.fields.auxiliary_mask === 1;
    const target = `${key.name.slice(0, 240)}.scale`;
    return fc.record({ content: payload(type, shape), scales: bytes(4 * rows), alignment })
      .map(({ content, scales, alignment }) => ({
        tensors: [
          { ...key, type, payload: content, alignment },
          ...(outside
            ? [{ role: "scale", name: target, layer, shape: [rows], type: "f32", payload: scales }]
            : []),
        ],
        auxiliaries: outside ? [{ owner: key.name, target }] : [],
      }));
  });
}

/** Several tensors as one. */
export const joinStored = (parts: readonly Stored[]): Stored => ({
  tensors: parts.flatMap(({ tensors }) => tensors),
  auxiliaries: parts.flatMap(({ auxiliaries }) => auxiliaries),
});

/** Every element type. */
export const elementType: fc.Arbitrary<string> = fc.constantFrom(...Object.keys(ELEMENT_TYPES));
