/** Activation on a device that fails, at every step: nothing stays on it, the old context goes on. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { Unserved } from "../../kernels/backend.ts";
import { openWebGpu } from "../../kernels/webgpu/backend.ts";
import { type Fault, FAULTS, FaultyMachine, type Plan } from "../../kernels/webgpu/faulty.ts";
import { gpuTest } from "../../kernels/webgpu/testing.ts";
import { activate, type BackendChoice } from "./activation.ts";
import type { Context } from "./context.ts";
import { Conversation } from "./conversation.ts";
import { logits } from "./logits.ts";
import { isReject } from "./outcome.ts";
import { active, request, TINY, tinyTensors, world, type WorldParts } from "./testing.ts";

const ONE_LAYER = { ...TINY, layers: 1, dim: 32, head_dim: 8, heads: 4, hidden_dim: 64 };

const PARTS: WorldParts = {
  parameters: ONE_LAYER,
  tensors: tinyTensors(ONE_LAYER, "q4-0.b32.row"),
};

function on(machine: FaultyMachine): BackendChoice {
  return { name: "webgpu", open: () => openWebGpu({}, machine.find) };
}

async function answer(context: Context): Promise<Float32Array> {
  const found = await logits(context, [1, 2, 3], [2]);
  if (isReject(found)) throw new Error(`${found.code}: ${found.expected}`);
  return found[0].logits;
}

/** Nothing that was made is left. */
function assertClean({ made, freed, plan }: FaultyMachine): void {
  assertEquals(freed, made, `${plan.fault} at ${plan.at}`);
}

/** At most six of the calls 1 .. n: the first two, the last two, and some between. */
function chosen(n: number): number[] {
  const all = [1, 2, Math.round(n / 3), Math.round(2 * n / 3), n - 1, n];
  return [...new Set(all.filter((at) => at >= 1 && at <= n))];
}

/** What no activation can notice: the last values that a pass is given, and those that it gives. */
function unnoticed({ fault, at }: Plan, calls: number): boolean {
  return fault === "a write changes a byte" && at > calls - 2 ||
    fault === "a readback differs by one byte" && at === calls;
}

/** Those that have not the code of a device that does not serve: a lost one may say either. */
const CODES: Readonly<Partial<Record<Fault, readonly string[]>>> = {
  "a buffer cannot be made": ["ResourceLimit"],
  "the device is out of memory": ["ResourceLimit"],
  "the device is lost": ["ResourceLimit", "RuntimeCapability"],
};

gpuTest("activation: a fault at any step leaves the old context as it was", async () => {
  const old = new FaultyMachine(), it = world(PARTS);
  const other = world({ ...PARTS, composition: { generation: { max_new_tokens: 5 } } });
  const first = request(other, { backend: on(old) });
  const before = await activate(first);
  if (isReject(before)) throw new Error(before.code);
  const want = await answer(before);

  const well = new FaultyMachine();
  (await active(it, { backend: on(well) })).release();
  assertClean(well);

  let attempts = 0;
  for (const fault of FAULTS) {
    const calls = well.calls.get(fault)!;
    for (const at of chosen(calls)) {
      if (unnoticed({ fault, at }, calls)) continue;
      const machine = new FaultyMachine({ fault, at }), what = `${fault} at ${at} of ${calls}`;
      const outcome = await activate(request(it, { backend: on(machine), slot: first.slot }));
      attempts++;
      assert(machine.struck, what);
      assert(isReject(outcome), what);
      const smoke = fault === "a readback is no number" && at === calls;
      const codes = smoke ? ["SmokeCheckFailed"] : CODES[fault] ?? ["RuntimeCapability"];
      assert(codes.includes(outcome.code), `${what}: ${outcome.code}`);
      assert(first.slot.active === before, what);
      assertClean(machine);
      assertEquals(it.store.open_files, 0);
      assertEquals(await answer(before), want);
    }
  }
  assert(attempts > 50, `${attempts}`);
  assertEquals(old.freed.devices, 0);
  before.release();
  assertClean(old);
});

gpuTest("a device lost while it serves: said so, freed, another takes over", async () => {
  const machine = new FaultyMachine(), first = request(world(PARTS), { backend: on(machine) });
  const context = await activate(first);
  if (isReject(context)) throw new Error(context.code);
  const conversation = Conversation.open(context);
  if (isReject(conversation)) throw new Error(conversation.code);
  await machine.lose();
  const refused = await logits(context, [1], [0]);
  assert(isReject(refused) && refused.expected?.includes("lost"));
  await assertRejects(() => conversation.feed([1]), Unserved, "lost");
  conversation.close();
  const next = await activate(request(world(), { slot: first.slot }));
  assert(!isReject(next) && first.slot.active === next);
  assertClean(machine);
});

gpuTest("activation: tensors are split at the device's largest binding", async () => {
  const machine = new FaultyMachine(), it = world({ parameters: ONE_LAYER });
  const open = () => openWebGpu({ storage: 1024 }, machine.find);
  const context = await active(it, { backend: { name: "webgpu", open } });
  const want = await answer(await active(it));
  const { parts } = context.model.output as unknown as { parts: unknown[] };
  assertEquals(parts.length, 3, "18 rows of 128 bytes, 8 a part");
  (await answer(context)).forEach((x, i) => assert(Math.abs(x - want[i]) < 1e-4));
  context.release();
  assertClean(machine);
});
