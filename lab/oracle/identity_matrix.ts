/**
 * Oracle: a change of one field moves exactly the identities that hold it (section 9). An accepted
 * artifact is written again with one thing changed, and each reader's identities before and after
 * are held against what must differ, as the golden corpus does with its pairs.
 */
import { type Column, COLUMNS, identityFaults } from "../../corpus/recipes/identity_columns.ts";
import type { Description, ItemMap } from "../../corpus/writer/description.ts";
import { isMap, type Item } from "../../corpus/writer/cbor.ts";
import { isWriteError } from "../../corpus/writer/fault.ts";
import { write } from "../../corpus/writer/write.ts";
import type { Identities, Reader } from "../../readers/contract.ts";
import { memorySource } from "../../readers/source.ts";
import { clause } from "./clauses.ts";
import type { Finding, Observation } from "./oracle.ts";
import { describe } from "./rewrites.ts";

const NAME = "identity-matrix";

/** Where section 9 says what an identity holds. */
const CLAUSES: { readonly [column in Column]: string } = {
  whole_file: "slm2-9-8",
  manifest: "slm2-9-9",
  semantic_manifest: "slm2-9-10",
  tensors: "slm2-9-12",
  blobs: "slm2-9-14",
  tensor_layout: "slm2-9-18",
  artifact_id: "slm2-9-22",
  profiles: "slm2-9-24",
};

/** One change, and all that must differ afterwards. */
export interface Change {
  readonly name: string;
  readonly differ: readonly Column[];
  /** null where the artifact has nothing of the kind */
  readonly change: (description: Description) => Description | null;
}

const MANIFEST: readonly Column[] = ["whole_file", "manifest", "semantic_manifest", "artifact_id"];
const COMPOSITION = 6, ANNOUNCEMENT = 13;
/** Blobs of text that nothing is read from: template.literal, notice.text, evaluation.report. */
const TEXTS: readonly number[] = [16, 48, 80];

/** The body with another value under one key. */
function withBody(
  description: Description,
  key: string,
  change: (value: Item) => Item | null,
): Description | null {
  const body = new Map<string, Item>(
    description.body instanceof Map ? description.body : Object.entries(description.body),
  );
  const before = body.get(key);
  const after = before === undefined ? null : change(before);
  return after === null ? null : { ...description, body: body.set(key, after) as ItemMap };
}

/** One element of a list changed; null where `change` finds none. */
function changed<T>(
  list: readonly T[] | undefined,
  change: (one: T) => T | null,
): readonly T[] | null {
  for (const [i, one] of (list ?? []).entries()) {
    const after = change(one);
    if (after !== null) return list!.with(i, after);
  }
  return null;
}

const flipped = (bytes: Uint8Array, bit: number): Uint8Array => bytes.with(0, bytes[0] ^ bit);

