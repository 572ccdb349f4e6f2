/** Stage 18 after the schema: dependencies, and the body against them. */
import { encode, type Item } from "../../writer/cbor.ts";
import { digestOf } from "../bytes.ts";
import { corrupt, type Recipe } from "../case.ts";
import { at, edited, manifestItem, type Path, replaced } from "../items.ts";
import { SMALLEST } from "../library.ts";
import { withManifest } from "../parts.ts";
import { RICH, richAnnouncement, richComposition, richEnvelope } from "../rich.ts";
import { BAD, extensions, lists } from "./manifest_lists.ts";
import { tables } from "./manifest_tables.ts";
import { withPlaces } from "./schema.ts";

export const dependencies: Recipe = {
  name: "corrupt/manifest/dependencies",
  reason: "roles, classes, number and order of the dependencies of each class",
  spec: "classes.md 1",
  cites: ["classes-1 dependencies against the class's row"],
  cases: () =>
    RICH.flatMap((make, i) => {
      const parent = make(), artifact_class = i + 1;
      const list = at(manifestItem(parent), ["dependencies"]) as readonly Item[];
      const cites = { cites: ROW[artifact_class].map((text) => `classes-1 ${text}`) };
      const one = (local: string, why: string, put: readonly Item[]) =>
        corrupt(
          parent,
          `${dependencies.name}/class-${artifact_class}-${local}`,
          why,
          replaced(parent, ["dependencies"], put),
          BAD,
          cites,
        );
      const stranger: Item = {
        artifact_class: 1,
        id: digestOf(77),
        role: "other",
        whole_file: null,
      };
      const change = (index: number, key: string, value: Item): readonly Item[] =>
        list.map((entry, j) =>
          j === index ? { ...entry as { [key: string]: Item }, [key]: value } : entry
        );
      return [
        one("one-more", "a dependency more than the class has", [...list, stranger]),
        ...(list.length === 0 ? [] : [
          one("none", "no dependency", []),
          one("one-first", "a dependency before them", [stranger, ...list]),
          one("last-twice", "the last of them twice", [...list, list.at(-1)!]),
        ]),
        ...(list.length > 1
          ? [
            one("one-less", "the last is missing", list.slice(0, -1)),
            one("first-missing", "the first is missing", list.slice(1)),
            one("reversed", "the other way round", [...list].reverse()),
          ]
          : []),
        ...list.flatMap((_, index) => [
          one(
            `${index}-role`,
            `dependency ${index} has another role`,
            change(index, "role", "other"),
          ),
          ...WRONG_CLASSES[artifact_class](index).map((n) =>
            one(
              `${index}-class-${n}`,
              `dependency ${index} says class ${n}`,
              change(index, "artifact_class", n),
            )
          ),
          one(
            `${index}-id`,
            `dependency ${index} has another id than the body`,
            change(index, "id", digestOf(78)),
          ),
          ...(BOUND[artifact_class]?.includes(index)
            ? [
              one(
                `${index}-whole-file`,
                `dependency ${index} has another whole_file than the body`,
                change(index, "whole_file", digestOf(79)),
              ),
              one(
                `${index}-whole-file-null`,
                `dependency ${index} leaves open what the body binds`,
                change(index, "whole_file", null),
              ),
            ]
            : []),
        ]),
      ];
    }),
};

/** The rows of section 1's table, as their clauses begin. */
const ROW: { readonly [artifact_class: number]: readonly string[] } = {
  1: ["1, 2, 4 | none"],
  2: ["1, 2, 4 | none"],
  3: ["3 | `base`"],
  4: ["1, 2, 4 | none"],
  5: ["5 | `tokenizer`"],
  6: ["6 | `base`"],
  7: ["7 | `composition`"],
  8: ["8 | `embedding`"],
  9: ["9, 11, 12 | one"],
  10: ["10 | one"],
  11: ["9, 11, 12 | one"],
  12: ["9, 11, 12 | one"],
  13: ["13 | one"],
};

const ANY = () => [0, 14, 255];

const but = (...classes: number[]) => (index: number) => [classes[index] === 1 ? 3 : 1, 0, 14];

/** Classes that the row does not allow, by dependency. */
const WRONG_CLASSES: { readonly [artifact_class: number]: (index: number) => readonly number[] } = {
  1: ANY,
  2: ANY,
  3: but(2),
  4: ANY,
  5: but(4),
  6: (index) => [[1, 3, 14], [5, 1], [4, 6], [2, 4], [2, 4]][index],
  7: but(6),
  8: but(6),
  9: ANY,
  10: () => [0, 2, 14],
  11: ANY,
  12: ANY,
  13: ANY,
};

