import { assertEquals } from "@std/assert";
import { foreign, FOREIGN_TEXT_LIMIT, foreignLines } from "./terminal.ts";

Deno.test("escapes and bidirectional controls never reach the terminal", () => {
  assertEquals(foreign("a\u001b[31mb\u202ec\nd"), "a\\u{1b}[31mb\\u{202e}c\\u{a}d");
});

Deno.test("a lone surrogate is shown, not thrown", () => {
  assertEquals(foreign("\ud800"), "\\u{d800}");
});

Deno.test("length is bounded", () => {
  assertEquals(foreign("é".repeat(65_536)).length < FOREIGN_TEXT_LIMIT + 30, true);
  assertEquals(foreign("é".repeat(FOREIGN_TEXT_LIMIT)), "é".repeat(FOREIGN_TEXT_LIMIT));
});

Deno.test("several lines keep their breaks and tabs, and no escape passes", () => {
  assertEquals(foreignLines("a\n\tb\x1b[31mc\r\n"), "a\n\tb\\u{1b}[31mc\\u{d}\n");
});
