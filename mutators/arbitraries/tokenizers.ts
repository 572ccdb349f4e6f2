/** Tokenizers (class 4) of every kind, and chat templates (class 5). */
import fc from "fast-check";
import type { TokenizerBody, TokenizerKind, TokenizerOp } from "../../corpus/writer/bodies.ts";
import { concat } from "../../corpus/writer/bytes.ts";
import { type Step, template } from "../../corpus/writer/build/template.ts";
import { tokenizer, type TokenizerParts } from "../../corpus/writer/build/tokenizer.ts";
import type { Description } from "../../corpus/writer/description.ts";
import { dressed, identifier, reference, text } from "./parts.ts";

const KINDS: readonly TokenizerKind[] = [
  "byte-level-bpe/1",
  "score-bpe/1",
  "unigram/1",
  "wordpiece/1",
  "table/1",
];

const normalizerOp: fc.Arbitrary<TokenizerOp> = fc.oneof(
  fc.constantFrom<TokenizerOp[]>(
    ["nfc"],
    ["nfkc"],
    ["lowercase"],
    ["strip-accents"],
    ["clean-control"],
    ["cjk-space"],
    ["collapse-space"],
  ),
  text.map((one): TokenizerOp => ["prepend", one]),
  fc.tuple(text.filter((one) => one !== ""), text).map(([a, b]): TokenizerOp => ["replace", a, b]),
);

const pretokenizerOp: fc.Arbitrary<TokenizerOp> = fc.oneof(
  fc.constantFrom<TokenizerOp[]>(
    ["gpt2-split"],
    ["whitespace-split"],
    ["punctuation-split"],
    ["none"],
  ),
  fc.integer({ min: 1, max: 9 }).map((n): TokenizerOp => ["digits-split", n]),
);

/** A vocabulary, and merges whose results are entries of it. */
const vocabulary = fc.record({
  entries: fc.array(
    fc.oneof(
      fc.uint8Array({ maxLength: 6 }),
      text.map((one) => new TextEncoder().encode(one)),
    ),
    { minLength: 2, maxLength: 12 },
  ),
  pairs: fc.uniqueArray(fc.tuple(fc.nat(11), fc.nat(11)), { maxLength: 5, selector: String }),
}).map(({ entries, pairs }) => {
  const all: Uint8Array[] = [...entries];
  const merges = pairs.filter(([left, right]) => left < entries.length && right < entries.length)
    .map(([left, right]): [number, number, number] => [
      left,
      right,
      all.push(concat(entries[left], entries[right])) - 1,
    ]);
  return { entries: all, merges };
});

const parts = (kind: TokenizerKind): fc.Arbitrary<TokenizerParts> =>
  fc.record({ vocabulary, bytes: fc.boolean(), extra: fc.boolean() }).chain(
    ({ vocabulary: { entries, merges }, bytes, extra }) => {
      const all = bytes
        ? [...entries, ...Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte))]
        : entries;
      const scored = kind === "score-bpe/1" || kind === "unigram/1" || extra;
      const score = fc.float({ noNaN: true, noDefaultInfinity: true });
      return fc.record({
        scores: scored
          ? fc.array(score, { minLength: all.length, maxLength: all.length })
          : fc.constant(undefined),
        normalizer: fc.option(
          fc.uniqueArray(fc.tuple(text.filter((one) => one !== ""), text), {
            maxLength: 3,
            selector: ([source]) => source,
          }),
          { nil: undefined },
        ),
        added_tokens: fc.option(
          fc.uniqueArray(
            fc.record({ id: fc.nat(all.length - 1), flags: fc.nat(31) }),
            { maxLength: 3, selector: ({ id }) => id },
          ),
          { nil: undefined },
        ),
      }).map((rest) => ({
        vocabulary: all,
        merges: kind === "byte-level-bpe/1" || extra ? merges : undefined,
        byte_fallback: bytes
          ? Array.from({ length: 256 }, (_, byte) => entries.length + byte)
          : undefined,
        ...rest,
      }));
    },
  );

