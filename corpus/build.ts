/**
 * Builds the golden corpus from its recipes: the files of `golden/` and their index. Pure: the
 * same recipes give the same bytes on every machine.
 */
import { createHash } from "node:crypto";
import { Citations, type Clause, readClauses } from "./clauses.ts";
import {
  contentId,
  type Entry,
  type FileRef,
  type Index,
  INDEX_FORMAT,
  type PieceExtras,
  type ReadExtras,
} from "./index.ts";
import { type Ledger, readLedger } from "./ledger.ts";
import { diff } from "./patch.ts";
import { WITHDRAWN } from "./recipes/withdrawn_data.ts";
import { RECIPES } from "./recipes/all.ts";
import type { Artifact, BigArtifact, Case, PieceAsk, ReadAsk, Recipe } from "./recipes/case.ts";

/** The corpus version; CHANGELOG.md says what each brought. */
export const VERSION = "1.0.0";
/** The version of the specification under which the verdicts hold. */
export const SPEC = "2.0";

/** A corpus in memory. */
export interface Built {
  readonly index: Index;
  /** every file by its path in `golden/`, corrupt ones expanded */
  readonly files: ReadonlyMap<string, Artifact>;
  readonly clauses: readonly Clause[];
}

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/**
 * Builds the corpus.
 * @throws Error where a recipe contradicts itself: an id out of its name, a citation that fits no
 *   clause, two files under one path
 */
export function build(recipes: readonly Recipe[] = RECIPES): Built {
  const clauses = readClauses();
  const building = new Building(new Citations(clauses), readLedger());
  const entries = recipes.flatMap((recipe) =>
    recipe.cases().map((one) => building.entry(recipe, one))
  );
  if (building.faults.size > 0) throw new Error([...building.faults].join("\n"));
  const rest = {
    format: INDEX_FORMAT,
    version: VERSION,
    spec: SPEC,
    clauses: Object.fromEntries(clauses.map(({ id, text }) => [id, text])),
    entries,
  } as const;
  const { format, version, spec, ...body } = rest;
  const index: Index = { format, version, spec, content_id: contentId(rest), ...body };
  return { index, files: building.files, clauses };
}

class Building {
  readonly files = new Map<string, Artifact>();
  /** citations that fit no clause, or several */
  readonly faults = new Set<string>();
  readonly #refs = new Map<string, FileRef>();

  constructor(readonly citations: Citations, readonly ledger: Ledger) {}

  entry(recipe: Recipe, one: Case): Entry {
    if (!one.id.startsWith(`${recipe.name}/`)) {
      throw new Error(`${one.id} is not of ${recipe.name}`);
    }
    const { artifact } = one;
    const big = bigOf(one);
    return {
      id: one.id,
      ...(artifact ? this.#file(artifact) : {}),
      ...(one.op === "read" ? {} : { op: one.op }),
      ...this.#request(one),
      expected: one.expected,
      reason: one.reason,
      spec: recipe.spec,
      clauses: this.#clauses(recipe, one),
      tags: this.#tags(one),
      since: this.ledger.get(one.id)?.since ?? VERSION,
      ...(one.may_differ ? { may_differ: one.may_differ } : {}),
      ...(artifact && "bytes" in artifact && artifact.parent && artifact.path === `${one.id}.slm`
        ? {
          parent: artifact.parent.id,
          patch: diff(artifact.parent.artifact.bytes, artifact.bytes),
        }
        : {}),
      ...(big ? { recipe: big.recipe } : {}),
      ...(WITHDRAWN[one.id] ? { withdrawn: WITHDRAWN[one.id] } : {}),
    } as Entry;
  }

  /** The reference to a file, which is kept. */
  #file(artifact: Artifact | BigArtifact): FileRef {
    if (!("bytes" in artifact)) {
      const { path, sha256, size } = artifact;
      return { file: path, sha256, size };
    }
    const { path, bytes } = artifact;
    const known = this.#refs.get(path);
    if (known && this.files.get(path)!.bytes === bytes) return known;
    const ref = { file: path, sha256: sha256(bytes), size: bytes.length };
    if (known && known.sha256 !== ref.sha256) throw new Error(`two files are ${path}`);
    this.#refs.set(path, ref);
    this.files.set(path, artifact);
    return ref;
  }

  #request(one: Case): { request?: object } {
    if (one.op === "signature") return { request: one.ask };
    if (one.op === "piece") return { request: this.#piece(one.ask) };
    return one.ask ? { request: this.#read(one.ask) } : {};
  }

  #read({ resolve, ...ask }: ReadAsk): ReadExtras {
    return resolve ? { ...ask, resolve: resolve.map((one) => this.#file(one.artifact!)) } : ask;
  }

  #piece({ data, ...ask }: PieceAsk): PieceExtras {
    return { ...ask, data: this.#file(data) };
  }

  /** The most particular first: what gives the code, then what the case is about. */
  #clauses(recipe: Recipe, one: Case): string[] {
    const cited = [...one.cites ?? [], ...recipe.cites].flatMap((text) => this.#cited(text));
    const { expected } = one;
    const own = expected.verdict === "reject"
      ? this.citations.ofCode(expected.stage, expected.code)
      : [];
    return [...new Set([...own, ...cited])];
  }

  #cited(text: string): readonly string[] {
    try {
      return this.citations.resolve(text);
    } catch (error) {
      this.faults.add((error as Error).message);
      return [];
    }
  }

  /** Tags that follow from the case stand before its own. */
  #tags(one: Case): string[] {
    const { expected } = one;
    return [
      ...new Set([
        expected.verdict,
        ...(expected.verdict === "reject" ? [`stage-${expected.stage}`] : []),
        ...(bigOf(one) ? ["big"] : []),
        ...one.tags,
      ]),
    ];
  }
}

/** The big file that a case needs, if it needs one. */
function bigOf({ artifact, ...one }: Case): BigArtifact | undefined {
  return [artifact, one.op === "piece" ? one.ask.data : undefined].find((file) =>
    file !== undefined && !("bytes" in file)
  ) as BigArtifact | undefined;
}
