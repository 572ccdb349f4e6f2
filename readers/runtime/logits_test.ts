import { assertEquals, assertRejects } from "@std/assert";
import { logits } from "./logits.ts";
import { isReject } from "./outcome.ts";
import { active, floats, TINY, tinyTensors, world } from "./testing.ts";

const TOKENS = [16, 3, 1, 4, 1, 5];
const context = await active(world());

async function at(positions: number[], activations = false) {
  const given = await logits(context, TOKENS, positions, { activations });
  if (isReject(given)) throw new Error(given.code);
  return given;
}

Deno.test("logits: the same at a position, whichever others are asked for", async () => {
  const all = await at([0, 1, 2, 3, 4, 5]);
  assertEquals(all.map(({ position }) => position), [0, 1, 2, 3, 4, 5]);
  for (const one of all) assertEquals(await at([one.position]), [one]);
  assertEquals(await at([4, 2, 4]), [all[2], all[4]]);
  assertEquals(await at([]), []);
});

Deno.test("logits: with activations: embedding first, final norm last, logits unchanged", async () => {
  const plain = await at([1, 4]);
  const traced = await at([1, 4], true);
  const embedding = floats(
    tinyTensors().find(({ role }) => role === "token-embedding")!.payload as Uint8Array,
  );
  for (const [i, { position, logits, activations }] of traced.entries()) {
    assertEquals({ position, logits }, plain[i]);
    assertEquals(activations?.length, (TINY.layers + 2) * TINY.dim);
    const row = TOKENS[position] * TINY.dim;
    assertEquals(activations?.slice(0, TINY.dim), embedding.slice(row, row + TINY.dim));
  }
});

Deno.test("logits: positions and tokens outside are a caller's mistake", async () => {
  await assertRejects(() => at([6]), RangeError, "position 6");
  await assertRejects(() => at([-1]), RangeError, "position -1");
  await assertRejects(() => logits(context, [18], [0]), RangeError, "token 18");
  const long = new Array(40).fill(0);
  await assertRejects(() => logits(context, long, [39]), RangeError, "32 positions");
});
