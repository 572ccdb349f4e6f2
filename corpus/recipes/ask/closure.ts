/** Stage 25 with a resolver: dependency closure (classes.md section 6). */
import { adapter, type OperationParts } from "../../writer/build/adapter.ts";
import { composition } from "../../writer/build/composition.ts";
import { template } from "../../writer/build/template.ts";
import { tokenizer } from "../../writer/build/tokenizer.ts";
import type { AdapterBody, AdapterOperation } from "../../writer/bodies.ts";
import type { Description } from "../../writer/description.ts";
import { fromHex } from "../../writer/identity.ts";
import { profileBody, profileId, REGISTERED } from "../../writer/profiles.ts";
import type { Code } from "../../../readers/contract.ts";
import { digestOf, floats, ramp } from "../bytes.ts";
import {
  asked,
  type Case,
  corrupt,
  lazy,
  type ReadAsk,
  type Recipe,
  rejected,
  valid,
  type ValidCase,
} from "../case.ts";
import {
  announcement,
  base,
  bound,
  chat,
  envelope,
  kv,
  lora,
  lowRank,
  model,
  pieces,
  plain,
  provenance,
  receipt,
  ref,
  retrieval,
  second,
  target,
  tok,
} from "../library.ts";
import { flipped } from "../parts.ts";
import { rowScaled } from "../valid/models.ts";
import { everyOperation, quantAdapter, quantBase, targetOf } from "../valid/adapters.ts";

/** The base with a noncritical extension: the same id, another file. */
const twin = lazy(() =>
  valid(
    "valid/closure/base-twin",
    "the base in another file: the same artifact_id, another whole_file",
    {
      ...base().description,
      extensions: [{ id: "lab/note", version: 1, critical: false, payload: {} }],
    },
  )
);
const otherTokenizer = lazy(() =>
  valid(
    "valid/closure/other-tokenizer",
    "another tokenizer",
    tokenizer({ vocabulary: ["c"] }, { kind: "table/1" }),
  )
);
const otherBase = lazy(() =>
  valid("valid/closure/other-base", "another base of the same layout", {
    ...base().description,
    tensors: base().description.tensors!.map((tensor, i) =>
      i === 0 ? { ...tensor, payload: floats(8, 99) } : tensor
    ),
  })
);
/** A base whose last payload byte was damaged after it was written. */
const damaged = lazy(() => {
  const { bytes } = base().artifact;
  return corrupt(
    base(),
    "closure/damaged/base",
    "the base with a bit of its payload turned over: alone it is rejected",
    flipped(bytes, bytes.length - 1, 1),
    [26, "PayloadHashMismatch", "payload"],
  );
});

const accept = (recipe: Recipe, subject: ValidCase, local: string, why: string, ask: ReadAsk) =>
  asked(subject, `${recipe.name}/${local}`, why, ask, {
    verdict: "accept",
    identities: subject.identities,
  });
const reject = (
  recipe: Recipe,
  subject: ValidCase,
  local: string,
  why: string,
  ask: ReadAsk,
  code: Code,
  cites: readonly string[] = [],
) =>
  asked(subject, `${recipe.name}/${local}`, why, ask, rejected([25, code, "manifest"]), { cites });

const family = (): ValidCase[] => [base(), tok(), chat(), lowRank(), second()];

const SENTENCE = "classes-6 Dependencies are checked in manifest order";

