/** All seeded faults. */
import { CURSOR_FAULTS } from "./cursor_faults.ts";
import type { SeededFault } from "./fault.ts";
import { RUNTIME_FAULTS } from "./runtime_faults.ts";
import { TABLE_FAULTS } from "./table_faults.ts";

export const FAULTS: readonly SeededFault[] = [
  ...CURSOR_FAULTS,
  ...TABLE_FAULTS,
  ...RUNTIME_FAULTS,
];
