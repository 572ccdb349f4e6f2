/** Steps 4 and 5 after a manifest (`classes.md` section 1): dependencies against row and body. */
import type { Artifact } from "./artifact.ts";
import type { Fault } from "./fault.ts";
import { CLASSES } from "./layouts.ts";
import type { Item } from "./manifest.ts";
import { fault18 } from "./shapes.ts";

/** One dependency that the class's row and the body ask for. */
interface Wanted {
  readonly role: string;
  /** the classes it may have; `ANY` for 1 to 13 */
  readonly classes: readonly (number | bigint)[];
  /** the body's id of it */
  readonly id: Item;
  /** the body's `..whole_file` beside that, or -1 */
  readonly wholeFile: Item;
}

const ANY = Array.from(CLASSES.keys());

/** The rows of the table in `classes.md` section 1. */
const ROWS: ReadonlyMap<number, (artifact: Artifact) => readonly Wanted[]> = new Map([
  [1, () => []],
  [2, () => []],
  [3, (a) => [base(a, [2])]],
  [4, () => []],
  [5, (a) => [tokenizer(a)]],
  [6, composition],
  [7, (a) => [plain("composition", [6], a.get("composition_id"))]],
  [8, (a) => [plain("embedding", [6], a.get("embedding_composition"))]],
  [9, (a) => [subject(a.get("subject"), ANY, a.get("subject_whole_file"))]],
  [10, (a) => [
    subject(a.get("subject_id"), subjectClass(a), a.get("subject_whole_file")),
  ]],
  [11, (a) => [subject(a.get("subject"), ANY, -1)]],
  [12, (a) => [subject(a.get("subject"), ANY, a.get("subject_whole_file"))]],
  [13, announced],
]);

function plain(role: string, classes: readonly number[], id: Item): Wanted {
  return { role, classes, id, wholeFile: -1 };
}
function base(a: Artifact, classes: readonly number[]): Wanted {
  const id = a.get("base", "model_id");
  return { role: "base", classes, id, wholeFile: a.get("base", "whole_file") };
}
function tokenizer(a: Artifact): Wanted {
  return plain("tokenizer", [4], a.get("tokenizer_id"));
}
function subject(id: Item, classes: Wanted["classes"], wholeFile: Item): Wanted {
  return { role: "subject", classes, id, wholeFile };
}
/** The envelope's own subject_class, if it is one. */
function subjectClass(a: Artifact): Wanted["classes"] {
  const n = a.manifest.integer(a.get("subject_class"));
  return ANY.filter((artifactClass) => artifactClass === n);
}

function composition(a: Artifact): readonly Wanted[] {
  const m = a.manifest;
  const adapters = a.get("adapters");
  const template = a.get("chat_template_id");
  const wanted = [base(a, m.count(adapters) > 0 ? [2] : [1, 2]), tokenizer(a)];
  if (!m.isNull(template)) wanted.push(plain("chat-template", [5], template));
  m.each(adapters, (id) => {
    wanted.push(plain("adapter", [3], id));
    return null;
  });
  return wanted;
}

function announced(a: Artifact): readonly Wanted[] {
  const m = a.manifest;
  const wanted: Wanted[] = [];
  m.each(a.get("subjects"), (item) => {
    wanted.push(subject(m.get(item, "id"), ANY, m.get(item, "whole_file")));
    return null;
  });
  return wanted;
}

/** Roles, order and classes of all dependencies, then ids and whole files of all. */
export function dependencyFault(artifact: Artifact): Fault {
  const { manifest: m } = artifact;
  const dependencies = m.get(m.root, "dependencies");
  const wanted = ROWS.get(artifact.artifactClass)?.(artifact) ?? [];
  const roles = m.each(dependencies, (item, i) => {
    const want = wanted[i];
    const isRight = want !== undefined && m.isText(m.get(item, "role"), want.role) &&
      want.classes.includes(m.integer(m.get(item, "artifact_class")));
    if (isRight) return null;
    const expected = want && `${want.role} of class ${want.classes.join(" or ")}`;
    return fault18("BadValue", item, expected ?? "no such dependency");
  });
  if (roles !== null) return roles;
  if (m.count(dependencies) < wanted.length) {
    const missing = wanted[m.count(dependencies)].role;
    return fault18("BadValue", dependencies, `a dependency ${missing}`);
  }
  return m.each(dependencies, (item, i) => {
    const { id, wholeFile } = wanted[i];
    if (!m.same(id, m.get(item, "id"))) {
      return fault18("BadValue", id, "the id of the dependency");
    }
    const isFree = wholeFile < 0 || m.isNull(wholeFile);
    return isFree || m.same(wholeFile, m.get(item, "whole_file"))
      ? null
      : fault18("BadValue", wholeFile, "the whole_file of the dependency");
  });
}
