/** Dependencies of compositions and other classes (classes.md 6), and expectations: a row a sentence. */
import { composition } from "../../corpus/writer/build/composition.ts";
import { tensorPack } from "../../corpus/writer/build/model.ts";
import { template } from "../../corpus/writer/build/template.ts";
import {
  base,
  BASE_DESCRIPTION,
  given,
  known,
  LORA,
  lora,
  make,
  MISSING,
  other,
  twin,
  W,
  WHOLE,
  words,
  words2,
} from "./artifacts.ts";
import {
  dense,
  edited,
  type Edits,
  file,
  hash,
  patched,
  RECEIPT,
  receipt,
  sentences,
} from "./sentences.ts";

const id = (hex: string) => Uint8Array.fromHex(hex);

const alone = known(file(tensorPack([W], 1)));

const render = known(file(template(words, ["a"])));

const render2 = known(file(template(words2, ["a"])));

const tuned = known(lora);

const tuned2 = known(make(LORA, {}, { tokenizer: words2 }));

const far = known(make(LORA, {}, {}, other));

const compose = (parts: Partial<Parameters<typeof composition>[0]> = {}, edits: Edits = {}) => () =>
  edited(composition({ base, tokenizer: words, kv: { max_positions: 4 }, ...parts }), edits);

const PARTS = [base, words, render, tuned];

const mismatch = "25 TokenizerMismatch [manifest]";

sentences("classes.md 6, a composition", [
  ["its parts", compose({ chat_template: render, adapters: [tuned] }), "accept", given(...PARTS)],
  [
    "in any order",
    compose({ chat_template: render, adapters: [tuned] }),
    "accept",
    given(...PARTS.toReversed()),
  ],
  [
    "one level deep: an adapter's base is not asked for",
    compose({ base: alone }),
    "accept",
    given(alone, words),
  ],
  [
    "in manifest order",
    compose({ chat_template: render2, adapters: [tuned] }),
    MISSING,
    given(base, render2),
  ],
  [
    "a template before adapters",
    compose({ chat_template: render2, adapters: [far] }),
    mismatch,
    given(base, words, render2, far),
  ],
  [
    "a template's tokenizer before a missing adapter",
    compose({ chat_template: render2, adapters: [tuned] }),
    mismatch,
    given(base, words, render2),
  ],
  [
    "an adapter of another base",
    compose({ adapters: [far] }),
    "25 BaseMismatch [manifest]",
    given(base, words, far),
  ],
  [
    "an adapter of the base's twin",
    compose({ base: twin, adapters: [tuned] }),
    "25 BaseMismatch [manifest]",
    given(twin, words, tuned),
  ],
  [
    "an adapter that leaves the file free",
    compose({ base: twin, adapters: [known(make(LORA, { "body.base.whole_file": null }))] }),
    "accept",
    given(twin, words, make(LORA, { "body.base.whole_file": null })),
  ],
  [
    "layout before tokenizer",
    compose({
      adapters: [known(make(LORA, { "body.base.layout_id": hash(1) }, { tokenizer: words2 }))],
    }),
    "25 LayoutMismatch [manifest]",
    given(base, words, make(LORA, { "body.base.layout_id": hash(1) }, { tokenizer: words2 })),
  ],
  [
    "an adapter of another tokenizer",
    compose({ adapters: [tuned2] }),
    mismatch,
    given(base, words, tuned2),
  ],
  [
    "tokenizer before target",
    compose({
      adapters: [
        known(make(LORA, { "body.operations.0.target.name": "v" }, { tokenizer: words2 })),
      ],
    }),
    mismatch,
    given(base, words, make(LORA, { "body.operations.0.target.name": "v" }, { tokenizer: words2 })),
  ],
  [
    "an adapter before the next dependency",
    compose({ adapters: [far, tuned] }),
    "25 BaseMismatch [manifest]",
    given(base, words, far),
  ],
  [
    "a base of another class than was said",
    compose({ base: { ...alone, class: 2 } }),
    "25 DependencyClass [manifest]",
    given(alone, words),
  ],
  [
    "class before whole_file",
    compose({ base: { ...alone, class: 2, whole_file: "00".repeat(32) } }),
    "25 DependencyClass [manifest]",
    given(alone, words),
  ],
  [
    "a tokenizer's whole_file, where it is asked",
    compose({}, { "dependencies.1.whole_file": hash(1) }),
    WHOLE,
    given(base, words),
  ],
  [
    "and where it is not",
    compose({}, { "dependencies.1.whole_file": null }),
    "accept",
    given(base, words),
  ],
  [
    "dependencies before requirements",
    compose({ requirements: { features: ["x"] } }),
    MISSING,
    given(base),
  ],
  [
    "a feature",
    compose({ requirements: { features: ["x"] } }),
    "25 RuntimeCapability [manifest]",
    given(base, words),
  ],
  ["a feature without a resolver", compose({ requirements: { features: ["x"] } }), "accept"],
  [
    "memory, where none was given",
    compose({ requirements: { memory_bytes: 2n ** 64n - 1n } }),
    "accept",
    given(base, words),
  ],
  ["memory that is there", compose({ requirements: { memory_bytes: 9 } }), "accept", {
    ...given(base, words),
    runtime_memory: 9,
  }],
  [
    "memory that is not",
    compose({ requirements: { memory_bytes: 10 } }),
    "25 RuntimeCapability [manifest]",
    { ...given(base, words), runtime_memory: 9 },
  ],
  ["memory without a resolver", compose({ requirements: { memory_bytes: 10 } }), "accept", {
    runtime_memory: 9,
  }],
  ["no memory", compose({}), "accept", { ...given(base, words), runtime_memory: 0 }],
  [
    "a dependency's own requirements are not asked",
    compose({ base: known(edited(BASE_DESCRIPTION, { "requirements.features": ["x"] })) }),
    "accept",
    given(edited(BASE_DESCRIPTION, { "requirements.features": ["x"] }), words),
  ],
  [
    "a policy is not a dependency's",
    compose({ base: known(file(tensorPack([dense("w", "w", [1, 1, 1])], 2))) }),
    "accept",
    {
      ...given(file(tensorPack([dense("w", "w", [1, 1, 1])], 2)), words),
      policy: { rank: 0, string_table_length: 0, tensor_count: 0 },
    },
  ],
]);