const holds: Recipe = {
  name: "closure/holds",
  reason: "closures that hold",
  spec: "classes.md 6",
  cites: ["classes-6 With a resolver (id", "slm2-8.25 then, if a dependency resolver"],
  cases: () => [
    accept(holds, bound(), "composition", "a composition with all that it binds", {
      resolve: family(),
    }),
    accept(holds, bound(), "composition-reversed", "in whatever order they are given", {
      resolve: family().reverse(),
    }),
    accept(
      holds,
      bound(),
      "composition-among-others",
      "with artifacts that nobody asks for, one of them rejected",
      { resolve: [damaged(), kv(), ...family(), envelope()] },
    ),
    accept(
      holds,
      plain(),
      "composition-without-adapters",
      "a composition without template and adapters",
      { resolve: [base(), tok()] },
    ),
    accept(holds, lowRank(), "adapter", "an adapter alone, with its base", { resolve: [base()] }),
    accept(
      holds,
      second(),
      "adapter-with-tokenizer",
      "alone, the adapter's tokenizer is not asked for",
      { resolve: [base()] },
    ),
    accept(holds, everyOperation(), "adapter-every-operation", "each operation over its target", {
      resolve: [base()],
    }),
    accept(holds, quantAdapter(), "adapter-quantized", "an operation over a quantized target", {
      resolve: [quantBase()],
    }),
    {
      ...accept(holds, ofScale(), "adapter-of-scale", "an operation over a scale of the base", {
        resolve: [rowScaled()],
      }),
      cites: ['slm2-decisions "target key not in the base'],
    },
    accept(holds, chat(), "template", "a template and its tokenizer", { resolve: [tok()] }),
    accept(
      holds,
      kv(),
      "kv-cache",
      "one level deep: the composition alone, without what it binds",
      { resolve: [plain()] },
    ),
    accept(holds, retrieval(), "retrieval", "an index and its embedding", { resolve: [plain()] }),
    accept(holds, pieces(), "piece-set", "a piece set and its subject", { resolve: [model()] }),
    accept(holds, envelope(), "envelope", "an envelope and its subject", { resolve: [model()] }),
    accept(holds, provenance(), "provenance", "provenance of any file of its subject", {
      resolve: [model()],
    }),
    accept(holds, receipt(), "receipt", "a receipt and its subject", { resolve: [model()] }),
    accept(holds, announcement(), "announcement", "an announcement and its subject", {
      resolve: [model()],
    }),
    accept(holds, model(), "nothing-asked", "an artifact without dependencies needs none", {
      resolve: [],
    }),
    accept(
      holds,
      lowRank(),
      "right-file-second",
      "two files of one id: the asked one is taken, though it comes second",
      { resolve: [twin(), base()] },
    ),
    accept(holds, lowRank(), "right-file-first", "and though it comes first", {
      resolve: [base(), twin()],
    }),
    accept(
      holds,
      lowRank(),
      "damaged-first",
      "a rejected candidate is none, so the next is taken",
      { resolve: [damaged(), base()] },
    ),
    accept(holds, anyFile(), "any-file", "whole_file null: any file of that id", {
      resolve: [twin()],
    }),
    accept(
      holds,
      plain(),
      "default-policy",
      "a dependency is read under the default policy, not the asker's",
      { resolve: [base(), tok()], policy: { tensor_count: 0, blob_count: 0 } },
    ),
    accept(holds, needy(), "memory-just-enough", "memory_bytes of just what the runtime has", {
      resolve: [],
      runtime_memory: 4096,
    }),
    accept(holds, needy(), "memory-not-given", "memory that nobody told of is not judged", {
      resolve: [],
    }),
    accept(
      holds,
      demanding(),
      "requirements-without-resolver",
      "without a resolver requirements are not judged",
      { runtime_memory: 0 },
    ),
  ],
};

/** An adapter over a base's scale tensor, which is an auxiliary target there. */
const ofScale = lazy(() =>
  valid(
    "valid/closure/adapter-of-scale",
    "an adapter whose target is an auxiliary target of its base",
    adapter(rowScaled().identities, [{
      op: "additive-delta/1",
      target: targetOf(rowScaled(), "ffn-up.0.scale"),
      tensors: {
        delta: { role: "delta", name: "delta", shape: [6], type: "f32", payload: floats(6) },
      },
    }]),
  )
);

