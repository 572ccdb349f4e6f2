/** Dependency closure (`classes.md` section 6): stage 25 where a resolver is given. */
import type { Code, Dependency, Hex, Identities } from "../contract.ts";
import type { Accepted, Artifact } from "./artifact.ts";
import { type Fault, reject } from "./fault.ts";
import { hex } from "./fields.ts";
import { wholeFile } from "./hash.ts";
import { Input } from "./input.ts";
import type { Item } from "./manifest.ts";
import { targetFault } from "./operations.ts";

type Fail = (code: Code, expected: string, at?: Item) => Fault;

/** What a dependency entry resolves to: accepted, or known by its whole_file not to be it. */
type Found = Accepted | "damaged";

/** The artifacts that may be found, each read at most once. */
class Store {
  readonly #read = new Map<Dependency, Accepted | null>();

  constructor(readonly artifact: Artifact, readonly list: readonly Dependency[]) {}

  /** Of several with the asked id one with the asked whole_file, else the first given. */
  find(id: Hex, asked: Hex | null): Found | null {
    let first: Found | null = null;
    for (const entry of this.list) {
      const found = entry.claimed_id === undefined
        ? this.#byContent(entry, id)
        : entry.claimed_id === id
        ? this.#byClaim(entry, asked)
        : null;
      if (found === null) continue;
      first ??= found;
      const isAsked = found !== "damaged" &&
        (asked === null || found.identities.whole_file === asked);
      if (isAsked) return found;
    }
    return first;
  }

  #byContent(entry: Dependency, id: Hex): Accepted | null {
    const accepted = this.#accepted(entry);
    return accepted?.identities.artifact_id === id ? accepted : null;
  }

  /** Decision 1: where a whole_file is asked, it is compared before the file is read. */
  #byClaim(entry: Dependency, asked: Hex | null): Found | null {
    if (asked !== null) {
      const actual = this.#wholeFile(entry);
      if (actual === null) return null;
      if (actual !== asked) return "damaged";
    }
    return this.#accepted(entry);
  }

  #accepted(entry: Dependency): Accepted | null {
    let accepted = this.#read.get(entry);
    if (accepted === undefined) {
      accepted = this.artifact.readOther(entry.source);
      this.#read.set(entry, accepted);
    }
    return accepted;
  }

  /** Null where the source cannot be read. */
  #wholeFile(entry: Dependency): Hex | null {
    const input = Input.open(entry.source);
    if (input === null || !Number.isSafeInteger(input.size)) return null;
    const window = this.artifact.workspace.glimpse;
    window.bind(input, 0, input.size);
    wholeFile.begin("whole-file", 1).open(input.size);
    for (let at = 0; at < input.size;) {
      const bytes = window.at(at);
      if (bytes === null) return null;
      wholeFile.add(bytes);
      at += bytes.length;
    }
    return hex(wholeFile.end());
  }
}

/** The dependencies in manifest order, then this file's own requirements. */
export function closureFault(artifact: Artifact): Fault {
  const { manifest: m, artifactClass, request } = artifact;
  if (request.resolve === undefined) return null;
  const store = new Store(artifact, request.resolve);
  let base: Accepted | null = null;
  return m.each(m.get(m.root, "dependencies"), (item) => {
    const fail: Fail = (code, expected, at = item) => reject(25, code, "manifest", at, expected);
    const wholeFileAt = m.get(item, "whole_file");
    const id = hex(m.string(m.get(item, "id")));
    const asked = m.isNull(wholeFileAt) ? null : hex(m.string(wholeFileAt));
    const found = store.find(id, asked);
    if (found === null) return fail("DependencyMissing", "an artifact with this id");
    if (found === "damaged") return fail("DependencyWholeFile", "the asked whole_file");
    const { identities } = found;
    const fault = identityFault(
      identities,
      m.integer(m.get(item, "artifact_class")),
      id,
      asked,
      fail,
    );
    if (fault !== null) return fault;
    const role = m.get(item, "role");
    if (m.isText(role, "base")) base = found;
    if (artifactClass === 3) return adapterFault(artifact, found, null, fail);
    if (artifactClass !== 6) return null;
    const tokenizer = m.string(artifact.get("tokenizer_id"));
    if (m.isText(role, "chat-template")) return templateFault(found.artifact, tokenizer, fail);
    if (m.isText(role, "adapter") && base !== null) {
      return adapterFault(found.artifact, base, tokenizer, fail);
    }
    return null;
  }) ?? capabilityFault(artifact);
}

function identityFault(
  actual: Identities,
  artifactClass: number | bigint,
  id: Hex,
  wholeFile: Hex | null,
  fail: Fail,
): Fault {
  if (actual.class !== artifactClass) return fail("DependencyClass", `class ${artifactClass}`);
  if (wholeFile !== null && actual.whole_file !== wholeFile) {
    return fail("DependencyWholeFile", "the asked whole_file");
  }
  return actual.artifact_id === id ? null : fail("DependencyId", "the id that it claims");
}

function templateFault(template: Artifact, tokenizer: Uint8Array, fail: Fail): Fault {
  return template.manifest.holds(template.get("tokenizer_id"), tokenizer)
    ? null
    : fail("TokenizerMismatch", "a template for the composition's tokenizer");
}

/** An adapter against its base; `tokenizer` is the composition's, null where there is none. */
function adapterFault(
  adapter: Artifact,
  base: Accepted,
  tokenizer: Uint8Array | null,
  fail: Fail,
): Fault {
  const m = adapter.manifest;
  const isHex = (at: Item, value: Hex) => hex(m.string(at)) === value;
  const wholeFileAt = adapter.get("base", "whole_file");
  const isBase = isHex(adapter.get("base", "model_id"), base.identities.artifact_id) &&
    (m.isNull(wholeFileAt) || isHex(wholeFileAt, base.identities.whole_file));
  if (!isBase) return fail("BaseMismatch", "an adapter of this base");
  if (!isHex(adapter.get("base", "layout_id"), base.identities.tensor_layout)) {
    return fail("LayoutMismatch", "the base's tensor_layout");
  }
  const tokenizerAt = adapter.get("tokenizer_id");
  if (tokenizer !== null && !m.isNull(tokenizerAt) && !m.holds(tokenizerAt, tokenizer)) {
    return fail("TokenizerMismatch", "an adapter for the composition's tokenizer");
  }
  return targetFault(adapter, base.artifact, (code, expected) => fail(code, expected));
}

function capabilityFault({ manifest: m, request }: Artifact): Fault {
  const requirements = m.get(m.root, "requirements");
  const fail = (at: Item, expected: string) =>
    reject(25, "RuntimeCapability", "manifest", at, expected);
  const features = m.get(requirements, "features");
  if (m.count(features) > 0) return fail(features, "no feature: none is registered");
  const memory = m.get(requirements, "memory_bytes");
  const isEnough = request.runtime_memory === undefined ||
    m.integer(memory) <= request.runtime_memory;
  return isEnough ? null : fail(memory, `at most ${request.runtime_memory}`);
}
