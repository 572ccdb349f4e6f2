/** Artifacts that closures are made of, and how a closure is asked about. */
import type { Code } from "../../../readers/contract.ts";
import type { AdapterBody } from "../../writer/bodies.ts";
import { adapter } from "../../writer/build/adapter.ts";
import { composition } from "../../writer/build/composition.ts";
import { tokenizer } from "../../writer/build/tokenizer.ts";
import type { Description } from "../../writer/description.ts";
import { fromHex } from "../../writer/identity.ts";
import { floats } from "../bytes.ts";
import {
  asked,
  corrupt,
  lazy,
  type ReadAsk,
  type Recipe,
  rejected,
  valid,
  type ValidCase,
} from "../case.ts";
import { base, chat, lora, lowRank, model, receipt, ref, second, tok } from "../library.ts";
import { flipped } from "../parts.ts";
import { targetOf } from "../valid/adapters.ts";
import { rowScaled } from "../valid/models.ts";

/** The base with a noncritical extension: the same id, another file. */
export const twin = lazy(() =>
  valid(
    "valid/closure/base-twin",
    "the base in another file: the same artifact_id, another whole_file",
    {
      ...base().description,
      extensions: [{ id: "lab/note", version: 1, critical: false, payload: {} }],
    },
  )
);

export const otherTokenizer = lazy(() =>
  valid(
    "valid/closure/other-tokenizer",
    "another tokenizer",
    tokenizer({ vocabulary: ["c"] }, { kind: "table/1" }),
  )
);

export const otherBase = lazy(() =>
  valid("valid/closure/other-base", "another base of the same layout", {
    ...base().description,
    tensors: base().description.tensors!.map((tensor, i) =>
      i === 0 ? { ...tensor, payload: floats(8, 99) } : tensor
    ),
  })
);

/** A base whose last payload byte was damaged after it was written. */
export const damaged = lazy(() => {
  const { bytes } = base().artifact;
  return corrupt(
    base(),
    "closure/damaged/base",
    "the base with a bit of its payload turned over: alone it is rejected",
    flipped(bytes, bytes.length - 1, 1),
    [26, "PayloadHashMismatch", "payload"],
  );
});

export const accept = (
  recipe: Recipe,
  subject: ValidCase,
  local: string,
  why: string,
  ask: ReadAsk,
) =>
  asked(subject, `${recipe.name}/${local}`, why, ask, {
    verdict: "accept",
    identities: subject.identities,
  });

export const reject = (
  recipe: Recipe,
  subject: ValidCase,
  local: string,
  why: string,
  ask: ReadAsk,
  code: Code,
  cites: readonly string[] = [],
) =>
  asked(subject, `${recipe.name}/${local}`, why, ask, rejected([25, code, "manifest"]), { cites });

export const family = (): ValidCase[] => [base(), tok(), chat(), lowRank(), second()];

export const SENTENCE = "classes-6 Dependencies are checked in manifest order";

/** An adapter over a base's scale tensor, which is an auxiliary target there. */
export const ofScale = lazy(() =>
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

export const anyFile = lazy(() => {
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

export const needy = lazy(() =>
  valid("valid/closure/memory-4096", "a model that needs 4,096 bytes", {
    ...model().description,
    requirements: { memory_bytes: 4096 },
  })
);

export const demanding = lazy(() =>
  valid("valid/closure/feature", "a model that needs a feature", {
    ...model().description,
    requirements: { features: ["lab/feature"] },
  })
);

/** A receipt that says its subject is of another class. */
export const misclassed = (artifact_class: number) =>
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

export const ofStandalone = lazy(() =>
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

export const misclassedTwin = lazy(() =>
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
export const over = (
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

export const varied = (
  local: string,
  why: string,
  change: (body: AdapterBody) => AdapterBody,
  from: Description = lowRank().description,
) =>
  valid(`valid/closure/adapter-${local}`, why, { ...from, body: change(from.body as AdapterBody) });

/** An adapter that is bound to the twin's file. */
export const adapterOfTwin = lazy(() =>
  valid(
    "valid/closure/adapter-of-twin",
    "an adapter of another file of the base",
    adapter(twin().identities, [lora(0)]),
  )
);