const anyFile = lazy(() => {
  const one = adapter(base().identities, [lora(0)]);
  return valid(
    "valid/closure/adapter-any-file",
    "an adapter whose base may be any file of its id",
    {
      ...one,
      body: { ...one.body, base: { ...one.body.base, whole_file: null } },
      dependencies: one.dependencies!.map((entry) => ({ ...entry, whole_file: null })),
    },
  );
});
const needy = lazy(() =>
  valid("valid/closure/memory-4096", "a model that needs 4,096 bytes", {
    ...model().description,
    requirements: { memory_bytes: 4096 },
  })
);
const demanding = lazy(() =>
  valid("valid/closure/feature", "a model that needs a feature", {
    ...model().description,
    requirements: { features: ["lab/feature"] },
  })
);

const missing: Recipe = {
  name: "closure/missing",
  reason: "a dependency that no candidate is",
  spec: "classes.md 6",
  cites: [
    SENTENCE,
    "slm2-8 A dependency's own verdict",
    "slm2-decisions *Section 6 of",
    "classes-6 candidates that are rejected",
    "classes-6 An empty list is a resolver",
  ],
  cases: () => {
    const names = ["base", "tokenizer", "template", "first-adapter", "second-adapter"];
    return [
      ...names.map((name, i) =>
        reject(missing, bound(), `without-${name}`, `a composition without its ${name}`, {
          resolve: family().filter((_, j) => j !== i),
        }, "DependencyMissing")
      ),
      ...[
        lowRank(),
        chat(),
        plain(),
        kv(),
        retrieval(),
        pieces(),
        envelope(),
        provenance(),
        receipt(),
        announcement(),
      ].map((subject) =>
        reject(
          missing,
          subject,
          `empty-class-${subject.identities.class}`,
          "a resolver that finds nothing",
          { resolve: [] },
          "DependencyMissing",
        )
      ),
      reject(missing, lowRank(), "rejected", "the base is there, and damaged", {
        resolve: [damaged()],
      }, "DependencyMissing"),
      reject(missing, lowRank(), "self", "the file itself is no candidate for its base", {
        resolve: [lowRank()],
      }, "DependencyMissing"),
      reject(missing, lowRank(), "other-base", "another base of the same layout", {
        resolve: [otherBase()],
      }, "DependencyMissing"),
    ];
  },
};

const damagedCase: Recipe = {
  name: "closure/damaged",
  reason: "an artifact that was damaged after it was written, for resolvers to find",
  spec: "slm2.md 8, stage 26",
  cites: [],
  cases: () => [damaged()],
};

/** A receipt that says its subject is of another class. */
const misclassed = (artifact_class: number) =>
  valid(
    `valid/closure/receipt-of-class-${artifact_class}`,
    `a receipt that takes a model for class ${artifact_class}`,
    {
      ...receipt().description,
      dependencies: receipt().description.dependencies!.map((entry) => ({
        ...entry,
        artifact_class,
      })),
    },
  );
const ofStandalone = lazy(() =>
  valid(
    "valid/closure/base-called-standalone",
    "a composition that takes its base for a standalone model",
    composition({
      base: { ...ref(base()), class: 1 },
      tokenizer: ref(tok()),
      kv: { max_positions: 4 },
    }),
  )
);

const wrong: Recipe = {
  name: "closure/candidate",
  reason: "a candidate of the right id that is of another class, or another file",
  spec: "classes.md 6",
  cites: [
    SENTENCE,
    "classes-6 of several with the asked id",
    "slm2-decisions *Section 9, `artifact_id`",
  ],
  cases: () => [
    ...[2, 3, 4, 13].map((n) =>
      reject(
        wrong,
        misclassed(n),
        `class-${n}`,
        `the dependency says class ${n}, the candidate is a model`,
        { resolve: [model()] },
        "DependencyClass",
      )
    ),
    reject(
      wrong,
      ofStandalone(),
      "class-of-base",
      "the dependency says class 1, the base is of class 2",
      { resolve: [base(), tok()] },
      "DependencyClass",
    ),
    reject(
      wrong,
      lowRank(),
      "whole-file",
      "the base in another file",
      { resolve: [twin()] },
      "DependencyWholeFile",
    ),
    reject(wrong, bound(), "whole-file-in-composition", "the same in a composition", {
      resolve: [twin(), ...family().slice(1)],
    }, "DependencyWholeFile"),
    reject(
      wrong,
      misclassedTwin(),
      "class-before-file",
      "another class and another file: the class is asked first",
      { resolve: [twin()] },
      "DependencyClass",
    ),
  ],
};

