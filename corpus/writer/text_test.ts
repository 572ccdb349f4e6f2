import { assert, assertEquals } from "@std/assert";
import { dataTest } from "../../lab/data.ts";
import { isAssigned, isIdentifier, textFault } from "./text.ts";

dataTest("assigned code points are those of the published table", (data) => {
  const path = new URL("vectors/unicode-16.0.0/DerivedGeneralCategory.txt", data);
  const assigned = new Uint8Array(0x110000);
  for (const line of Deno.readTextFileSync(path).split("\n")) {
    const match = /^([0-9A-F]+)(?:\.\.([0-9A-F]+))?\s*;\s*(\w\w)/.exec(line);
    if (!match || match[3] === "Cn") continue;
    const first = parseInt(match[1], 16);
    assigned.fill(1, first, (match[2] ? parseInt(match[2], 16) : first) + 1);
  }
  let differences = 0;
  for (let code = 0; code < 0x110000; code++) {
    if (isAssigned(code) !== (assigned[code] === 1)) differences++;
  }
  assertEquals(differences, 0);
  assertEquals(assigned[0x41], 1);
});

Deno.test("a text is well-formed, assigned in 16.0.0 and in NFC", () => {
  for (const good of ["", "a", "Zo\u00e9", "\u{1f31f}", "\ue000", "\ufeff", "\u{113c8}"]) {
    assertEquals(textFault(good), null, JSON.stringify(good));
  }
  assert(textFault("\ud800")?.includes("surrogate"));
  assert(textFault("a\udc00b")?.includes("surrogate"));
  assert(textFault("\uffff")?.includes("assigned"), "Cn");
  assert(textFault("\u0378")?.includes("assigned"), "never assigned");
  // U+088F is new in Unicode 17
  assert(textFault("\u088f")?.includes("assigned"), "assigned too late");
  assert(textFault("e\u0301")?.includes("NFC"));
  assert(textFault("\u{11366}\u{113ce}")?.includes("NFC"), "order of marks new in 16");
  assert(textFault("\u{113c2}\u{113b8}")?.includes("NFC"), "composition new in 16");
});

Deno.test("identifiers", () => {
  for (const good of ["a", "0", "a/b", "a..b", "a.", "blk.0/w_q-1", "a/...", "a".repeat(255)]) {
    assert(isIdentifier(good), good);
  }
  const bad = [
    "",
    "A",
    ".",
    "..",
    "../a",
    "a/..",
    "a/./b",
    "a/../b",
    "a//b",
    "a/",
    "/a",
    "_a",
    "-a",
  ];
  for (const one of [...bad, "a b", "a\n", "\u00e9", "a".repeat(256)]) {
    assert(!isIdentifier(one), JSON.stringify(one));
  }
});
