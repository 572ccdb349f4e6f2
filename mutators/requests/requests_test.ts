/** Requests as inputs: their form, their mutators, and artifacts that go on naming each other. */
import { assert, assertEquals } from "@std/assert";
import { adapter } from "../../corpus/writer/build/adapter.ts";
import { pieceSet, signatureEnvelope } from "../../corpus/writer/build/evidence.ts";
import { composition } from "../../corpus/writer/build/composition.ts";
import { tensorPack } from "../../corpus/writer/build/model.ts";
import { tokenizer } from "../../corpus/writer/build/tokenizer.ts";
import type { Description } from "../../corpus/writer/description.ts";
import { isWriteError } from "../../corpus/writer/fault.ts";
import { write } from "../../corpus/writer/write.ts";
import { cursor } from "../../readers/cursor/reader.ts";
import { memorySource } from "../../readers/source.ts";
import { parse } from "../artifact.ts";
import { mutate } from "../mutate.ts";
import { Random } from "../random.ts";
import { isRequest, layOutRequest, parseRequest, type Request } from "../request.ts";
import { repair } from "../repair.ts";
import { ASKERS } from "./mod.ts";
import { relink } from "./relink.ts";

const written = (description: Description) => {
  const result = write(description);
  if (isWriteError(result)) throw new Error(`${result.code} at ${result.where}`);
  return result;
};

const target = { role: "w", name: "w", shape: [2, 2], type: "f32", payload: new Uint8Array(16) };
const base = written({
  ...tensorPack([target]),
  artifact_class: 2,
  body: { architecture: { id: "tensor-pack/1", parameters: {} }, dependents: true },
});
const words = written(tokenizer({ vocabulary: ["a", "b"] }, { kind: "table/1" }));
const change = written(adapter(base.identities, [{
  op: "lora/1",
  target,
  tensors: {
    a: { role: "o", name: "a", shape: [1, 2], type: "f32", payload: new Uint8Array(8) },
    b: { role: "o", name: "b", shape: [2, 1], type: "f32", payload: new Uint8Array(8) },
  },
  scale: [1, 2],
}]));
const whole = written(composition({
  base: base.identities,
  tokenizer: words.identities,
  adapters: [change.identities],
  kv: { max_positions: 4 },
}));
const set = pieceSet(base.identities, base.bytes);
const envelope = written(signatureEnvelope({
  subject: base.identities,
  statement_type: "release/1",
  statement_hash: new Uint8Array(32).fill(9),
  signed_at: 10,
  expires_at: 20,
  trust_epoch: 1,
  seed: new Uint8Array(32).fill(1),
}));

const REQUESTS: readonly Request[] = [
  {
    line: {
      op: "read",
      path: "0",
      expect: { artifact_id: whole.identities.artifact_id },
      policy: { rank: 2, file_size: 9999 },
      resolve: [{ path: "1" }, { path: "2" }, { path: "3" }],
    },
    artifacts: [whole.bytes, base.bytes, words.bytes, change.bytes],
  },
  {
    line: {
      op: "piece",
      set: { path: "0" },
      index: 0,
      data: base.bytes.toBase64(),
      proof: set.proof(0).map((node) => node.toHex()),
    },
    artifacts: [written(set.description).bytes],
  },
  {
    line: {
      op: "signature",
      envelope: { path: "0" },
      now: 15,
      trust: { epoch: 1, keys: [], revoked: [] },
    },
    artifacts: [envelope.bytes],
  },
];
const INPUTS = REQUESTS.map(layOutRequest);

Deno.test("a request goes through its file unchanged, and no artifact is one", () => {
  for (const [i, input] of INPUTS.entries()) {
    assertEquals(parseRequest(input), REQUESTS[i]);
    assertEquals(repair(input, "sealed", input), input);
  }
  assert(!isRequest(base.bytes) && parseRequest(base.bytes) === null);
});

Deno.test("whatever is left of a request, it is read without a throw", () => {
  const random = new Random(2);
  for (let i = 0; i < 2000; i++) {
    const input = random.pick(INPUTS).slice();
    for (let j = 0; j < 3; j++) input[random.below(80)] = random.below(256);
    const request = parseRequest(input.subarray(0, random.below(input.length)));
    if (request) assert(request.artifacts.length < 64);
  }
});

for (const { name, op, reason } of ASKERS) {
  Deno.test(`${name}: is found to do, says why, and follows from its seed alone`, () => {
    assert(/^[a-z-]+$/.test(name) && reason.length > 4);
    const input = INPUTS[REQUESTS.findIndex(({ line }) => line.op === op)];
    const run = () => {
      const random = new Random(1);
      let at = input;
      const made: Uint8Array[] = [];
      for (let i = 0; i < 600; i++) {
        const { bytes, by } = mutate(at, random, words.bytes);
        if (by.includes(name)) made.push(bytes);
        at = random.oneIn(4) ? input : bytes;
      }
      return made;
    };
    const before = input.slice();
    const made = run();
    assert(made.length > 0);
    assertEquals(made, run());
    assertEquals(input, before);
  });
}

/** Whether the main artifact of a request is accepted with its resolver. */
function resolves(input: Uint8Array): boolean {
  const { artifacts: [main, ...others] } = parseRequest(input)!;
  const resolve = others.map((file) => ({ source: memorySource(file) }));
  return cursor.read({ source: memorySource(main), resolve }).verdict.verdict === "accept";
}

Deno.test("an artifact that changes is named anew by all that name it", () => {
  const [{ line, artifacts }] = REQUESTS;
  assert(resolves(INPUTS[0]));
  const { tensors: [{ object }] } = parse(base.bytes);
  const at = base.bytes.length - object.length;
  const changed = artifacts.map((file) => file === base.bytes ? file.with(at, 1) : file);
  const input = layOutRequest({ line, artifacts: changed });
  assert(!resolves(input));
  const linked = repair(input, "sealed", INPUTS[0]);
  assert(resolves(linked));
  const id = JSON.stringify(parseRequest(linked)!.line.expect);
  assert(!id.includes(whole.identities.artifact_id), "what is expected follows too");
});

Deno.test("resolve-claims: each check of an adapter against its base and tokenizer fails", () => {
  const { ask } = ASKERS.find(({ name }) => name === "resolve-claims")!;
  const random = new Random(4);
  const codes = Array.from({ length: 100 }, () => {
    const artifacts = [...REQUESTS[0].artifacts];
    const request: Request = { line: { ...REQUESTS[0].line, expect: {} }, artifacts };
    assert(ask(request, random, base.bytes));
    const input = layOutRequest(relink(request, REQUESTS[0]));
    const { artifacts: [main, ...others] } = parseRequest(input)!;
    const resolve = others.map((file) => ({ source: memorySource(file) }));
    const { verdict } = cursor.read({ source: memorySource(main), resolve });
    return verdict.verdict === "reject" ? verdict.code : verdict.verdict;
  });
  const expected = ["BaseMismatch", "LayoutMismatch", "TokenizerMismatch"] as const;
  for (const code of [...expected, "TargetMissing", "TargetShape", "TargetQuant"] as const) {
    assert(codes.includes(code), code);
  }
});

Deno.test("an artifact becomes a request now and then", () => {
  const random = new Random(3);
  const made = Array.from({ length: 1000 }, () => mutate(envelope.bytes, random, base.bytes));
  const asked = made.filter(({ bytes }) => isRequest(bytes));
  assert(asked.length > 5 && asked.length < 60);
  assertEquals(new Set(asked.map(({ by: [first] }) => first)), new Set(["wrap"]));
});
