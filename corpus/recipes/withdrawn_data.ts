/** Cases that were wrong: kept for ever, asked no more. The recipe that makes one stays. */
export const WITHDRAWN: {
  readonly [id: string]: { readonly since: string; readonly reason: string };
} = {};
