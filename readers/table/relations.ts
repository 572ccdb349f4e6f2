/** Step 6 after a manifest: the *Relations* of each class's section, in the order written. */
import type { Artifact } from "./artifact.ts";
import type { Fault } from "./fault.ts";
import { BF16, F16, F32, H, QUANTIZED } from "./layouts.ts";
import { MAX } from "./limits.ts";
import type { Item } from "./manifest.ts";
import { PIECE_SIZE } from "./schema.ts";
import { fault18, fraction } from "./shapes.ts";
import { templateRelations } from "./template.ts";

const RELATIONS: ReadonlyMap<number, (artifact: Artifact) => Fault> = new Map([
  [1, (a) => model(a, false)],
  [2, (a) => model(a, true)],
  [3, adapter],
  [4, tokenizer],
  [5, (a) => templateRelations(a.manifest, a.body, a.header.get(0, H.blob_count))],
  [6, composition],
  [9, pieceSet],
]);

export function relationFault(artifact: Artifact): Fault {
  return RELATIONS.get(artifact.artifactClass)?.(artifact) ?? null;
}

function rule(holds: boolean, at: Item, expected: string): Fault {
  return holds ? null : fault18("BadValue", at, expected);
}

/** Section 2. */
function model(a: Artifact, isBase: boolean): Fault {
  const dependents = a.get("dependents");
  return rule(a.manifest.isTrue(dependents) === isBase, dependents, String(isBase));
}

/** Section 3. */
function adapter(a: Artifact): Fault {
  const m = a.manifest;
  let previous: number | bigint = -1;
  return m.each(a.get("operations"), (item) => {
    const at = (key: string) => m.get(item, key);
    const n = (key: string) => m.integer(at(key));
    const op = at("op");
    const isLora = m.isText(op, "lora/1");
    const isVector = m.isText(op, "multiplicative-vector/1");
    const isDense = m.string(at("profile")).every((byte) => byte === 0);
    const before = previous;
    previous = n("order");
    return rule(n("order") > before, at("order"), "more than the one before") ??
      rule(isLora ? n("rank") >= 1 : n("rank") === 0, at("rank"), "0, or >= 1 for lora/1") ??
      rule(
        isVector ? n("axis") >= 0 : n("axis") === -1,
        at("axis"),
        "-1, or >= 0 for multiplicative-vector/1",
      ) ??
      rule(
        isDense === (n("element_type") !== QUANTIZED),
        at("profile"),
        "nonzero exactly if element_type is 256",
      ) ??
      rule(
        (n("kernel_contract") === 0) === isDense,
        at("kernel_contract"),
        "0 exactly if profile is zero",
      );
  });
}

/** Section 4. */
function tokenizer(a: Artifact): Fault {
  const m = a.manifest;
  const size = m.integer(a.get("vocab_size"));
  const inVocabulary = (at: Item) => rule(m.integer(at) < size, at, "an id below vocab_size");
  const orNull = (at: Item) => m.isNull(at) ? null : inVocabulary(at);
  const auto = (special: string) =>
    rule(
      !m.isTrue(a.get(special, "auto")) || !m.isNull(a.get(special, "id")),
      a.get(special, "auto"),
      "auto only with an id",
    );
  const policy = a.get("unknown", "policy");
  return orNull(a.get("bos", "id")) ?? orNull(a.get("eos", "id")) ??
    orNull(a.get("unknown", "id")) ??
    m.eachEntry(a.get("roles"), (_, id) => inVocabulary(id)) ??
    m.each(a.get("stop_tokens"), inVocabulary) ?? auto("bos") ?? auto("eos") ??
    rule(
      !m.isText(policy, "token") || !m.isNull(a.get("unknown", "id")),
      policy,
      "token only with unknown.id",
    ) ??
    rule(
      !m.isText(policy, "bytes") || m.isTrue(a.get("byte_fallback")),
      policy,
      "bytes only with byte_fallback",
    );
}

/** Section 6. */
const MAX_ADAPTERS = 32;
const KV_TYPES: readonly (number | bigint)[] = [F32, F16, BF16];
function composition(a: Artifact): Fault {
  const m = a.manifest;
  const adapters = a.get("adapters");
  const tooMany = rule(m.count(adapters) <= MAX_ADAPTERS, adapters, "at most 32 adapters");
  if (tooMany !== null) return tooMany;
  const seen: Item[] = [];
  const repeated = m.each(adapters, (item) => {
    const isNew = !seen.some((other) => m.same(other, item));
    seen.push(item);
    return rule(isNew, item, "distinct adapters");
  });
  const temperature = a.get("generation", "temperature");
  const topP = a.get("generation", "top_p");
  const [p, q] = fraction(m, topP);
  const kvType = a.get("kv", "element_type");
  return repeated ?? rule(fraction(m, temperature)[0] >= 0n, temperature, ">= 0") ??
    rule(p > 0n && p <= q, topP, "in (0, 1]") ??
    rule(KV_TYPES.includes(m.integer(kvType)), kvType, "1, 2 or 3");
}

/** Section 7. */
function pieceSet(a: Artifact): Fault {
  const m = a.manifest;
  const at = a.get("subject_bytes");
  const bytes = m.integer(at);
  if (bytes < 1 || bytes > MAX) return rule(false, at, "1 to 2^53 - 1");
  const pieces = Math.ceil(Number(bytes) / PIECE_SIZE);
  const count = a.get("piece_count");
  return rule(m.integer(count) === pieces, count, String(pieces));
}