const RECEIPTS = known(receipt({}));

sentences("classes.md 6, other classes", [
  ["a model with a resolver", () => base.bytes, "accept", given()],
  [
    "a model's own memory",
    () => edited(BASE_DESCRIPTION, { "requirements.memory_bytes": 1 }),
    "25 RuntimeCapability [manifest]",
    { ...given(), runtime_memory: 0 },
  ],
  ["a template's tokenizer", () => render.bytes, "accept", given(words)],
  [
    "a receipt of a receipt",
    () =>
      edited(RECEIPT, {
        "body.subject": id(RECEIPTS.artifact_id),
        "body.subject_whole_file": id(RECEIPTS.whole_file),
        "dependencies.0.id": id(RECEIPTS.artifact_id),
        "dependencies.0.whole_file": id(RECEIPTS.whole_file),
        "dependencies.0.artifact_class": 12,
      }),
    "accept",
    given(RECEIPTS),
  ],
  [
    "said to be of class 13",
    () =>
      edited(RECEIPT, {
        "body.subject": id(RECEIPTS.artifact_id),
        "body.subject_whole_file": id(RECEIPTS.whole_file),
        "dependencies.0.id": id(RECEIPTS.artifact_id),
        "dependencies.0.whole_file": id(RECEIPTS.whole_file),
        "dependencies.0.artifact_class": 13,
      }),
    "25 DependencyClass [manifest]",
    given(RECEIPTS),
  ],
  [
    "dependencies before content",
    () => patched(render.bytes, { "blob[0].content_hash": hash(1) }),
    MISSING,
    given(),
  ],
  ["expectations: the file before the id", () => base.bytes, "27 WholeFileHashMismatch [file]", {
    expect: { whole_file: "00".repeat(32), artifact_id: "00".repeat(32) },
  }],
  ["one key: the id", () => base.bytes, "27 IdentityMismatch [file]", {
    expect: { artifact_id: "00".repeat(32) },
  }],
  ["one key: the file", () => base.bytes, "accept", { expect: { whole_file: base.whole_file } }],
  ["the twin has the id", () => twin.bytes, "accept", {
    expect: { artifact_id: base.artifact_id },
  }],
  ["no key", () => base.bytes, "accept", { expect: {} }],
  ["a rejection before expectations", () => base.bytes.slice(1), "4 BadMagic [header]", {
    expect: { whole_file: "00".repeat(32) },
  }],
]);
