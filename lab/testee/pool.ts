/** Several testees of one kind working through one list of jobs. */
import type { Testee } from "./testee.ts";

/**
 * Gives each job to the next free testee; the order of results is the caller's business.
 * @param work does one job; a false ends the run, what is under way is still finished
 * @throws what `work` throws, once no testee is at work any more
 */
export async function runPool<Job>(
  testees: readonly Testee[],
  jobs: Iterable<Job>,
  work: (testee: Testee, job: Job) => Promise<boolean>,
): Promise<void> {
  const queue = jobs[Symbol.iterator]();
  let open = true;
  const done = await Promise.allSettled(testees.map(async (testee) => {
    try {
      for (let job = queue.next(); open && !job.done; job = queue.next()) {
        if (!await work(testee, job.value)) open = false;
      }
    } catch (error) {
      open = false;
      throw error;
    }
  }));
  const failed = done.find((one) => one.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}
