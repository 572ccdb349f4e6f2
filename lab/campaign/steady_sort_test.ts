import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { steadySort } from "./steady_sort.ts";

Deno.test("a steady sort sorts as the platform does, equal elements in their order", () => {
  const element = fc.option(fc.record({ key: fc.integer({ min: 0, max: 9 }), place: fc.nat() }), {
    nil: undefined,
  });
  fc.assert(fc.property(fc.array(element, { maxLength: 40 }), (list) => {
    const order = (a: typeof list[number], b: typeof list[number]) => a!.key - b!.key;
    assertEquals(steadySort([...list], order), list.toSorted(order));
  }));
});

Deno.test("a steady sort calls its comparator equally often, however often it has run", () => {
  let calls = 0;
  const callsFor = (list: number[]) => {
    calls = 0;
    steadySort([...list], (a, b) => {
      calls++;
      return a - b;
    });
    return calls;
  };
  const list = [5, 3, 9, 1, 7];
  const first = callsFor(list);
  for (let i = 0; i < 20_000; i++) assertEquals(callsFor(list), first);
});
