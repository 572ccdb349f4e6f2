/** Several testees of one kind working through one list of jobs. */
import type { Testee } from "./testee.ts";

/**
 * Gives each job to the next free testee; the order of results is the caller's business.
 * @param work does one job; a false ends the run, what is under way is still finished
 */
export async function runPool<Job>(
  testees: readonly Testee[],
  jobs: Iterable<Job>,
  work: (testee: Testee, job: Job) => Promise<boolean>,
): Promise<void> {
  const queue = jobs[Symbol.iterator]();
  let open = true;
  await Promise.all(testees.map(async (testee) => {
    for (let job = queue.next(); open && !job.done; job = queue.next()) {
      if (!await work(testee, job.value)) open = false;
    }
  }));
}
