/** Stage 25 with a resolver: the dependency closure (`classes.md` section 6). */
import type { Code, Dependency, Reject } from "../contract.ts";
import { operationFault } from "./adapter.ts";
import type { Artifact } from "./artifact.ts";
import { hex } from "./bytes.ts";
import { reject } from "./fault.ts";
import { sizeOf } from "./input.ts";
import { wholeFileOf } from "./stream.ts";
import type { Tape } from "./tape.ts";

const ADAPTER = 3;
const CHAT_TEMPLATE = 5;
const COMPOSITION = 6;

/** Reads an artifact by stages 1-26 under the default policy; null where it is rejected. */
export type ReadAlone = (dependency: Dependency) => Artifact | null;

/** An artifact that has the asked id, or under whose claimed id another file was found. */
interface Found {
  readonly whole_file: string;
  /** null where the file is not the asked one and was not read for that reason */
  readonly artifact: Artifact | null;
}

/** The artifacts that a resolver may find, each read once at most. */
export class Resolver {
  readonly #read = new Map<Dependency, Artifact | null>();

  constructor(readonly list: readonly Dependency[], readonly readAlone: ReadAlone) {}

  /**
   * Of several artifacts with the asked id the one with the asked whole_file, else the first.
   *
   * @param id artifact_id as hexadecimal
   * @param whole_file as hexadecimal, or null where any will do
   */
  find(id: string, whole_file: string | null): Found | null {
    let first: Found | null = null;
    for (const dependency of this.list) {
      const found = this.#candidate(dependency, id, whole_file);
      if (found === null) continue;
      if (whole_file === null || found.whole_file === whole_file) return found;
      first ??= found;
    }
    return first;
  }

  #candidate(dependency: Dependency, id: string, whole_file: string | null): Found | null {
    const { claimed_id, source } = dependency;
    if (claimed_id !== undefined) {
      if (claimed_id !== id) return null;
      if (whole_file !== null) { // slm2.md, decision 1
        const size = sizeOf(source);
        const actual = size === null ? null : wholeFileOf(source, size);
        if (actual === null) return null;
        if (hex(actual) !== whole_file) return { whole_file: hex(actual), artifact: null };
      }
    }
    const artifact = this.#artifact(dependency);
    if (artifact === null) return null;
    const isAsked = claimed_id !== undefined || hex(artifact.artifactId) === id;
    return isAsked ? { whole_file: hex(artifact.wholeFile), artifact } : null;
  }

  #artifact(dependency: Dependency): Artifact | null {
    const known = this.#read.get(dependency);
    if (known !== undefined) return known;
    const artifact = this.readAlone(dependency);
    this.#read.set(dependency, artifact);
    return artifact;
  }
}

/** The closure of one artifact, and last its own requirements. */
export function checkClosure(artifact: Artifact): Reject | null {
  const { resolver, tape } = artifact;
  if (resolver === null) return null;
  const dependencies = tape.get(0, "dependencies");
  let base: Artifact | null = null;
  for (let item = dependencies + 1; item < tape.next(dependencies); item = tape.next(item)) {
    const found = resolve(resolver, tape, item);
    if (typeof found === "string") return fault(found, tape.start(item));
    if (tape.isText(tape.get(item, "role"), "base")) base = found;
    const code = against(artifact, found, base);
    if (code !== null) return fault(code, tape.start(item));
  }
  return requirementFault(artifact);
}

function fault(code: Code, at: number): Reject {
  return reject(25, code, "manifest", at, "an artifact that fits this dependency");
}

/** The artifact that a dependency asks for, or the code of the check that fails. */
function resolve(resolver: Resolver, tape: Tape, item: number): Artifact | Code {
  const id = hex(tape.string(tape.get(item, "id")));
  const whole = tape.get(item, "whole_file");
  const whole_file = tape.isNull(whole) ? null : hex(tape.string(whole));
  const found = resolver.find(id, whole_file);
  if (found === null) return "DependencyMissing";
  if (found.artifact === null) return "DependencyWholeFile";
  if (found.artifact.artifact_class !== tape.uint(tape.get(item, "artifact_class"))) {
    return "DependencyClass";
  }
  if (whole_file !== null && found.whole_file !== whole_file) return "DependencyWholeFile";
  return hex(found.artifact.artifactId) === id ? found.artifact : "DependencyId";
}

/** What a found dependency has to share with the artifact that asks for it. */
function against(artifact: Artifact, found: Artifact, base: Artifact | null): Code | null {
  if (artifact.artifact_class === ADAPTER && base !== null) {
    return adapterFault(artifact, base, null);
  }
  if (artifact.artifact_class !== COMPOSITION) return null;
  const { tape, body } = artifact;
  const tokenizer = tape.get(body, "tokenizer_id");
  if (found.artifact_class === CHAT_TEMPLATE) {
    return found.tape.equal(found.tape.get(found.body, "tokenizer_id"), tape, tokenizer)
      ? null
      : "TokenizerMismatch";
  }
  if (found.artifact_class !== ADAPTER || base === null) return null;
  return adapterFault(found, base, { tape, item: tokenizer });
}

/**
 * An adapter against a base.
 *
 * @param tokenizer the composition's tokenizer_id, or null where the adapter stands alone
 */
function adapterFault(
  adapter: Artifact,
  base: Artifact,
  tokenizer: { readonly tape: Tape; readonly item: number } | null,
): Code | null {
  const { tape, body } = adapter;
  const its = tape.get(body, "base");
  const names = (key: string, digest: Uint8Array) =>
    hex(tape.string(tape.get(its, key))) === hex(digest);
  if (!names("model_id", base.artifactId)) return "BaseMismatch";
  if (!tape.isNull(tape.get(its, "whole_file")) && !names("whole_file", base.wholeFile)) {
    return "BaseMismatch";
  }
  if (!names("layout_id", base.tensorLayout)) return "LayoutMismatch";
  if (tokenizer !== null) {
    const item = tape.get(body, "tokenizer_id");
    if (!tape.isNull(item) && !tape.equal(item, tokenizer.tape, tokenizer.item)) {
      return "TokenizerMismatch";
    }
  }
  return operationFault(adapter, base);
}

/** `RuntimeCapability`: no feature is registered in 2.0. */
function requirementFault({ runtimeMemory, tape }: Artifact): Reject | null {
  const requirements = tape.get(0, "requirements");
  const features = tape.get(requirements, "features");
  if (tape.length(features) > 0) {
    return reject(25, "RuntimeCapability", "manifest", tape.start(features), "no feature");
  }
  const memory = tape.get(requirements, "memory_bytes");
  if (runtimeMemory !== null && tape.integer(memory) > runtimeMemory) {
    const expected = `at most ${runtimeMemory}`;
    return reject(25, "RuntimeCapability", "manifest", tape.start(memory), expected);
  }
  return null;
}
