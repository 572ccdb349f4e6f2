/**
 * A tiny model with tokenizer, template, adapter and composition that belong together: what an
 * artifact of a campaign needs around it before a runtime can admit it.
 */
import { adapter } from "../../corpus/writer/build/adapter.ts";
import { composition } from "../../corpus/writer/build/composition.ts";
import { llama, llamaSlots, slotName } from "../../corpus/writer/build/model.ts";
import { template } from "../../corpus/writer/build/template.ts";
import { tokenizer } from "../../corpus/writer/build/tokenizer.ts";
import type { LlamaParameters } from "../../corpus/writer/bodies.ts";
import type { Description, Reference } from "../../corpus/writer/description.ts";
import { isWriteError } from "../../corpus/writer/fault.ts";
import { write, type Written } from "../../corpus/writer/write.ts";
import { Random } from "../../mutators/random.ts";

/** Small enough that all its tensors together stay under two KiB. */
const SHAPE: LlamaParameters = {
  dim: 4,
  head_dim: 2,
  heads: 2,
  hidden_dim: 4,
  kv_heads: 1,
  layers: 2,
  max_seq: 16,
  norm_eps: [1, 100000],
  rope_style: 0,
  rope_theta: [10000, 1],
  tied_output: true,
  vocab: 6,
};

const POSITIONS = 16;

/** The parts of the house, each as it was written. */
export interface House {
  readonly base: Written;
  readonly tokenizer: Written;
  readonly template: Written;
  readonly adapter: Written;
  readonly composition: Written;
}

function written(description: Description): Written {
  const result = write(description);
  if (isWriteError(result)) throw new Error(`${result.code} at ${result.where}`);
  return result;
}

/** f32 elements in (-1, 1). */
function floats(shape: readonly number[], random: Random): Uint8Array {
  const count = shape.reduce((product, n) => product * n, 1);
  return new Uint8Array(
    Float32Array.from({ length: count }, () => random.u32() / 2 ** 31 - 1).buffer,
  );
}

/** Builds it; the same at every call. */
export function buildHouse(): House {
  const random = new Random(1);
  const tensors = llamaSlots(SHAPE).map((slot) => ({
    role: slot.role,
    layer: slot.layer,
    name: slotName(slot),
    shape: slot.shape,
    type: "f32",
    payload: floats(slot.shape, random),
  }));
  const base = written(llama(SHAPE, tensors));
  const words = written(tokenizer({
    vocabulary: ["a", "b", "ab", " ", "<s>", "</s>"],
    added_tokens: [{ id: 4, flags: 1 }, { id: 5, flags: 1 }],
  }, { kind: "table/1", bos: { auto: true, id: 4 } }));
  const chat = written(template(words.identities, [
    "a",
    { for_each_message: [{ do: "role" }, " ", { do: "content" }, { token: 5 }] },
    { do: "generation_marker" },
  ], { roles: ["a", "b"], generation_marker: 4 }));
  const target = tensors.find(({ role }) => role === "attention-q")!;
  const operand = (name: string, shape: number[]) => ({
    role: "operand",
    name,
    shape,
    type: "f32",
    payload: floats(shape, random),
  });
  const change = written(adapter(base.identities, [{
    op: "lora/1",
    target,
    tensors: { a: operand("a", [1, 4]), b: operand("b", [4, 1]) },
    scale: [1, 2],
  }]));
  const parts = {
    base: base.identities,
    tokenizer: words.identities,
    chat_template: chat.identities,
    adapters: [change.identities],
  };
  return {
    base,
    tokenizer: words,
    template: chat,
    adapter: change,
    composition: written(bind(parts)),
  };
}

/** A composition of these parts. */
export function bind(parts: {
  readonly base: Reference;
  readonly tokenizer: Reference;
  readonly chat_template?: Reference;
  readonly adapters?: readonly Reference[];
}): Description {
  return composition({ ...parts, kv: { max_positions: POSITIONS } });
}
