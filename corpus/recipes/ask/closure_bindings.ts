/** Stage 25 with a resolver: parts bound to other parts, and what a runtime lacks. */
import type { Code } from "../../../readers/contract.ts";
import { adapter } from "../../writer/build/adapter.ts";
import { composition } from "../../writer/build/composition.ts";
import { template } from "../../writer/build/template.ts";
import { digestOf } from "../bytes.ts";
import { type Recipe, valid, type ValidCase } from "../case.ts";
import { base, lora, model, ref, tok } from "../library.ts";
import {
  accept,
  demanding,
  needy,
  otherBase,
  otherTokenizer,
  over,
  reject,
  varied,
} from "./closure_world.ts";
import { adapterOfTwin } from "./closure_world.ts";

export const bindings: Recipe = {
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
    const ofTwin = adapterOfTwin();
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

export const runtime: Recipe = {
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
