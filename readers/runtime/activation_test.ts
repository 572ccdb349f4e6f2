import { assert, assertEquals, assertRejects } from "@std/assert";
import type { Reject, Source } from "../contract.ts";
import { memorySource } from "../source.ts";
import { activate, type ActivationRequest } from "./activation.ts";
import type { Context } from "./context.ts";
import { generate } from "./generate.ts";
import { isReject } from "./outcome.ts";
import type { State } from "./states.ts";
import {
  active,
  counted,
  request,
  spoilt,
  TINY,
  tinyTensors,
  type World,
  world,
} from "./testing.ts";

/** Another composition than the one that is tried: it must stay active. */
const OLD = world({ composition: { generation: { max_new_tokens: 5 } } });

async function textOf(context: Context): Promise<string> {
  const generation = await generate(context, { prompt: { text: "abc" } });
  if (!("tokens" in generation)) throw new Error("no generation");
  return generation.text;
}

/** Tries `it` over an active old context, which must go on as before. */
async function rejected(it: World, more: Partial<ActivationRequest>): Promise<Reject> {
  const old = request(OLD);
  const before = await activate(old);
  if (isReject(before)) throw new Error(before.code);
  const text = await textOf(before);
  const outcome = await activate(request(it, { ...more, slot: old.slot }));
  assert(isReject(outcome), "it was activated");
  assert(old.slot.active === before, "the old context is not active any more");
  assertEquals(await textOf(before), text);
  assertEquals(it.store.open_files, 0, "files are left open");
  return outcome;
}

const codeOf = ({ stage, code, section }: Reject) => `${stage} ${code} [${section}]`;

Deno.test("activation: every state, one after the other, and then it works", async () => {
  const seen: State[] = [];
  const it = world();
  const context = await active(it, { observe: (state) => seen.push(state) });
  assertEquals(seen.length, 8);
  assertEquals(seen.at(-1), "ACTIVE");
  assertEquals(it.store.open_files, 0);
  assert((await textOf(context)).length > 0);
});

Deno.test("activation: a swap frees the old context once its last conversation ends", async () => {
  const { choice, live } = counted();
  const old = request(OLD, { backend: choice });
  const before = await activate(old);
  if (isReject(before)) throw new Error(before.code);
  before.retain();
  const own = live();
  assert(own > 0);
  assert(!isReject(await activate(request(world(), { slot: old.slot }))));
  assertEquals(live(), own, "in use, so not freed");
  before.release();
  assertEquals(live(), 0);
});

Deno.test("activation: a backend that fails at any call leaves nothing behind", async () => {
  const good = counted();
  const context = await active(world(), { backend: good.choice });
  const calls = good.calls();
  assert(calls > 20);
  context.release();
  assertEquals(good.live(), 0);
  for (let at = 1; at <= calls; at++) {
    for (const how of ["refuse", "throw"] as const) {
      const { choice, live } = counted(at, how);
      const it = world();
      const slotted = request(it, { backend: choice });
      if (how === "throw") {
        await assertRejects(() => activate(slotted), Error, `call ${at}`);
      } else {
        const outcome = await activate(slotted);
        const last = at === calls ? "SmokeCheckFailed" : "ResourceLimit";
        assertEquals(isReject(outcome) && outcome.code, last, `call ${at}`);
      }
      assertEquals(live(), 0, `call ${at}, ${how}`);
      assertEquals(slotted.slot.active, null);
      assertEquals(it.store.open_files, 0);
    }
  }
});

Deno.test("activation: a failure upon reaching any state but ACTIVE leaves the old one", async () => {
  const states: State[] = [];
  await active(world(), { observe: (state) => states.push(state) });
  for (const at of states.slice(0, -1)) {
    const { choice, live } = counted();
    const old = request(OLD);
    const before = await activate(old);
    const it = world();
    const observe = (state: State) => {
      if (state === at) throw new Error(`at ${at}`);
    };
    const tried = request(it, { backend: choice, observe, slot: old.slot });
    await assertRejects(() => activate(tried), Error, `at ${at}`);
    assert(old.slot.active === before);
    assertEquals([live(), it.store.open_files], [0, 0], at);
  }
});

Deno.test("activation: another one that commits in between wins: CommitFailed", async () => {
  const { choice, live } = counted();
  const tried = request(world(), { backend: choice });
  let other: Context | Reject | null = null;
  let nested: Promise<void> | undefined;
  const backend = {
    name: "cpu",
    async open() {
      nested ??= activate(request(OLD, { slot: tried.slot })).then((given) => void (other = given));
      await nested;
      return choice.open();
    },
  } as const;
  const outcome = await activate({ ...tried, backend });
  assert(isReject(outcome));
  assertEquals(codeOf(outcome), "32 CommitFailed [none]");
  assert(other !== null && tried.slot.active === other);
  assertEquals(live(), 0);
});

