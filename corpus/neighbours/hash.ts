/** BLAKE3's vectors and Wycheproof's for Ed25519. */

/** An input and its hash, as hexadecimal. */
export interface HashVector {
  readonly input: Uint8Array;
  readonly hash: string;
}

const json = (data: URL, name: string) =>
  JSON.parse(Deno.readTextFileSync(new URL(`vectors/${name}`, data)));

/** BLAKE3's own vectors: byte i of an input is i mod 251; of the output the first 32 bytes. */
export const blake3Vectors = (data: URL): HashVector[] => {
  const { cases } = json(data, "blake3_test_vectors.json") as {
    cases: { input_len: number; hash: string }[];
  };
  return cases.map(({ input_len, hash }) => ({
    input: Uint8Array.from({ length: input_len }, (_, i) => i % 251),
    hash: hash.slice(0, 64),
  }));
};

/** A signature, and whether it holds. */
export interface SignatureVector {
  readonly name: string;
  readonly key: Uint8Array;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
  readonly valid: boolean;
}

/** Wycheproof's vectors for Ed25519. */
export const ed25519Vectors = (data: URL): SignatureVector[] => {
  const { testGroups } = json(data, "ed25519_wycheproof.json") as {
    testGroups: {
      publicKey: { pk: string };
      tests: { tcId: number; comment: string; msg: string; sig: string; result: string }[];
    }[];
  };
  return testGroups.flatMap(({ publicKey, tests }) =>
    tests.map(({ tcId, comment, msg, sig, result }) => ({
      name: `${tcId} ${comment}`,
      key: Uint8Array.fromHex(publicKey.pk),
      message: Uint8Array.fromHex(msg),
      signature: Uint8Array.fromHex(sig),
      valid: result === "valid",
    }))
  );
};
