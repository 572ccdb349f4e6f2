/** The identities by which artifacts name each other (section 9), of files that may be broken. */
import { BLOB, TENSOR } from "../corpus/writer/fields.ts";
import { ByteList, join, u32 } from "../corpus/writer/bytes.ts";
import type { Item } from "../corpus/writer/cbor.ts";
import {
  artifactId,
  compositionId,
  digest,
  type Field,
  int16,
  raw,
  slmHash,
  wholeFile,
} from "../corpus/writer/identity.ts";
import { DENSE } from "../corpus/writer/profiles.ts";
import { type Artifact, parse, stringsOf } from "./artifact.ts";
import { getU16, getU32 } from "./bytes.ts";
import {
  ARRAY,
  at,
  BYTES,
  encodeTree,
  MAP,
  NINT,
  type Node,
  parseTree,
  TEXT,
  UINT,
} from "./cbor_tree.ts";
import { shapeOf } from "./seal.ts";

/** 32 bytes each. */
export interface Ids {
  readonly class: number;
  readonly artifact_id: Uint8Array;
  readonly whole_file: Uint8Array;
  readonly tensor_layout: Uint8Array;
}

const COMPOSITION = 6;
/** Section 5: an integer below it has no encoding. */
const LEAST_INTEGER = -(2n ** 63n);
const NO_PROFILE = new Uint8Array(32);
const NO_BYTES = new Uint8Array(0);

/** What they are as far as the file can be told; total. */
export function idsOf(file: Uint8Array): Ids {
  const artifact = parse(file);
  const artifact_class = getU16(artifact.header, 36);
  const { root } = parseTree(artifact.manifest);
  const tensor_layout = layoutOf(artifact, at(root, "body", "architecture"));
  return {
    class: artifact_class,
    whole_file: wholeFile(file),
    tensor_layout,
    artifact_id: artifact_class === COMPOSITION
      ? compositionId(itemOf(at(root, "body")), itemOf(at(root, "requirements")))
      : artifactId(
        artifact_class,
        slmHash("semantic-manifest", int16(artifact_class), [6, semantic(root)]),
        tensor_layout,
        hashes(artifact.tensors, TENSOR.payload_hash[0]),
        hashes(artifact.blobs, BLOB.content_hash[0]),
      ),
  };
}

const hashes = (entries: Artifact["tensors"], from: number) =>
  entries.map(({ record }) => record.subarray(from, from + 32));

/** The manifest without its noncritical extensions. */
function semantic(root: Node): Uint8Array {
  const extensions = at(root, "extensions");
  if (extensions) {
    extensions.items = extensions.items.filter((one) => at(one, "critical")?.value !== 20);
  }
  return encodeTree(root);
}

function layoutOf(artifact: Artifact, architecture: Node | undefined): Uint8Array {
  const { tensors, quants, auxiliaries } = artifact;
  const strings = stringsOf(artifact.strings);
  const keys = new ByteList().integer(tensors.length, 4);
  const shapes = new ByteList(), elements = new ByteList();
  for (const { record } of tensors) {
    const text = (from: number) => strings[getU32(record, from)] ?? NO_BYTES;
    const role = text(TENSOR.semantic_role_string_id[0]);
    const name = text(TENSOR.canonical_name_string_id[0]);
    keys.integer(role.length, 2).put(role).put(
      record.subarray(TENSOR.layer[0], TENSOR.layer[0] + 12),
    );
    keys.integer(name.length, 2).put(name);
    shapes.put(shapeOf(record));
    const profile = getU16(record, TENSOR.quant_profile_index[0]);
    elements.put(record.subarray(TENSOR.element_type[0], TENSOR.element_type[0] + 2))
      .put(profile === DENSE ? NO_PROFILE : quants[profile]?.subarray(0, 32) ?? NO_PROFILE);
  }
  const encoded: Field = [6, architecture ? encodeTree(architecture) : NO_BYTES];
  return slmHash(
    "tensor-layout",
    digest(slmHash("architecture", encoded)),
    raw(keys.finish()),
    raw(shapes.finish()),
    raw(elements.finish()),
    raw(join([u32(auxiliaries.length), ...auxiliaries])),
  );
}

/** A node as the writer has it; what the writer has no word for is null. */
function itemOf(node: Node | undefined): Item {
  switch (node?.major) {
    case UINT:
      return node.value;
    case NINT: {
      const value = typeof node.value === "bigint" ? -1n - node.value : -1 - node.value;
      return value < LEAST_INTEGER ? null : value;
    }
    case BYTES:
      return node.bytes;
    case TEXT:
      return new TextDecoder().decode(node.bytes);
    case ARRAY:
      return node.items.map(itemOf);
    case MAP: {
      const map = new Map<string, Item>();
      for (let i = 0; i + 1 < node.items.length; i += 2) {
        map.set(String(itemOf(node.items[i])), itemOf(node.items[i + 1]));
      }
      return map;
    }
    default:
      return node?.value === 20 ? false : node?.value === 21 ? true : null;
  }
}
