/** What adapters may change in a base. */
import type { Target } from "../../corpus/importers/lora.ts";
import { ELEMENT_TYPES } from "../../corpus/writer/profiles.ts";
import type { Candidate } from "../../readers/contract.ts";

/** The base's tensors, each with its element type or profile by name. */
export function targets({ tensors, profiles }: Candidate): Target[] {
  return tensors.map(({ role, name, layer, shape, element_type, profile }) => {
    const dense = Object.entries(ELEMENT_TYPES).find(([, { id }]) => id === element_type);
    const type = profile === null ? dense![0] : profiles[profile].name;
    return { role, name, layer, shape, type };
  });
}