Deno.test("activation: every read of every file may fail", async () => {
  const failing = (source: Source, at: number) =>
    spoilt(source, () => {
      throw new Error("read error");
    }, at);
  const ids = [...world().store.sources.keys()];
  for (const id of [null, ...ids]) {
    let outcome: Context | Reject | null = null;
    for (let at = 1; outcome === null || isReject(outcome); at++) {
      assert(at < 500, "it never succeeds");
      const it = world();
      const { choice, live } = counted();
      if (id) it.store.sources.set(id, failing(it.store.sources.get(id)!, at));
      const source = memorySource(it.composition.bytes);
      const composition = id ? source : failing(source, at);
      const tried = request(it, { backend: choice, composition });
      outcome = await activate(tried);
      if (!isReject(outcome)) break;
      assert(
        [
          "1 SourceIo [none]",
          "25 DependencyMissing [manifest]",
          "25 DependencyWholeFile [manifest]",
        ]
          .includes(codeOf(outcome)),
        codeOf(outcome),
      );
      assertEquals([live(), it.store.open_files, tried.slot.active], [0, 0, null]);
    }
  }
});

Deno.test("activation: bytes that change after the reader's look never reach the kernels", async () => {
  const it = world();
  const base = it.base.identities.artifact_id;
  const good = it.store.sources.get(base)!;
  // The payload stands at the end: flip a bit there on every read after the first n.
  let outcome: Context | Reject | null = null;
  let mismatches = 0;
  for (let n = 0; outcome === null || isReject(outcome); n++) {
    assert(n < 500, "it never succeeds");
    let reads = 0;
    it.store.sources.set(base, {
      size: good.size,
      read(offset, into) {
        const filled = good.read(offset, into);
        const at = good.size() - 1 - offset;
        if (reads++ >= n && at >= 0 && at < filled) into[at] ^= 1;
        return filled;
      },
    });
    outcome = await activate(request(it));
    if (isReject(outcome) && outcome.code === "PayloadHashMismatch") {
      assertEquals(codeOf(outcome), "26 PayloadHashMismatch [payload]");
      mismatches++;
    }
  }
  assert(mismatches > 0, "no run got past the readers to the hash at delivery");
});

Deno.test("activation: a q8-0 block with an infinite scale fails the smoke check", async () => {
  const parameters = { dim: 32, head_dim: 8, heads: 4, hidden_dim: 32, kv_heads: 2 };
  const shape = { ...TINY, ...parameters };
  const tensors = tinyTensors(shape, "q8-0.b32.row");
  const poisoned = tensors.map((tensor) => {
    if (tensor.role !== "ffn-up" || !(tensor.payload instanceof Uint8Array)) return tensor;
    const payload = tensor.payload.slice();
    payload.set([0x00, 0x7c]);
    return { ...tensor, payload };
  });
  assert(!isReject(await activate(request(world({ parameters: shape, tensors })))));
  const reject = await rejected(world({ parameters: shape, tensors: poisoned }), {});
  assertEquals(codeOf(reject), "31 SmokeCheckFailed [none]");
});

Deno.test("activation: a stored file that was damaged is DependencyWholeFile", async () => {
  for (const part of ["base", "tokenizer"] as const) {
    const it = world();
    const bytes = it[part].bytes.slice();
    bytes[bytes.length - 1] ^= 1;
    it.store.sources.set(it[part].identities.artifact_id, memorySource(bytes));
    assertEquals(codeOf(await rejected(it, {})), "25 DependencyWholeFile [manifest]");
  }
});

Deno.test("activation: the first dependency at fault decides, missing or damaged", async () => {
  const it = world();
  const damaged = it.tokenizer.bytes.slice();
  damaged[300] ^= 1;
  it.store.sources.set(it.tokenizer.identities.artifact_id, memorySource(damaged));
  it.store.sources.delete(it.base.identities.artifact_id);
  assertEquals(codeOf(await rejected(it, {})), "25 DependencyMissing [manifest]");
});

Deno.test("activation: what is no composition, or no artifact, is refused by its stage", async () => {
  const it = world();
  const whole = async (composition: Source) => codeOf(await rejected(it, { composition }));
  assertEquals(await whole(memorySource(it.base.bytes)), "25 DependencyClass [manifest]");
  assertEquals(await whole(memorySource(new Uint8Array(300))), "4 BadMagic [header]");
  assertEquals(
    await whole(memorySource(it.composition.bytes.subarray(0, 100))),
    "3 TruncatedHeader [header]",
  );
});

Deno.test("activation: memory: what is required, and what is predicted", async () => {
  const asking = world({ composition: { requirements: { memory_bytes: 1 << 30 } } });
  assertEquals(
    codeOf(await rejected(asking, { memory: 1 << 29 })),
    "25 RuntimeCapability [manifest]",
  );
  assertEquals(codeOf(await rejected(world(), { memory: 1000 })), "31 ResourceLimit [none]");
});
