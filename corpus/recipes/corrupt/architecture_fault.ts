/** What stage 25 says of an architecture, and a parent with other tensors. */
import type { Description, TensorDescription } from "../../writer/description.ts";
import { assemble } from "../../writer/write.ts";
import type { Rejection, ValidCase } from "../case.ts";

export const ARCHITECTURE: Rejection = [25, "UnsupportedArchitecture", "manifest"];

/** A parent with other tensors, everything else derived. */
export const withTensors = (
  parent: ValidCase,
  change: (tensors: readonly TensorDescription[]) => readonly TensorDescription[],
  more: Partial<Description> = {},
) =>
  assemble({ ...parent.description, ...more, tensors: change(parent.description.tensors ?? []) })
    .bytes;
