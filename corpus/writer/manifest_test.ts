import { assertEquals } from "@std/assert";
import { encode, type Item, lookup } from "./cbor.ts";
import { manifestOf, repeatedMembers } from "./manifest.ts";

Deno.test("sets are sorted where the schema has sets, other arrays stay", () => {
  const { body } = manifestOf({
    artifact_class: 11,
    body: {
      licenses: ["MIT", "CC0-1.0"],
      notices: [],
      sources: [
        { files: [["b", new Uint8Array(1)], ["a", new Uint8Array(1)]], commit: "z" },
        { files: [], commit: "a" },
      ],
    },
  });
  assertEquals(lookup(body, "licenses"), ["MIT", "CC0-1.0"]);
  assertEquals(
    encode(lookup(body, "sources")!),
    encode([
      { commit: "z", files: [["a", new Uint8Array(1)], ["b", new Uint8Array(1)]] },
      { commit: "a", files: [] },
    ]),
  );
  const tokenizer = manifestOf({
    artifact_class: 4,
    body: { stop_tokens: [300, 7], normalizer: [["nfkc"], ["nfc"]], decoder: [] },
  });
  assertEquals(lookup(tokenizer.body, "stop_tokens"), [7, 300]);
  assertEquals(lookup(tokenizer.body, "normalizer"), [["nfkc"], ["nfc"]]);
});

Deno.test("extensions stand by id, then version; only critical ones are semantic", () => {
  const extension = (id: string, version: number, critical = false) => ({
    id,
    version,
    critical,
    payload: new Uint8Array(0),
  });
  const { item, semantic } = manifestOf({
    artifact_class: 1,
    body: {},
    extensions: [
      extension("b", 1),
      extension("aa", 2, true),
      extension("aa", 1),
      extension("a/", 0),
    ],
  });
  const keys = (manifest: typeof item) =>
    (lookup(manifest, "extensions") as { id: string; version: number }[]).map(
      ({ id, version }) => `${id}${version}`,
    );
  assertEquals(keys(item), ["a/0", "aa1", "aa2", "b1"]);
  assertEquals(keys(semantic), ["aa2"]);
});

Deno.test("a member that stands twice in a set is found where it stands", () => {
  assertEquals(
    repeatedMembers({
      artifact_class: 11,
      body: {
        licenses: ["MIT", "MIT"],
        notices: [new Uint8Array(32), new Uint8Array(32)],
        sources: [{ files: [] }, { files: [["a", new Uint8Array(1)], ["a", new Uint8Array(1)]] }],
      },
      requirements: { features: ["x", "x"] },
    }),
    ["body.licenses", "body.notices", "body.sources[1].files", "requirements.features"],
  );
});

Deno.test("versions of extensions sort over all of a uint", () => {
  const versions = [2n ** 64n - 1n, 3, 2n ** 53n, 2n ** 53n + 1n, 0];
  const { item } = manifestOf({
    artifact_class: 11,
    body: { licenses: [], notices: [], sources: [] },
    extensions: versions.map((version) => ({
      id: "x",
      version,
      critical: false,
      payload: new Uint8Array(0),
    })),
  });
  const sorted = (lookup(item, "extensions") as Item[]).map((one) => lookup(one, "version"));
  assertEquals(sorted, [0, 3, 2n ** 53n, 2n ** 53n + 1n, 2n ** 64n - 1n]);
});