const misclassedTwin = lazy(() =>
  valid("valid/closure/receipt-of-base", "a receipt that takes the base for a tokenizer", {
    artifact_class: 12,
    body: {
      ...(receipt().description.body as object),
      subject: fromHex(base().identities.artifact_id),
      subject_whole_file: fromHex(base().identities.whole_file),
    },
    dependencies: [{
      role: "subject",
      artifact_class: 4,
      id: fromHex(base().identities.artifact_id),
      whole_file: fromHex(base().identities.whole_file),
    }],
  })
);

/** A composition over the base with one adapter. */
const over = (
  local: string,
  why: string,
  one: ValidCase,
  more: Partial<Parameters<typeof composition>[0]> = {},
) =>
  valid(
    `valid/closure/${local}`,
    why,
    composition({
      base: ref(base()),
      tokenizer: ref(tok()),
      adapters: [ref(one)],
      kv: { max_positions: 4 },
      ...more,
    }),
  );

const varied = (
  local: string,
  why: string,
  change: (body: AdapterBody) => AdapterBody,
  from: Description = lowRank().description,
) =>
  valid(`valid/closure/adapter-${local}`, why, { ...from, body: change(from.body as AdapterBody) });

const bindings: Recipe = {
  name: "closure/binding",
  reason: "parts of a composition that are bound to other parts than the composition's",
  spec: "classes.md 6",
  cites: ["classes-6 For an adapter (in a composition"],
  cases: () => {
    const otherChat = valid(
      "valid/closure/template-of-other",
      "a template of another tokenizer",
      template(ref(otherTokenizer()), []),
    );
    const withChat = valid(
      "valid/closure/composition-with-other-template",
      "a composition with a template of another tokenizer",
      composition({
        base: ref(base()),
        tokenizer: ref(tok()),
        chat_template: ref(otherChat),
        kv: { max_positions: 4 },
      }),
    );
    const ofOther = valid(
      "valid/closure/adapter-of-other-base",
      "an adapter of another base",
      adapter(otherBase().identities, [lora(0)]),
    );
    const ofTwin = valid(
      "valid/closure/adapter-of-twin",
      "an adapter of another file of the base",
      adapter(twin().identities, [lora(0)]),
    );
    const layout = varied(
      "other-layout",
      "an adapter of another layout",
      (body) => ({ ...body, base: { ...body.base, layout_id: digestOf(60) } }),
    );
    const ofTokenizer = valid(
      "valid/closure/adapter-of-other-tokenizer",
      "an adapter of another tokenizer",
      adapter(base().identities, [lora(0)], { tokenizer: ref(otherTokenizer()) }),
    );
    const compositions: [ValidCase, ValidCase, Code, string, string][] = [
      [
        over("composition-other-base", "a composition with an adapter of another base", ofOther),
        ofOther,
        "BaseMismatch",
        "other-base",
        "classes-6 For an adapter (in a composition",
      ],
      [
        over(
          "composition-twin",
          "a composition with an adapter of another file of its base",
          ofTwin,
        ),
        ofTwin,
        "BaseMismatch",
        "other-file-of-base",
        "classes-6 For an adapter (in a composition",
      ],
      [
        over("composition-layout", "a composition with an adapter of another layout", layout),
        layout,
        "LayoutMismatch",
        "other-layout",
        "classes-6 layout_id is not",
      ],
      [
        over(
          "composition-tokenizer",
          "a composition with an adapter of another tokenizer",
          ofTokenizer,
        ),
        ofTokenizer,
        "TokenizerMismatch",
        "adapter-of-other-tokenizer",
        "classes-6 only in a composition",
      ],
    ];
    return [
      reject(
        bindings,
        withChat,
        "template-of-other-tokenizer",
        "the template is bound to another tokenizer",
        { resolve: [base(), tok(), otherChat] },
        "TokenizerMismatch",
        ["classes-6 For a template in a composition"],
      ),
      ...compositions.map(([subject, part, code, local, cite]) =>
        reject(bindings, subject, local, subject.reason, { resolve: [base(), tok(), part] }, code, [
          cite,
        ])
      ),
      reject(
        bindings,
        layout,
        "other-layout-alone",
        "an adapter alone whose base has another layout",
        { resolve: [base()] },
        "LayoutMismatch",
        ["classes-6 layout_id is not"],
      ),
      accept(
        bindings,
        ofTokenizer,
        "other-tokenizer-alone",
        "alone, an adapter's tokenizer is bound to nothing",
        { resolve: [base()] },
      ),
    ];
  },
};

