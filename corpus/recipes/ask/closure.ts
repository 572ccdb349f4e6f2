/** Stage 25 with a resolver: dependency closure (classes.md section 6). */
import { composition } from "../../writer/build/composition.ts";
import type { Code } from "../../../readers/contract.ts";
import type { Case, Recipe } from "../case.ts";
import {
  announcement,
  base,
  bound,
  chat,
  envelope,
  kv,
  lowRank,
  model,
  pieces,
  plain,
  provenance,
  receipt,
  retrieval,
  second,
  tok,
} from "../library.ts";
import { everyOperation, quantAdapter, quantBase } from "../valid/adapters.ts";
import { rowScaled } from "../valid/models.ts";
import { bindings, runtime } from "./closure_bindings.ts";
import { everyTarget, targets } from "./closure_targets.ts";
import {
  accept,
  anyFile,
  damaged,
  demanding,
  family,
  misclassed,
  misclassedTwin,
  needy,
  ofScale,
  ofStandalone,
  otherBase,
  reject,
  SENTENCE,
  twin,
} from "./closure_world.ts";
import { adapterOfTwin } from "./closure_world.ts";
import { over } from "./closure_world.ts";
import { type ValidCase } from "../case.ts";
import { type ReadAsk } from "../case.ts";
import { valid } from "../case.ts";
import { ref } from "../library.ts";

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

const order: Recipe = {
  name: "closure/order",
  reason: "two faults at once: dependencies in the order of the manifest, each to its end",
  spec: "classes.md 6",
  cites: [SENTENCE],
  cases: () => {
    const ofTwin = adapterOfTwin(),
      bad = over(
        "composition-twin",
        "a composition with an adapter of another file of its base",
        ofTwin,
      );
    const two = (subject: ValidCase, local: string, why: string, ask: ReadAsk, code: Code) => ({
      ...reject(order, subject, local, why, ask, code),
      tags: ["two-faults"],
    });
    const both = valid(
      "valid/closure/two-adapters-of-twin",
      "a composition with an adapter of another file of its base, and one more",
      composition({
        base: ref(base()),
        tokenizer: ref(tok()),
        adapters: [ref(ofTwin), ref(lowRank())],
        kv: { max_positions: 4 },
      }),
    );
    const needing = valid("valid/closure/adapter-and-feature", "an adapter that needs a feature", {
      ...lowRank().description,
      requirements: { features: ["lab/feature"] },
    });
    return [
      two(bound(), "file-before-missing", "the base in another file, and no tokenizer", {
        resolve: [twin(), chat(), lowRank(), second()],
      }, "DependencyWholeFile"),
      two(bound(), "missing-before-file", "no tokenizer, and no adapter", {
        resolve: [base(), chat()],
      }, "DependencyMissing"),
      two(
        both,
        "adapter-before-missing",
        "an adapter of another file of the base, and the next adapter missing",
        { resolve: [base(), tok(), ofTwin] },
        "BaseMismatch",
      ),
      two(
        bad,
        "missing-before-adapter",
        "no tokenizer, and an adapter of another file of the base",
        { resolve: [base(), ofTwin] },
        "DependencyMissing",
      ),
      two(needing, "missing-before-feature", "no base, and a feature that is not registered", {
        resolve: [],
      }, "DependencyMissing"),
      two(
        needing,
        "feature-last",
        "the base is there: the feature is not",
        { resolve: [base()] },
        "RuntimeCapability",
      ),
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
    const all = [holds, missing, wrong, bindings, targets, everyTarget, runtime, order].flatMap((
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
  everyTarget,
  runtime,
  order,
];
