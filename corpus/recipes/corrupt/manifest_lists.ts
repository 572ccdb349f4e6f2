/** Stage 18 after the schema: extensions, and lists at their greatest length. */
import type { Item } from "../../writer/cbor.ts";
import type { DependencyDescription } from "../../writer/description.ts";
import { corrupt, lazy, type Recipe, type Rejection, valid, type ValidCase } from "../case.ts";
import { at, edited, manifestItem, replaced } from "../items.ts";
import { announcementBody, chat, depend, model } from "../library.ts";

export const BAD: Rejection = [18, "BadValue", "manifest"];

const extension = (id: string, version: number, critical = false): Item => ({
  critical,
  id,
  payload: {},
  version,
});

const withExtensions = (parent: ValidCase, list: readonly Item[]) =>
  replaced(parent, ["extensions"], list);

/** As many extensions and dependencies as there may be. */
export const mostExtensions = lazy(() =>
  valid("valid/list/extensions-64", "just 64 extensions", {
    ...model().description,
    extensions: Array.from(
      { length: 64 },
      (_, version) => ({ id: "lab/x", version, critical: false, payload: {} }),
    ),
  })
);

export const mostDependencies = lazy(() =>
  valid(
    "valid/list/dependencies-256",
    "just 256 dependencies: an announcement of as many subjects",
    {
      artifact_class: 13,
      body: announcementBody(new Array(256).fill(model())),
      dependencies: new Array<DependencyDescription>(256).fill(depend("subject", model())),
    },
  )
);

export const lists: Recipe = {
  name: "valid/list",
  reason: "bounded lists at their greatest length, and empty ones",
  spec: "classes.md 1",
  cites: ["classes-1 manifest.dependencies", "classes-1 manifest.extensions"],
  cases: () => [
    mostExtensions(),
    mostDependencies(),
    valid("valid/list/features-100", "a hundred features", {
      ...model().description,
      requirements: {
        features: Array.from({ length: 100 }, (_, i) => `lab/f${i}`),
        memory_bytes: 2n ** 64n - 1n,
      },
    }),
    valid("valid/list/extensions-order", "extensions by the bytes of their ids, then by version", {
      ...model().description,
      extensions: [["a", 9], ["a", 10], ["a", 2 ** 53 - 1], ["a-", 0], ["aa", 0], ["b", 0]].map((
        [id, version],
      ) => ({
        id: id as string,
        version: version as number,
        critical: false,
        payload: new Uint8Array(0),
      })),
    }),
  ],
};

export const extensions: Recipe = {
  name: "corrupt/manifest/extensions",
  reason: "the order of extensions, and critical ones",
  spec: "classes.md 1",
  cites: ["classes-1 extensions strictly increasing", "classes-1 a critical extension"],
  cases() {
    const unsorted = (local: string, why: string, list: readonly Item[]) =>
      corrupt(chat(), `${extensions.name}/${local}`, why, withExtensions(chat(), list), [
        18,
        "UnsortedSet",
        "manifest",
      ], { cites: ["classes-1 extensions strictly increasing"] });
    const critical = (local: string, why: string, list: readonly Item[]) =>
      corrupt(chat(), `${extensions.name}/${local}`, why, withExtensions(chat(), list), [
        18,
        "UnknownCriticalExtension",
        "manifest",
      ]);
    return [
      unsorted("id-order", "b before a", [extension("b", 0), extension("a", 0)]),
      unsorted("version-order", "version 1 before version 0", [
        extension("a", 1),
        extension("a", 0),
      ]),
      unsorted("version-by-bytes", "version 256 before version 255", [
        extension("a", 256),
        extension("a", 255),
      ]),
      unsorted("twice", "one id and version twice", [extension("a", 0), extension("a", 0)]),
      unsorted("prefix", "aa before a", [extension("aa", 0), extension("a", 0)]),
      unsorted("by-length", "b before aa is the order of encodings, not that of bytes", [
        extension("b", 0),
        extension("aa", 0),
      ]),
      critical("critical", "a critical extension: none is registered", [extension("a", 0, true)]),
      critical("critical-last", "the second of two is critical", [
        extension("a", 0),
        extension("b", 0, true),
      ]),
      corrupt(
        mostExtensions(),
        `${extensions.name}/65`,
        "one extension more than allowed",
        withExtensions(mostExtensions(), [
          ...at(manifestItem(mostExtensions()), ["extensions"]) as Item[],
          extension("lab/y", 0),
        ]),
        BAD,
      ),
      corrupt(
        mostDependencies(),
        `${extensions.name}/dependencies-257`,
        "one dependency more than allowed",
        edited(
          mostDependencies(),
          ["dependencies"],
          (list) => [...list as Item[], (list as Item[])[0]],
        ),
        BAD,
      ),
    ];
  },
};