type OperationChange = Partial<
  { -readonly [key in keyof AdapterOperation]: AdapterOperation[key] }
>;

/** An adapter over the base whose first operation is changed. */
const operated = (
  local: string,
  why: string,
  operations: readonly OperationParts[],
  change: OperationChange = {},
  on = base(),
) => {
  const from = adapter(on.identities, operations);
  return varied(
    local,
    why,
    (body) => ({
      ...body,
      operations: body.operations.map((one, i) => i === 0 ? { ...one, ...change } : one),
    }),
    from,
  );
};

const own = (name: string, shape: readonly number[], type = "f32") => {
  const size = { f32: 4, u64: 8, i64: 8, f16: 2, u32: 4, f64: 8 }[type]!;
  return { role: name, name, shape, type, payload: ramp(size * shape.reduce((a, b) => a * b, 1)) };
};
const loraOf = (a: readonly number[], b: readonly number[], to = "ffn-up.0"): OperationParts[] => [
  { op: "lora/1", target: target(to), tensors: { a: own("a", a), b: own("b", b) } },
];
const additive = (shape: readonly number[]): OperationParts[] => [
  { op: "additive-delta/1", target: target("ffn-up.0"), tensors: { delta: own("delta", shape) } },
];
const sparse = (
  index: readonly number[],
  value: readonly number[],
  types = ["u64", "f32"],
): OperationParts[] => [
  {
    op: "sparse-delta/1",
    target: target("ffn-up.0"),
    tensors: { index: own("index", index, types[0]), value: own("value", value, types[1]) },
  },
];
const vector = (v: readonly number[], axis: number): OperationParts[] => [
  { op: "multiplicative-vector/1", target: target("ffn-up.0"), tensors: { v: own("v", v) }, axis },
];