/** Dependencies whose whole_file the body of the rich artifact binds. */
const BOUND: { readonly [artifact_class: number]: readonly number[] } = {
  3: [0],
  6: [0],
  9: [0],
  10: [0],
  12: [0],
  13: [0, 1],
};

export const body: Recipe = {
  name: "corrupt/manifest/body",
  reason: "the body against its dependencies",
  spec: "classes.md 1",
  cites: ["classes-1 body against dependencies"],
  cases() {
    const one = (artifact_class: number, path: Path, value: Item, why: string) => {
      const parent = RICH[artifact_class - 1]();
      return corrupt(
        parent,
        `${body.name}/class-${artifact_class}-${path.slice(1).join(".")}`,
        why,
        replaced(parent, path, value),
        BAD,
      );
    };
    const other = digestOf(80);
    const composition = richComposition();
    return [
      one(3, ["body", "base", "model_id"], other, "another base"),
      one(3, ["body", "base", "whole_file"], other, "another file of the base"),
      one(5, ["body", "tokenizer_id"], other, "another tokenizer"),
      one(6, ["body", "base", "model_id"], other, "another base"),
      one(6, ["body", "base", "whole_file"], other, "another file of the base"),
      one(6, ["body", "tokenizer_id"], other, "another tokenizer"),
      one(6, ["body", "chat_template_id"], other, "another template"),
      one(6, ["body", "adapters", 0], other, "another adapter"),
      one(6, ["body", "adapters", 1], other, "another second adapter"),
      one(7, ["body", "composition_id"], other, "another composition"),
      one(8, ["body", "embedding_composition"], other, "another embedding"),
      one(9, ["body", "subject"], other, "another subject"),
      one(9, ["body", "subject_whole_file"], other, "another file of the subject"),
      one(10, ["body", "subject_id"], other, "another subject"),
      one(10, ["body", "subject_whole_file"], other, "another file of the subject"),
      one(10, ["body", "subject_class"], 2, "another class of subject"),
      one(11, ["body", "subject"], other, "another subject"),
      one(12, ["body", "subject"], other, "another subject"),
      one(12, ["body", "subject_whole_file"], other, "another file of the subject"),
      one(13, ["body", "subjects", 0, "id"], other, "another subject"),
      one(13, ["body", "subjects", 1, "whole_file"], other, "another file of a subject"),
      corrupt(
        composition,
        `${body.name}/class-6-template-null`,
        "the body says no template, and a dependency is one",
        replaced(composition, ["body", "chat_template_id"], null),
        BAD,
      ),
      corrupt(
        composition,
        `${body.name}/class-6-adapters-swapped`,
        "the body's adapters in another order than the dependencies",
        edited(composition, ["body", "adapters"], (list) => [...list as Item[]].reverse()),
        BAD,
      ),
      corrupt(
        composition,
        `${body.name}/class-6-adapter-less`,
        "the body names one adapter of two",
        edited(composition, ["body", "adapters"], (list) => (list as Item[]).slice(0, 1)),
        BAD,
      ),
      corrupt(
        composition,
        `${body.name}/class-6-standalone-with-adapters`,
        "a standalone model under adapters",
        replaced(composition, ["dependencies", 0, "artifact_class"], 1),
        BAD,
      ),
      corrupt(
        SMALLEST[5](),
        `${body.name}/class-6-template-named`,
        "the body names a template, and no dependency is one",
        replaced(SMALLEST[5](), ["body", "chat_template_id"], other),
        BAD,
      ),
      corrupt(
        richAnnouncement(),
        `${body.name}/class-13-subjects-swapped`,
        "the subjects in another order than the dependencies",
        edited(richAnnouncement(), ["body", "subjects"], (list) => [...list as Item[]].reverse()),
        BAD,
      ),
      corrupt(
        richAnnouncement(),
        `${body.name}/class-13-subject-less`,
        "one subject of two",
        edited(richAnnouncement(), ["body", "subjects"], (list) => (list as Item[]).slice(0, 1)),
        BAD,
      ),
      ...[0, 14, 2 ** 32 + 1].map((n) =>
        corrupt(
          richEnvelope(),
          `${body.name}/class-10-subject-class-${n}`,
          `subject_class ${n}, and the dependency's with it`,
          withManifest(
            richEnvelope().artifact.bytes,
            encode(withPlaces(manifestItem(richEnvelope()), [
              [["body", "subject_class"], n],
              [["dependencies", 0, "artifact_class"], n],
            ])),
          ),
          BAD,
        )
      ),
    ];
  },
};

export const manifestRules: readonly Recipe[] = [lists, extensions, tables, dependencies, body];
