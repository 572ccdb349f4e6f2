/**
 * Stage 18, steps 4 and 5 after the schema (`classes.md` section 1): the dependencies against
 * the row of the class, and the body against the dependencies.
 */
import type { Reject } from "../contract.ts";
import type { Artifact } from "./artifact.ts";
import { CLASSES } from "./header.ts";
import { fault } from "./schema.ts";
import type { Tape } from "./tape.ts";

/** What a body asks of one dependency. */
interface Asked {
  readonly role: string;
  readonly classes: readonly number[];
  /** the body's field that names it */
  readonly id: number;
  /** the body's `whole_file` beside it, or -1 */
  readonly whole_file: number;
}

/** Schema: a manifest holds at most 256 dependencies. */
const MOST = 256;

const ANY_CLASS: readonly number[] = Array.from({ length: CLASSES }, (_, i) => i + 1);

/** The dependencies that a body asks for, in order; none past the first that are too many. */
function asked(artifact_class: number, tape: Tape, body: number): Asked[] {
  const field = (key: string) => tape.get(body, key);
  switch (artifact_class) {
    case 3: {
      const base = field("base");
      return [{
        role: "base",
        classes: [2],
        id: tape.get(base, "model_id"),
        whole_file: tape.get(base, "whole_file"),
      }];
    }
    case 5:
      return [{ role: "tokenizer", classes: [4], id: field("tokenizer_id"), whole_file: -1 }];
    case 6:
      return ofComposition(tape, body);
    case 7:
      return [{ role: "composition", classes: [6], id: field("composition_id"), whole_file: -1 }];
    case 8:
      return [{
        role: "embedding",
        classes: [6],
        id: field("embedding_composition"),
        whole_file: -1,
      }];
    case 9:
    case 12:
      return [{
        role: "subject",
        classes: ANY_CLASS,
        id: field("subject"),
        whole_file: field("subject_whole_file"),
      }];
    case 10:
      return [{
        role: "subject",
        classes: ANY_CLASS.filter((c) => c === tape.uint(field("subject_class"))),
        id: field("subject_id"),
        whole_file: field("subject_whole_file"),
      }];
    case 11:
      return [{ role: "subject", classes: ANY_CLASS, id: field("subject"), whole_file: -1 }];
    case 13:
      return elements(tape, field("subjects")).map((subject) => ({
        role: "subject",
        classes: ANY_CLASS,
        id: tape.get(subject, "id"),
        whole_file: tape.get(subject, "whole_file"),
      }));
    default: // 1, 2, 4
      return [];
  }
}

function ofComposition(tape: Tape, body: number): Asked[] {
  const base = tape.get(body, "base");
  const adapters = elements(tape, tape.get(body, "adapters"));
  const template = tape.get(body, "chat_template_id");
  const list: Asked[] = [
    {
      role: "base",
      classes: adapters.length > 0 ? [2] : [1, 2],
      id: tape.get(base, "model_id"),
      whole_file: tape.get(base, "whole_file"),
    },
    { role: "tokenizer", classes: [4], id: tape.get(body, "tokenizer_id"), whole_file: -1 },
  ];
  if (!tape.isNull(template)) {
    list.push({ role: "chat-template", classes: [5], id: template, whole_file: -1 });
  }
  for (const id of adapters) list.push({ role: "adapter", classes: [3], id, whole_file: -1 });
  return list;
}

/** The elements of an array, at most one more than there can be dependencies. */
function elements(tape: Tape, array: number): number[] {
  const list: number[] = [];
  const end = tape.next(array);
  for (let i = array + 1; i < end && list.length <= MOST; i = tape.next(i)) list.push(i);
  return list;
}

/** Steps 4 and 5 after the schema. */
export function checkDependencies({ artifact_class, tape, body }: Artifact): Reject | null {
  const dependencies = tape.get(0, "dependencies");
  const list = asked(artifact_class, tape, body);
  let i = 0;
  for (const { role, classes } of list) {
    const item = dependency(tape, dependencies, i++);
    if (item < 0) return fault("BadValue", tape, dependencies, `a dependency: ${role}`);
    if (!tape.isText(tape.get(item, "role"), role)) {
      return fault("BadValue", tape, tape.get(item, "role"), role);
    }
    if (!classes.includes(tape.uint(tape.get(item, "artifact_class")))) {
      return fault("BadValue", tape, tape.get(item, "artifact_class"), classes.join(" / "));
    }
  }
  if (tape.length(dependencies) > list.length) {
    return fault("BadValue", tape, dependencies, `${list.length} dependencies`);
  }
  i = 0;
  for (const { id, whole_file } of list) {
    const item = dependency(tape, dependencies, i++);
    if (!tape.equal(id, tape, tape.get(item, "id"))) {
      return fault("BadValue", tape, id, "the dependency's id");
    }
    if (
      whole_file >= 0 && !tape.isNull(whole_file) &&
      !tape.equal(whole_file, tape, tape.get(item, "whole_file"))
    ) {
      return fault("BadValue", tape, whole_file, "the dependency's whole_file");
    }
  }
  return null;
}

/** The item of dependency `index`, or -1. */
function dependency(tape: Tape, dependencies: number, index: number): number {
  let item = dependencies + 1;
  const end = tape.next(dependencies);
  for (; index > 0 && item < end; index--) item = tape.next(item);
  return item < end ? item : -1;
}