const targets: Recipe = {
  name: "closure/target",
  reason: "targets that the base does not have, or has in another shape or type",
  spec: "classes.md 3 and 6",
  cites: ["classes-3 `shape`, `element_type`"],
  cases: () => {
    const up = loraOf([1, 2], [3, 1]);
    const key = { layer: 0, name: "ffn-up.0", role: "ffn-up", subindex_0: -1, subindex_1: -1 };
    const to = (change: Partial<typeof key>) => ({ target: { ...key, ...change } });
    const list: (readonly [Code, string, string, readonly OperationParts[], OperationChange?])[] = [
      ["TargetMissing", "name", "the base has no tensor of that name", up, to({ name: "ffn-up" })],
      ["TargetMissing", "role", "nor of that role", up, to({ role: "ffn-gate" })],
      ["TargetMissing", "layer", "nor on that layer", up, to({ layer: 1 })],
      [
        "TargetMissing",
        "layer-wraps",
        "a layer that 32 bits would take for 0",
        up,
        to({ layer: 2 ** 32 }),
      ],
      ["TargetMissing", "subindex-0", "nor of that subindex", up, to({ subindex_0: 0 })],
      ["TargetMissing", "subindex-1", "nor of that subindex", up, to({ subindex_1: 0 })],
      ["TargetShape", "shape", "another shape than the target's", up, { shape: [3, 3] }],
      ["TargetShape", "shape-transposed", "the target's the other way round", up, {
        shape: [2, 3],
      }],
      ["TargetShape", "shape-short", "one dimension of two", up, { shape: [3] }],
      ["TargetShape", "shape-long", "a dimension of one more", up, { shape: [3, 2, 1] }],
      ["TargetShape", "shape-empty", "no dimension", up, { shape: [] }],
      ["TargetShape", "shape-huge", "a dimension of 2^64 - 1", up, {
        shape: [3, 2n ** 64n - 1n as unknown as number],
      }],
      ["TargetShape", "lora-in", "a has another number of columns", loraOf([1, 3], [3, 1])],
      ["TargetShape", "lora-out", "b has another number of rows", loraOf([1, 2], [2, 1])],
      ["TargetShape", "lora-rank-of-b", "b has another rank than a", loraOf([1, 2], [3, 2])],
      ["TargetShape", "lora-rank", "the operation says another rank", up, { rank: 2 }],
      ["TargetShape", "lora-transposed", "a and b the other way round", loraOf([2, 1], [1, 3])],
      ["TargetShape", "lora-vectors", "operands of one dimension", loraOf([2], [3])],
      [
        "TargetShape",
        "lora-of-norm",
        "lora/1 over a target of rank 1",
        loraOf([1, 2], [2, 1], "final-norm"),
      ],
      ["TargetShape", "additive-transposed", "a delta the other way round", additive([2, 3])],
      ["TargetShape", "additive-flat", "a delta in one row", additive([6])],
      ["TargetShape", "additive-larger", "a delta of one row more", additive([4, 2])],
      ["TargetShape", "sparse-lengths", "more values than indexes", sparse([2], [3])],
      ["TargetShape", "sparse-index-rank", "indexes of rank 2", sparse([2, 1], [2])],
      ["TargetShape", "sparse-value-rank", "values of rank 2", sparse([2], [2, 1])],
      ["TargetShape", "sparse-both-rank", "both of rank 2", sparse([1, 2], [1, 2])],
      ["TargetShape", "sparse-scalar", "both scalars", sparse([], [])],
      ["TargetShape", "sparse-index-type", "indexes of i64", sparse([2], [2], ["i64", "f32"])],
      ["TargetShape", "sparse-index-u32", "indexes of u32", sparse([2], [2], ["u32", "f32"])],
      ["TargetShape", "sparse-value-type", "values of f16", sparse([2], [2], ["u64", "f16"])],
      ["TargetShape", "vector-length", "a vector of the other axis", vector([2], 0)],
      ["TargetShape", "vector-axis-2", "an axis that a matrix does not have", vector([2], 2)],
      ["TargetShape", "vector-axis-max", "an axis of 2^63 - 1", vector([2], 1), {
        axis: 2n ** 63n - 1n as unknown as number,
      }],
      ["TargetShape", "vector-rank", "a vector of rank 2", vector([3, 1], 0)],
      ["TargetQuant", "element-type", "f16 for a target of f32", up, { element_type: 2 }],
      ["TargetQuant", "element-type-0", "type 0 for a target of f32", up, { element_type: 0 }],
      ["TargetQuant", "claimed-quantized", "a profile for a target of f32", up, {
        element_type: 256,
        profile: profileOf("q8-0.b32.row"),
        kernel_contract: 1,
      }],
    ];
    const q = quantBase(),
      quant = () =>
        adapter(q.identities, [{
          op: "lora/1",
          target: targetOf(q, "ffn-up.0"),
          tensors: { a: own("a", [1, 8]), b: own("b", [6, 1]) },
        }]);
    const quantized: (readonly [string, string, OperationChange])[] = [
      ["other-profile", "another registered profile", { profile: profileOf("q8-0.b32.pad") }],
      ["unknown-profile", "a profile that is none", { profile: digestOf(61) }],
      ["contract-2", "another kernel contract", { kernel_contract: 2 }],
      ["contract-max", "a kernel contract of 2^64 - 1", {
        kernel_contract: 2n ** 64n - 1n as unknown as number,
      }],
      ["claimed-dense", "f32 for a quantized target", {
        element_type: 1,
        profile: new Uint8Array(32),
        kernel_contract: 0,
      }],
    ];
    const CITE: { readonly [code: string]: string } = {
      TargetMissing: "classes-6 then per operation",
      TargetShape: "classes-6 `shape` not the target's",
      TargetQuant: "classes-6 `element_type`, `profile`",
    };
    return [
      ...list.map(([code, local, why, operations, change]) =>
        reject(
          targets,
          operated(local, why, operations, change),
          local,
          why,
          { resolve: [base()] },
          code,
          [CITE[code]],
        )
      ),
      ...quantized.map(([local, why, change]) =>
        reject(
          targets,
          varied(
            `quantized-${local}`,
            why,
            (body) => ({
              ...body,
              operations: body.operations.map((one) => ({ ...one, ...change })),
            }),
            quant(),
          ),
          `quantized-${local}`,
          why,
          { resolve: [q] },
          "TargetQuant",
          [CITE.TargetQuant],
        )
      ),
      (() => {
        const faulty = operated(
          "in-composition",
          "an adapter of a target that the base does not have",
          up,
          to({ name: "ffn-up" }),
        );
        return reject(
          targets,
          over("composition-target", "a composition with such an adapter", faulty),
          "in-composition",
          "the same in a composition",
          { resolve: [base(), tok(), faulty] },
          "TargetMissing",
          [CITE.TargetMissing],
        );
      })(),
    ];
  },
};

