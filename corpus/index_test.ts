import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { applyPatch, contentId, type Edit, groupOf, type Index, parseIndex } from "./index.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const patched = (edits: readonly Edit[]) =>
  new TextDecoder().decode(applyPatch(bytes("parent"), edits));

Deno.test("an edit overwrites, inserts, removes, cuts and appends", () => {
  assertEquals(patched([]), "parent");
  assertEquals(patched([{ offset: 1, hex: "5858" }]), "pXXent");
  assertEquals(patched([{ offset: 1, hex: "5858", remove: 0 }]), "pXXarent");
  assertEquals(patched([{ offset: 1, remove: 2 }]), "pent");
  assertEquals(patched([{ offset: 2, remove: 4 }]), "pa");
  assertEquals(patched([{ offset: 6, hex: "58", remove: 0 }]), "parentX");
  assertEquals(patched([{ offset: 0, hex: "58" }, { offset: 5, hex: "58" }]), "XarenX");
});

Deno.test("edits that overlap, go back or pass the end are refused", () => {
  for (
    const edits of [
      [{ offset: 5, hex: "5858" }],
      [{ offset: 7, remove: 0 }],
      [{ offset: 2, hex: "58" }, { offset: 1, hex: "58" }],
      [{ offset: 0, remove: 3 }, { offset: 2, remove: 1 }],
    ]
  ) assertThrows(() => patched(edits), RangeError);
});

Deno.test("a patch changes nothing outside its edits", () => {
  const file = fc.uint8Array({ minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(
      file,
      fc.nat(49),
      fc.nat(50),
      fc.uint8Array({ maxLength: 9 }),
      (file, at, remove, put) => {
        const offset = at % file.length;
        const gone = Math.min(remove, file.length - offset);
        const made = applyPatch(file, [{ offset, remove: gone, hex: put.toHex() }]);
        assertEquals(made.subarray(0, offset), new Uint8Array(file.subarray(0, offset)));
        assertEquals(made.subarray(offset, offset + put.length), new Uint8Array(put));
        assertEquals(
          made.subarray(offset + put.length),
          new Uint8Array(file.subarray(offset + gone)),
        );
      },
    ),
  );
});

Deno.test("the group of a case is its id up to the last part", () => {
  assertEquals(groupOf("header/magic/first"), "header/magic");
  assertEquals(groupOf("alone"), "");
});

const GOLDEN = new URL("golden/index.json", import.meta.url);

Deno.test("the content id depends on every text of the index", () => {
  const index: Index = parseIndex(Deno.readTextFileSync(GOLDEN));
  assertEquals(contentId(index), index.content_id);
  const [first, ...rest] = index.entries;
  const others = [
    { ...index, version: "0.0.1" },
    { ...index, entries: rest },
    { ...index, entries: [{ ...first, reason: `${first.reason}.` }, ...rest] },
    { ...index, entries: [{ ...first, expected: rest[0].expected }, ...rest] },
  ].map((other) => contentId(other as Index));
  assertEquals(new Set([index.content_id, ...others]).size, 5);
});

const PYTHON = `
import hashlib, json, sys
index = json.loads(sys.stdin.buffer.read())
del index["content_id"]
text = json.dumps(index, separators=(",", ":"), ensure_ascii=False)
print(hashlib.sha256(text.encode()).hexdigest())
`;

Deno.test({
  name: "another language finds the same content id",
  ignore: !hasPython(),
  fn: async () => {
    const python = new Deno.Command("python3", {
      args: ["-c", PYTHON],
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    const input = python.stdin.getWriter();
    await input.write(Deno.readFileSync(GOLDEN));
    await input.close();
    const { stdout } = await python.output();
    const { content_id } = parseIndex(Deno.readTextFileSync(GOLDEN));
    assertEquals(new TextDecoder().decode(stdout).trim(), content_id);
  },
});

function hasPython(): boolean {
  try {
    return new Deno.Command("python3", { args: ["--version"] }).outputSync().success;
  } catch {
    return false;
  }
}