const decoders = ["byte-level", "strip-space-marker", "wordpiece-cleanup", "byte-fallback"];

/** Tokenizers of every kind, with and without each optional blob. */
export const anyTokenizer: fc.Arbitrary<Description> = dressed(
  fc.constantFrom(...KINDS).chain((kind) => parts(kind).map((made) => ({ kind, made }))).chain(
    ({ kind, made }) => {
      const id = fc.nat(made.vocabulary.length - 1);
      const end = fc.oneof(
        fc.constant({ auto: false, id: null }),
        fc.record({ auto: fc.boolean(), id }),
      );
      const policies: TokenizerBody["unknown"]["policy"][] = made.byte_fallback
        ? ["reject", "token", "bytes"]
        : ["reject", "token"];
      return fc.record({
        added_prefix_space: fc.boolean(),
        bos: end,
        eos: end,
        decoder: fc.subarray(decoders),
        max_expansion: fc.integer({ min: 1, max: 64 }),
        normalizer: fc.array(normalizerOp, { maxLength: 3 }),
        pretokenizer: fc.array(pretokenizerOp, { maxLength: 2 }),
        roles: fc.dictionary(identifier, id, { maxKeys: 2 }),
        space_marker: fc.option(fc.constantFrom("\u2581", "_", "")),
        stop_bytes: fc.uniqueArray(fc.uint8Array({ maxLength: 4 }), {
          maxLength: 2,
          selector: String,
        }),
        stop_tokens: fc.uniqueArray(id, { maxLength: 2 }),
        unknown: fc.record({ id, policy: fc.constantFrom(...policies) }),
      }).map((body) => tokenizer(made, { kind, ...body }));
    },
  ),
);

/** Programs: 2, 3, 5 and 6 only inside one for_each_message. */
const program = (roles: readonly string[], fields: readonly string[]) =>
  fc.letrec<{ outer: Step; inner: Step }>((tie) => {
    const both: fc.Arbitrary<Step>[] = [
      text.filter((one) => one !== ""),
      fc.nat(70000).map((token): Step => ({ token })),
      fc.constantFrom<Step[]>({ do: "generation_marker" }, { do: "stop" }),
    ];
    const block = fc.array(tie("inner"), { maxLength: 3 });
    return {
      outer: fc.oneof(...both, block.map((steps): Step => ({ for_each_message: steps }))),
      inner: fc.oneof(
        { depthSize: "small" },
        ...both,
        fc.constantFrom<Step[]>({ do: "role" }, { do: "content" }),
        fc.record({ if_role: fc.constantFrom(...roles), then: block }),
        fc.record({ if_present: fc.constantFrom(...fields), then: block }),
      ),
    };
  }).outer;

const uses = (steps: readonly Step[], name: string): boolean =>
  steps.some((step) =>
    typeof step !== "string" && (
      ("do" in step && step.do === name) ||
      ("then" in step && uses(step.then, name)) ||
      ("for_each_message" in step && uses(step.for_each_message, name))
    )
  );

const names = fc.uniqueArray(identifier, { minLength: 1, maxLength: 3 });

/** Chat templates. */
export const anyTemplate: fc.Arbitrary<Description> = dressed(
  fc.tuple(names, names).chain(([roles, fields]) =>
    fc.record({
      tokenizer: reference(4),
      steps: fc.array(program(roles, fields), { maxLength: 5 }),
      stop_tokens: fc.uniqueArray(fc.nat(70000), { maxLength: 3 }),
      marker: fc.nat(70000),
    }).map(({ tokenizer, steps, stop_tokens, marker }) =>
      template(tokenizer, steps, {
        roles,
        fields,
        stop_tokens,
        generation_marker: uses(steps, "generation_marker") ? marker : null,
      })
    )
  ),
);
