/** A model of llama/1: fewer layers and smaller parameters, all tensors following. */
import { TENSOR } from "../../corpus/writer/fields.ts";
import { type Artifact, type Entry, parse } from "../../mutators/artifact.ts";
import { getU32, putU32 } from "../../mutators/bytes.ts";
import { at, encodeTree, type Node, parseTree, UINT } from "../../mutators/cbor_tree.ts";
import { dropStrings } from "../../mutators/descriptors.ts";
import { Random } from "../../mutators/random.ts";
import { followParameters, SIZES } from "../../mutators/relations.ts";
import { dropTensors } from "./parts.ts";
import type { Search } from "./search.ts";

/** Parameters of larger models are left: every size below is tried. */
const MOST = 64;

export async function shrinkModel(search: Search): Promise<void> {
  for (let layer = parameterOf(search.best, "layers"); --layer >= 0;) {
    // where a slot is filled twice, one layer has a tensor too many, or another too few
    for (let extra = -1; extra < parse(search.best).tensors.length && !search.over; extra++) {
      if (await search.takeEdited((artifact) => dropLayer(artifact, layer, extra))) break;
    }
  }
  for (const name of SIZES) {
    for (let size = 1; size < parameterOf(search.best, name) && !search.over; size++) {
      await search.takeEdited((artifact) =>
        withParameters(artifact, (parameters) => {
          at(parameters, name)!.value = size;
          return followParameters(artifact, parameters, new Random(1));
        })
      );
    }
  }
}

const parametersIn = (root: Node) => at(root, "body", "architecture", "parameters");

/** A parameter; 0 where there is none, or one that no small model has. */
function parameterOf(file: Uint8Array, name: string): number {
  const parameters = parametersIn(parseTree(parse(file).manifest).root);
  const value = Number(parameters && at(parameters, name)?.value || 0);
  return value <= MOST ? value : 0;
}

function withParameters(artifact: Artifact, change: (parameters: Node) => boolean): boolean {
  const { root, rest } = parseTree(artifact.manifest);
  const parameters = parametersIn(root);
  if (!parameters || !change(parameters)) return false;
  artifact.manifest = encodeTree(root, rest);
  return true;
}

/**
 * Leaves out the tensors of a layer; those of later ones move down.
 * @param extra one more tensor that goes; -1: none
 */
function dropLayer(artifact: Artifact, layer: number, extra: number): boolean {
  const [place] = TENSOR.layer, GLOBAL = 0xffffffff;
  const isOfIt = ({ record }: Entry) => getU32(record, place) === layer;
  const another = artifact.tensors[extra];
  if (another && isOfIt(another)) return false;
  dropTensors(artifact, (entry) => isOfIt(entry) || entry === another);
  for (const { record } of artifact.tensors) {
    const its = getU32(record, place);
    if (its > layer && its !== GLOBAL) putU32(record, place, its - 1);
  }
  dropStrings(artifact);
  return withParameters(artifact, (parameters) => {
    const layers = at(parameters, "layers");
    if (layers?.major !== UINT || Number(layers.value) < 2) return false;
    layers.value = Number(layers.value) - 1;
    return true;
  });
}
