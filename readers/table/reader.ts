/** Reader two: the stages of section 8, one after the other over one `Artifact`. */
import type { Allocator, Reader, Reading, ReadRequest, Source } from "../contract.ts";
import { architectureFault } from "./architecture.ts";
import { type Accepted, Artifact } from "./artifact.ts";
import { checkAuxiliaries } from "./auxiliary.ts";
import { checkBlobs } from "./blobs.ts";
import { candidateOf } from "./candidate.ts";
import { checkCbor } from "./cbor.ts";
import { closureFault } from "./closure.ts";
import { checkContent } from "./content.ts";
import { checkSignature } from "./envelope.ts";
import { type Fault, reject, SOURCE_IO } from "./fault.ts";
import { HASH_BUFFERS } from "./hash.ts";
import { checkHeader } from "./header.ts";
import { identitiesOf } from "./identities.ts";
import { Input, Memory, Workspace } from "./input.ts";
import { limitsOf } from "./limits.ts";
import { operationFault } from "./operations.ts";
import { checkPayload } from "./payload.ts";
import { checkPiece } from "./piece_check.ts";
import { checkQuants } from "./quant.ts";
import { profileFault } from "./registry.ts";
import { checkSchema } from "./schema_check.ts";
import { checkStrings } from "./strings.ts";
import { checkTensors } from "./tensors.ts";

/** Stages 2 to 26, in order; each leaves in the artifact what later ones read. */
const STAGES: readonly ((artifact: Artifact) => Fault)[] = [
  checkHeader, // 2-16
  ({ manifest, limits, memory }) =>
    checkCbor(manifest.bytes, manifest.root, manifest.end, limits, memory), // 17
  checkSchema, // 18
  checkStrings, // 19
  checkQuants, // 20
  checkTensors, // 21
  checkBlobs, // 22
  checkAuxiliaries, // 23
  checkPayload, // 24
  profileFault, // 25
  architectureFault, // 25
  (artifact) => artifact.artifactClass === 3 ? operationFault(artifact) : null, // 25
  closureFault, // 25
  checkContent, // 26
];

/** One for a file, one for the dependencies that are read while it is judged. */
const OWN = new Workspace();
const NESTED = new Workspace();

/** Stages 1 to 26, and 27 where expectations are given. */
function judge(request: ReadRequest, workspace: Workspace): Accepted | Exclude<Fault, null> {
  const memory = new Memory(request.allocator);
  memory.hold(Workspace.LENGTH + HASH_BUFFERS);
  const input = Input.open(request.source);
  if (input === null) return SOURCE_IO;
  const artifact = new Artifact(
    input,
    request,
    limitsOf(request.policy),
    memory,
    workspace,
    (source) => {
      const other = judge({ source, allocator: request.allocator, pieces: false }, NESTED);
      return "artifact" in other ? other : null;
    },
  );
  for (const stage of STAGES) {
    const fault = stage(artifact);
    if (fault !== null) return fault;
  }
  if (!input.steady()) return SOURCE_IO;
  const identities = identitiesOf(artifact);
  const { whole_file, artifact_id } = request.expect ?? {};
  if (whole_file !== undefined && whole_file !== identities.whole_file) {
    return reject(27, "WholeFileHashMismatch", "file", undefined, `whole_file ${whole_file}`);
  }
  if (artifact_id !== undefined && artifact_id !== identities.artifact_id) {
    return reject(27, "IdentityMismatch", "file", undefined, `artifact_id ${artifact_id}`);
  }
  return { artifact, identities };
}

function read(request: ReadRequest): Reading {
  const result = judge(request, OWN);
  if (!("artifact" in result)) return { verdict: result };
  return {
    verdict: { verdict: "accept", identities: result.identities },
    candidate: () => candidateOf(result),
  };
}

/** A file that a request of another kind is about. */
const alone = (source: Source, allocator: Allocator | undefined) =>
  judge({ source, allocator, pieces: false }, OWN);

/** The positional reader. */
export const table: Reader = {
  name: "table",
  read,
  piece: (request) => checkPiece(alone(request.set, request.allocator), request),
  signature: (request) => checkSignature(alone(request.envelope, request.allocator), request),
};
