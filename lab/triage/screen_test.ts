/** The screen of `triage --work`, its keys pressed one by one. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { stripVTControlCharacters } from "node:util";
import type { State } from "./ledger.ts";
import type { Triaged } from "./look.ts";
import { Screen } from "./screen.ts";
import { keysIn } from "./terminal.ts";

const ROWS = 10;

const finding = (i: number, state: State = "new", key = `key ${i}`): Triaged => ({
  name: `disagreement-${String(i).padStart(4, "0")}`,
  folder: "f",
  class: "disagreement",
  key,
  detail: "",
  replay: "",
  clause: "",
  fault: "",
  testee: "",
  testeeIn: "",
  probe: "",
  filed: "",
  state,
  standing: "open",
  entry: { first_seen: "2026-01-02", standing: "open", commit: "c" },
});

const many = (n: number) => Array.from({ length: n }, (_, i) => finding(i));
const shown = (screen: Screen) => screen.render(ROWS).map(stripVTControlCharacters);
const selected = (screen: Screen) =>
  shown(screen).find((line) => line.startsWith("›"))?.match(/disagreement-(\d+)/)?.[1];

Deno.test("moving, always within the list and on the screen", () => {
  const screen = new Screen(many(100), 0);
  const after = (...keys: string[]) => {
    for (const key of keys) screen.press(key, ROWS);
    assertEquals(shown(screen).length, ROWS);
    return selected(screen);
  };
  assertEquals(after(), "0000");
  assertEquals(after("up"), "0000");
  assertEquals(after("down", "j", "down", "k"), "0002");
  assertEquals(after("end"), "0099");
  assertEquals(after("down", "pagedown"), "0099");
  assertEquals(after("pageup"), "0092");
  assertEquals(after("home"), "0000");
});

Deno.test("a filter shows one state, and none where there is none", () => {
  const screen = new Screen([finding(0), finding(1, "fixed"), finding(2, "known")], 7);
  assertStringIncludes(shown(screen)[0], "1 new, 1 known, 1 fixed, 7 beyond");
  screen.press("f", ROWS);
  assertStringIncludes(shown(screen).join("\n"), "none");
  assertEquals(screen.press("enter", ROWS), null);
  for (let i = 0; i < 2; i++) screen.press("f", ROWS);
  assertEquals(selected(screen), "0002");
});

Deno.test("notes are typed, mended and given up", () => {
  const screen = new Screen(many(2), 0), [one] = screen.findings;
  for (const key of ["n", "s", "k", "q", "backspace", "é", "up"]) screen.press(key, ROWS);
  assertStringIncludes(shown(screen).join("\n"), "note: ské█");
  assertEquals(screen.press("enter", ROWS), { wish: "note", one, text: "ské" });
  screen.press("s", ROWS);
  screen.press("x", ROWS);
  assertEquals(screen.press("escape", ROWS), null);
  assertEquals(screen.press("e", ROWS), { wish: "expected", one, text: true });
  screen.replace({ ...one, entry: { ...one.entry, note: "ské", expected: true } });
  assertStringIncludes(shown(screen).at(-2)!, "ské; expected");
  assertEquals(screen.press("e", ROWS)?.wish, "expected");
  assertEquals(screen.press("q", ROWS), { wish: "quit" });
});

Deno.test("what is open scrolls to its end and no further, and closes", () => {
  const screen = new Screen(many(2), 0);
  assertEquals(screen.press("enter", ROWS)?.wish, "open");
  screen.open(Array.from({ length: 30 }, (_, i) => `line ${i}`));
  assertStringIncludes(shown(screen)[0], "line 0");
  screen.press("end", ROWS);
  assertEquals(shown(screen)[ROWS - 3], "line 29");
  screen.press("pagedown", ROWS);
  assertEquals(shown(screen)[ROWS - 3], "line 29");
  screen.press("q", ROWS);
  assertEquals(selected(screen), "0000");
});

Deno.test("no text of a finding reaches the terminal raw", () => {
  const text = "\x1b]0;x\x07\u202e</script>\r\n".repeat(5000);
  const screen = new Screen([finding(0, "new", text)], 0);
  for (const key of ["n", ...text]) screen.press(key, ROWS);
  for (const line of screen.render(ROWS)) {
    assertEquals(/[\p{Cc}\p{Cf}]/u.test(stripVTControlCharacters(line)), false);
    assert(line.length < 3000);
  }
});

Deno.test("keys are named, several at once too; other control characters are none", () => {
  assertEquals(keysIn("\x1b[A\x1b[6~a\r\x1b"), ["up", "pagedown", "a", "enter", "escape"]);
  assertEquals(keysIn("\x01\x1b[99;5~é👍\x7f"), ["é", "👍", "backspace"]);
});