export const CHANGES: readonly Change[] = [
  { name: "nothing", differ: [], change: (description) => description },
  {
    name: "noncritical-extension",
    differ: ["whole_file", "manifest"],
    change: (description) => ({
      ...description,
      extensions: [
        ...description.extensions ?? [],
        { id: "lab/note", version: 1, critical: false, payload: new Map([["a", 1]]) },
      ],
    }),
  },
  {
    name: "requirements",
    differ: MANIFEST,
    change: (description) => {
      const { features, memory_bytes = 0 } = description.requirements ?? {};
      const other = Number(memory_bytes) === 1 ? 2 : 1;
      return { ...description, requirements: { features, memory_bytes: other } };
    },
  },
  {
    name: "payload-byte",
    differ: ["whole_file", "artifact_id", "tensors"],
    change(description) {
      // only a dense one: of others, a padded lane has one code
      const tensors = changed(
        description.tensors,
        (tensor) =>
          /^[a-z]+\d+$/.test(tensor.type) && tensor.payload instanceof Uint8Array
            ? { ...tensor, payload: flipped(tensor.payload, 1) }
            : null,
      );
      return tensors && { ...description, tensors };
    },
  },
  {
    name: "tensor-alignment",
    differ: ["whole_file"],
    change(description) {
      const tensors = changed(description.tensors, (tensor) => ({
        ...tensor,
        alignment: tensor.alignment === 128 ? 256 : 128,
      }));
      return tensors && { ...description, tensors };
    },
  },
  {
    name: "blob-alignment",
    differ: ["whole_file"],
    change(description) {
      const blobs = changed(description.blobs, (blob) => ({
        ...blob,
        alignment: blob.alignment === 128 ? 256 : 128,
      }));
      return blobs && { ...description, blobs };
    },
  },
  {
    name: "blob-byte",
    differ: ["whole_file", "artifact_id", "blobs"],
    change(description) {
      const blobs = changed(
        description.blobs,
        (blob) =>
          TEXTS.includes(blob.kind) && blob.payload instanceof Uint8Array && blob.payload[0] < 0x80
            ? { ...blob, payload: flipped(blob.payload, 1) }
            : null,
      );
      return blobs && { ...description, blobs };
    },
  },
  {
    name: "layer",
    differ: ["whole_file", "tensor_layout", "artifact_id"],
    change: (description) =>
      ofPack(description, (tensor) => ({ ...tensor, layer: (tensor.layer ?? -1) + 1 })),
  },
  {
    name: "name",
    differ: ["whole_file", "tensor_layout", "artifact_id", "tensors"],
    change: (description) =>
      ofPack(description, (tensor) => ({ ...tensor, name: `${tensor.name}-x` })),
  },
  {
    name: "rank",
    differ: ["whole_file", "tensor_layout", "artifact_id", "tensors"],
    change: (description) =>
      ofPack(
        description,
        (tensor) => tensor.shape.length < 8 ? { ...tensor, shape: [1, ...tensor.shape] } : null,
      ),
  },
  {
    name: "display-text",
    differ: MANIFEST,
    change: (description) =>
      description.artifact_class === ANNOUNCEMENT
        ? withBody(description, "display_name", (name) => `${name}.`)
        : null,
  },
  {
    name: "generation",
    differ: MANIFEST,
    change: (description) =>
      description.artifact_class !== COMPOSITION
        ? null
        : withBody(description, "generation", (policy) => {
          if (!isMap(policy)) return null;
          const entries = policy instanceof Map ? [...policy] : Object.entries(policy);
          return new Map<string, Item>(
            entries.map(([key, value]) => [key, key === "top_k" ? value === 1 ? 2 : 1 : value]),
          );
        }),
  },
  {
    name: "composition-tokenizer-file",
    differ: ["whole_file", "manifest", "semantic_manifest"],
    change(description) {
      if (description.artifact_class !== COMPOSITION) return null;
      const dependencies = changed(
        description.dependencies,
        (one) =>
          one.role === "tokenizer" && one.whole_file
            ? { ...one, whole_file: flipped(one.whole_file, 1) }
            : null,
      );
      return dependencies && { ...description, dependencies };
    },
  },
];

type Tensor = NonNullable<Description["tensors"]>[number];

/** The one dense tensor of a tensor pack changed: of several, another order could move more. */
function ofPack(
  description: Description,
  change: (tensor: Tensor) => Tensor | null,
): Description | null {
  const { tensors = [], auxiliaries = [], artifact_class } = description;
  const [tensor] = tensors;
  if (artifact_class > 2 || tensors.length !== 1 || auxiliaries.length > 0) return null;
  if (!/^[a-z]+\d+$/.test(tensor.type)) return null;
  const after = change(tensor);
  return after && { ...description, tensors: [after] };
}

/** What is wrong with the first acceptance of an observation; every reader reads what is written. */
export function identityMatrix(changes: readonly Change[] = CHANGES) {
  return ({ bytes, seen }: Observation): Finding | null => {
    const first = seen.find(({ candidate }) => candidate !== undefined);
    if (!first) return null;
    const description = describe(bytes, first.candidate!());
    for (const { name, differ, change } of changes) {
      const after = change(description);
      const written = after && write(after);
      if (!written || isWriteError(written)) continue; // not every artifact can be changed so
      for (const { reader, outcome } of seen) {
        if (!("identities" in outcome)) continue;
        const finding = held(reader, { name, differ }, outcome.identities, written.bytes);
        if (finding !== null) return finding;
      }
    }
    return null;
  };
}

function held(
  reader: Reader,
  row: Pick<Change, "name" | "differ">,
  before: Identities,
  file: Uint8Array,
): Finding | null {
  const { verdict } = reader.read({ source: memorySource(file), pieces: false });
  if (verdict.verdict === "reject") {
    return {
      oracle: NAME,
      class: "disagreement",
      key: `${NAME} ${row.name} ${reader.name} ${verdict.stage} ${verdict.code}`,
      detail: `${reader.name} rejects what the writer makes of it: ${JSON.stringify(verdict)}`,
      clause: clause("slm2-0-1"),
    };
  }
  const wrong = COLUMNS.find((column) =>
    identityFaults(row, before, verdict.identities).includes(column)
  );
  if (wrong === undefined) return null;
  const must = row.differ.includes(wrong) ? "must differ" : "must not differ";
  return {
    oracle: NAME,
    class: "disagreement",
    key: `${NAME} ${row.name} ${reader.name} ${wrong}`,
    detail: `${reader.name}: after ${row.name}, ${wrong} ${must}\n` +
      `before: accept ${JSON.stringify(before)}\n` +
      `after: accept ${JSON.stringify(verdict.identities)}`,
    clause: clause(CLAUSES[wrong]),
  };
}
