/** The tag of files that have two faults on purpose. */

export const TWO = { tags: ["two-faults"] };
