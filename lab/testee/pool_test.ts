import { assertEquals, assertRejects } from "@std/assert";
import { inProcess } from "./inprocess.ts";
import { runPool } from "./pool.ts";
import { stubReader } from "./stub_reader.ts";

const testees = [1, 2, 3].map(() => inProcess(stubReader()));
const pause = () => new Promise((resolve) => setTimeout(resolve, 1));

Deno.test("each job is done once, by whoever is free", async () => {
  const done: number[] = [];
  const used = new Set<unknown>();
  await runPool(testees, Array(50).keys(), async (testee, job) => {
    await pause();
    used.add(testee);
    done.push(job);
    return true;
  });
  assertEquals(done.sort((a, b) => a - b), [...Array(50).keys()]);
  assertEquals(used.size, 3);
});

Deno.test("a false ends the run after what is under way", async () => {
  let done = 0;
  await runPool(testees, Array(50).keys(), async (_, job) => {
    await pause();
    done++;
    return job !== 10;
  });
  assertEquals(done >= 11 && done <= 13, true);
});

Deno.test("a throw reaches the caller when nobody is at work any more", async () => {
  let atWork = 0;
  await assertRejects(
    () =>
      runPool(testees, Array(50).keys(), async (_, job) => {
        atWork++;
        await pause();
        if (job === 4) {
          atWork--;
          throw new RangeError("planted");
        }
        await pause();
        atWork--;
        return true;
      }),
    RangeError,
    "planted",
  );
  assertEquals(atWork, 0);
});
