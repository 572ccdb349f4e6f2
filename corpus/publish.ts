/** The corpus as a stranger gets it: every file expanded, a manifest over all, and its signature. */
import { ed25519 } from "@noble/curves/ed25519.js";
import { createHash } from "node:crypto";
import { smallBig } from "./big_build.ts";
import type { Built } from "./build.ts";
import { committedFiles, GOLDEN } from "./golden.ts";
import { concat, utf8 } from "./writer/bytes.ts";
import type { Member } from "./tar.ts";

/** Texts of `golden/` that people write. */
export const TEXTS = ["CHANGELOG.md", "README.md"] as const;

/** RFC 8410: what stands before the 32 bytes of an Ed25519 key in SubjectPublicKeyInfo. */
const SPKI = Uint8Array.fromHex("302a300506032b6570032100");

/** The name of the archive, without its extension, and of the one folder in it. */
export const archiveName = ({ index }: Built): string => `slm2-corpus-${index.version}`;

/**
 * The members of the archive: the golden files and texts, every corrupt file, the schema of the
 * index, and `MANIFEST.json` with `MANIFEST.sig` (Ed25519 over its bytes) and `MANIFEST.pem`.
 * @param seed the signing key's seed, 32 bytes (RFC 8032 section 5.1.5)
 */
export function members(built: Built, seed: Uint8Array): Member[] {
  const schema = new URL("index_schema.json", import.meta.url);
  const files = new Map<string, Uint8Array>([
    ...committedFiles(built),
    ...[...built.files.values()].map(({ path, bytes }): Member => [path, bytes]),
    ...smallBig(),
    ["index.schema.json", Deno.readFileSync(schema)],
    ...TEXTS.map((name): Member => [name, Deno.readFileSync(new URL(name, GOLDEN))]),
  ]);
  const manifest = utf8(manifestText(built, files));
  const key = ed25519.getPublicKey(seed);
  const folder = archiveName(built);
  return [
    ...files,
    ["MANIFEST.json", manifest] as const,
    ["MANIFEST.sig", ed25519.sign(manifest, seed)] as const,
    ["MANIFEST.pem", utf8(pem(concat(SPKI, key)))] as const,
  ].map(([name, bytes]) => [`${folder}/${name}`, bytes]);
}

function manifestText({ index }: Built, files: ReadonlyMap<string, Uint8Array>): string {
  const list = [...files].sort(([a], [b]) => a < b ? -1 : 1).map(([file, bytes]) => ({
    file,
    sha256: createHash("sha256").update(bytes).digest("hex"),
    size: bytes.length,
  }));
  const head = {
    format: "slm2-corpus-manifest/1",
    version: index.version,
    content_id: index.content_id,
  };
  return `${JSON.stringify({ ...head, files: list }, null, 1)}\n`;
}

const pem = (der: Uint8Array): string =>
  `-----BEGIN PUBLIC KEY-----\n${der.toBase64()}\n-----END PUBLIC KEY-----\n`;
