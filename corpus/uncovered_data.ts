/** Clauses that no case exercises, each with the reason why that is right. */
export const UNCOVERED: { readonly [clause: string]: string } = {};
