/** The artifacts of a request, wherever they stand in it. */
import type { Artifact, Ask } from "./testee.ts";

/** The same request with each artifact replaced. */
export function mapArtifacts(ask: Ask, replace: (artifact: Artifact) => Artifact): Ask {
  switch (ask.op) {
    case "read":
      return {
        ...ask,
        artifact: replace(ask.artifact),
        ...(ask.resolve && { resolve: ask.resolve.map(replace) }),
      };
    case "piece":
      return { ...ask, set: replace(ask.set) };
    case "signature":
      return { ...ask, envelope: replace(ask.envelope) };
  }
}