const profileOf = (name: string) => profileId(name, profileBody(REGISTERED.get(name)!));

const runtime: Recipe = {
  name: "closure/runtime",
  reason: "requirements that a runtime does not meet, asked last and only with a resolver",
  spec: "classes.md 6",
  cites: ["classes-6 Last, of this file's own"],
  cases: () => {
    const most = valid("valid/closure/memory-2-64", "a model that needs 2^64 - 1 bytes", {
      ...model().description,
      requirements: { memory_bytes: 2n ** 64n - 1n },
    });
    return [
      reject(
        runtime,
        demanding(),
        "feature",
        "a feature that is not registered",
        { resolve: [] },
        "RuntimeCapability",
      ),
      reject(
        runtime,
        needy(),
        "memory",
        "one byte too few",
        { resolve: [], runtime_memory: 4095 },
        "RuntimeCapability",
      ),
      reject(
        runtime,
        needy(),
        "memory-0",
        "no memory at all",
        { resolve: [], runtime_memory: 0 },
        "RuntimeCapability",
      ),
      reject(runtime, most, "memory-most", "2^53 - 1 bytes for 2^64 - 1", {
        resolve: [],
        runtime_memory: Number.MAX_SAFE_INTEGER,
      }, "RuntimeCapability"),
    ];
  },
};

/** Every valid case that the recipes above made on their way. */
const subjects: Recipe = {
  name: "valid/closure",
  reason: "files that are accepted alone; with a resolver some of them are not",
  spec: "classes.md 6",
  cites: ["classes-6 With a resolver (id"],
  cases: () => {
    const all = [holds, missing, wrong, bindings, targets, runtime].flatMap((
      { cases },
    ) => [...cases()]);
    const found = new Map<string, Case>();
    const keep = (one: Case) => one.id.startsWith("valid/closure/") && found.set(one.id, one);
    for (const one of all) {
      if (one.subject) keep(one.subject);
      if (one.op === "read") one.ask?.resolve?.forEach(keep);
    }
    return [...found.values()];
  },
};

export const closure: readonly Recipe[] = [
  subjects,
  damagedCase,
  holds,
  missing,
  wrong,
  bindings,
  targets,
  runtime,
];
