/** Faults forced into every step of an activation: nothing is left behind, the old one goes on. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import type { Reject, Source } from "../contract.ts";
import { memorySource } from "../source.ts";
import { activate } from "./activation.ts";
import type { Context } from "./context.ts";
import { isReject } from "./outcome.ts";
import type { State } from "./states.ts";
import { active, counted, READERS, request, spoilt, world } from "./testing.ts";

const OLD = world({ composition: { generation: { max_new_tokens: 5 } } });

const codeOf = ({ stage, code, section }: Reject) => `${stage} ${code} [${section}]`;

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

for (const reader of READERS) {
  Deno.test(`activation: every read of every file may fail, with reader ${reader.name}`, async () => {
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
        const tried = request(it, { reader, backend: choice, composition });
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
}

for (const reader of READERS) {
  Deno.test(`activation: bytes that change after the reader's look never reach the kernels, with reader ${reader.name}`, async () => {
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
      outcome = await activate(request(it, { reader }));
      if (isReject(outcome) && outcome.code === "PayloadHashMismatch") {
        assertEquals(codeOf(outcome), "26 PayloadHashMismatch [payload]");
        mismatches++;
      }
    }
    assert(mismatches > 0, "no run got past the readers to the hash at delivery");
  });
}
