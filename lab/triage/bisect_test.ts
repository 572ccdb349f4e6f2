/** Halving finds the commit that moved a verdict, within its bound, and says where it cannot. */
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { bisect, MOST_LOOKS } from "./bisect.ts";

/** Commits `0..n-1`; null before `exists`, then `old` until `moved`, then `new`. */
function history(n: number, exists: number, moved: number) {
  const commits = Array.from({ length: n }, (_, i) => String(i));
  let looks = 0;
  const look = (commit: string) => {
    looks++;
    const i = Number(commit);
    return Promise.resolve(i < exists ? null : i < moved ? "old" : "new");
  };
  return { commits, look, looks: () => looks };
}

Deno.test("the commit that moved it, wherever it is", () =>
  fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 300 }), fc.nat(), fc.nat(), async (n, a, b) => {
      const exists = a % n, moved = exists + b % (n - exists);
      const { commits, look, looks } = history(n, exists, moved);
      const found = await bisect("readers", commits, look, 40);
      if (moved === exists) {
        assertEquals(
          found,
          exists === 0
            ? { axis: "readers", unmoved: true }
            : { axis: "readers", since: "the vector exists", commit: String(exists) },
        );
      } else {
        assertEquals(found, {
          axis: "readers",
          commit: String(moved),
          before: "old",
          after: "new",
        });
      }
      assert(looks() <= 2 + 2 * Math.ceil(Math.log2(n + 1)));
    }),
  ));

Deno.test("it ends at its bound, and where now there is no verdict", async () => {
  const { commits, look, looks } = history(1 << 20, 0, 7);
  assertEquals(await bisect("spec", commits, look), {
    axis: "spec",
    unknown: `not found in ${MOST_LOOKS} looks`,
  });
  assertEquals(looks(), MOST_LOOKS);
  const none = await bisect("corpus", ["0"], () => Promise.resolve(null));
  assertEquals(none, {
    axis: "corpus",
    unknown: "the present commit says nothing of it",
    silent: true,
  });
  assertEquals(await bisect("corpus", [], look), { axis: "corpus", unmoved: true });
});
