/** What a device may do wrong, and what it has too little of. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { type AnyBackend, isRefusal, type MatrixSpec, Unserved, type Weight } from "../backend.ts";
import { DEFAULT_LIMITS } from "./device.ts";
import { gpuTest } from "./testing.ts";

/** Row r of [rows, columns] in f32 is r everywhere; given in windows, never whole. */
async function rising(backend: AnyBackend, rows: number, columns: number) {
  const spec: MatrixSpec = { format: "f32", tail: "exact", rows, columns };
  return await backend.load(spec, (into, offset) => {
    const floats = new Float32Array(into.buffer, into.byteOffset, into.length / 4);
    for (let i = 0; i < floats.length;) {
      const row = Math.floor((offset / 4 + i) / columns), end = (row + 1) * columns - offset / 4;
      floats.fill(row, i, i = Math.min(end, floats.length));
    }
  });
}

gpuTest(
  "a tensor over the default binding size is split, its last row right",
  async (backend) => {
    const rows = 102400, columns = 512; // 200 MiB
    const weight = await rising(backend, rows, columns) as Weight & { parts: unknown[] };
    assertEquals(weight.parts.length, 2);
    const x = new Float32Array(columns);
    x[511] = 2;
    const got = await backend.ops.matvec(weight, x);
    for (const row of [0, 1, 65535, 65536, 102399]) assertEquals(got[row], 2 * row);
    assertEquals((await backend.ops.row(weight, 102399))[0], 102399);
  },
  DEFAULT_LIMITS,
);

gpuTest("a product of more groups than a dispatch has along an axis", async (backend) => {
  const got = await backend.ops.matvec(
    await rising(backend, 1000, 8) as Weight,
    new Float32Array(8).fill(1),
  );
  assertEquals([...got], Array.from({ length: 1000 }, (_, row) => 8 * row));
}, { groups: 3 });

gpuTest("rows and caches that no buffer takes are refused by name", async (backend) => {
  const row = await rising(backend, 2, 1024);
  assert(isRefusal(row));
  assertEquals(row.refused, "ResourceLimit");
  // blocks that span rows: a part ends where a row and a block end together, and 32 rows of 33 do not fit
  const spec: MatrixSpec = { format: "q8-0.b32", tail: "pad", rows: 4000, columns: 33 };
  assert(isRefusal(await backend.load(spec, () => {})) === false);
}, { storage: 4000 });

gpuTest("a weight that the device changes is refused", async (backend) => {
  const { gpu } = backend, look = gpu.look.bind(gpu);
  gpu.look = (staging, buffer, offset, use) =>
    look(staging, buffer, offset, (there) => {
      new Uint8Array(there)[7] ^= 1;
      return use(there);
    });
  const weight = await rising(backend, 3, 3);
  assert(isRefusal(weight));
  assertEquals(weight, {
    refused: "RuntimeCapability",
    why: "the device changed byte 7 of a weight",
  });
});

gpuTest("what fill throws passes through", async (backend) => {
  const broken = new Error("flipped bit");
  const spec: MatrixSpec = { format: "f32", tail: "exact", rows: 1, columns: 4 };
  await assertRejects(
    () =>
      Promise.resolve(backend.load(spec, () => {
        throw broken;
      })),
    Error,
    "flipped bit",
  );
});

gpuTest("a lost device: loads are refused, operations say why", async (backend) => {
  const weight = await rising(backend, 3, 3) as Weight;
  backend.gpu.device.destroy();
  await backend.gpu.device.lost;
  const refused = await rising(backend, 3, 3);
  assert(isRefusal(refused));
  assertEquals(refused.refused, "RuntimeCapability");
  await assertRejects(
    () => Promise.resolve(backend.ops.matvec(weight, new Float32Array(3))),
    Unserved,
    "lost",
  );
});

gpuTest("limits asked for never exceed the adapter's", async ({ gpu }) => {
  const adapter = await navigator.gpu.requestAdapter();
  assert(
    gpu.device.limits.maxStorageBufferBindingSize <= adapter!.limits.maxStorageBufferBindingSize,
  );
  assert(gpu.device.limits.maxBufferSize <= adapter!.limits.maxBufferSize);
  assert(gpu.limits.storage <= gpu.device.limits.maxStorageBufferBindingSize);
});
