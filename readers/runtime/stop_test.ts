import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { StopBytes } from "./stop.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const string = (parts: Uint8Array[]) =>
  new TextDecoder().decode(Uint8Array.of(...parts.flatMap((p) => [...p])));

/** Feeds `parts` as a generation does: up to the first stop, or to the end. */
function run(stops: string[], parts: string[]): { text: string; met: boolean } {
  const scanner = new StopBytes(stops.map(bytes));
  const shown: Uint8Array[] = [];
  for (const part of parts) {
    const scanned = scanner.push(bytes(part));
    shown.push(scanned.shown);
    if (scanned.met) return { text: string(shown), met: true };
  }
  const last = scanner.end();
  return { text: string([...shown, last.shown]), met: last.met };
}

Deno.test("stop bytes: text ends before the sequence, wherever the parts are cut", () => {
  assertEquals(run(["END"], ["on E", "N", "D more"]), { text: "on ", met: true });
  assertEquals(run(["END"], ["on E", "N", "Q"]), { text: "on ENQ", met: false });
  assertEquals(run(["END"], ["on E", "N"]), { text: "on EN", met: false });
  assertEquals(run([""], ["abc"]), { text: "abc", met: false });
});

Deno.test("stop bytes: what may yet begin a sequence is not shown", () => {
  const scanner = new StopBytes([bytes("\n\n")]);
  assertEquals(scanner.push(bytes("a\n")).shown, bytes("a"));
  assertEquals(scanner.push(bytes("b")).shown, bytes("\nb"));
});

Deno.test("stop bytes: a sequence inside one that was not finished counts at the end", () => {
  assertEquals(run(["abcX", "c"], ["abc"]), { text: "ab", met: true });
  assertEquals(run(["abcX", "c"], ["abcX"]), { text: "", met: true });
});

Deno.test("stop bytes: the cut of the parts does not matter", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 12 });
  const stops = fc.array(
    fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 3 }),
    {
      maxLength: 3,
    },
  );
  fc.assert(fc.property(fc.array(text, { maxLength: 6 }), stops, (parts, sequences) => {
    const whole = parts.join("");
    const first = Math.min(...sequences.map((s) => whole.indexOf(s)).filter((at) => at >= 0));
    const met = Number.isFinite(first);
    assertEquals(run(sequences, parts), { text: met ? whole.slice(0, first) : whole, met });
  }));
});
