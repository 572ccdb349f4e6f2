/** All seeded faults. */
import { UsageError } from "../exit.ts";
import { CURSOR_FAULTS } from "./cursor_faults.ts";
import type { SeededFault } from "./fault.ts";
import { MEETING_FAULTS } from "./meeting_faults.ts";
import { PART_FAULTS } from "./part_faults.ts";
import { RUNTIME_FAULTS } from "./runtime_faults.ts";
import { TABLE_FAULTS } from "./table_faults.ts";
import { WINDOW_FAULTS } from "./window_faults.ts";

export const FAULTS: readonly SeededFault[] = [
  ...CURSOR_FAULTS,
  ...TABLE_FAULTS,
  ...RUNTIME_FAULTS,
  ...PART_FAULTS,
  ...WINDOW_FAULTS,
  ...MEETING_FAULTS,
];

/** A fault by its id; none for none. @throws UsageError where there is no such */
export function faultNamed(id?: string): SeededFault | undefined {
  if (id === undefined) return undefined;
  const fault = FAULTS.find((one) => one.id === id);
  if (fault === undefined) throw new UsageError(`no seeded fault '${id}'`);
  return fault;
}

/** Faults that someone wrote down. @throws UsageError where the text is no list of them */
export function faultsIn(json: string): SeededFault[] {
  const fail = (why: string): never => {
    throw new UsageError(`not a list of faults: ${why}`);
  };
  let list: unknown;
  try {
    list = JSON.parse(json);
  } catch (error) {
    return fail(String(error));
  }
  if (!Array.isArray(list)) return fail("no list");
  return list.map((one, i) => {
    const { id, file, search, replacement, breaks = "", clause = "", trigger } = one ?? {};
    const texts = [id, file, search, replacement, breaks, clause];
    if (!texts.every((text) => typeof text === "string")) return fail(`number ${i + 1}`);
    return { id, file, search, replacement, breaks, clause, trigger };
  });
}
