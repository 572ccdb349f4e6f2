/** Built by profile_bounds_build.ts. */
export default {
  "q8-0.b32": { absolute: 0.43, kl: 0.00015 },
  "q8-row": { absolute: 0.5, kl: 0.0002 },
  "q5-0.b32": { absolute: 3.6, kl: 0.0097 },
  "q4-0.b32": { absolute: 7.7, kl: 0.038 },
  "q4-1.b32": { absolute: 7.2, kl: 0.035 },
  "nf4.b64": { absolute: 7.5, kl: 0.041 },
} as Readonly<Record<string, { readonly absolute: number; readonly kl: number }>>;
