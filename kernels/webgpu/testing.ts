/** Tests that need a device: where there is none they say so by name, and fail in CI. */
import { tmpdir } from "node:os";
import { isRefusal } from "../backend.ts";
import { openWebGpu, type WebGpuBackend } from "./backend.ts";
import type { Limits } from "./device.ts";

// a driver of Mesa's says on standard error that it lacks this, each time it is opened
if (!Deno.env.has("XDG_RUNTIME_DIR")) Deno.env.set("XDG_RUNTIME_DIR", tmpdir());

const found = await openWebGpu();
const absent = isRefusal(found) ? found.why : null;
if (!isRefusal(found)) found.close();

/** A test with a backend of its own. */
export function gpuTest(
  name: string,
  test: (backend: WebGpuBackend) => Promise<void>,
  most: Partial<Limits> = {},
): void {
  if (absent !== null && Deno.env.get("CI") !== "true") {
    Deno.test({ name: `webgpu: ${name} [skipped: ${absent}]`, ignore: true, fn() {} });
    return;
  }
  Deno.test(`webgpu: ${name}`, async () => {
    const backend = await openWebGpu(most);
    if (isRefusal(backend)) throw new Error(backend.why);
    try {
      await test(backend);
    } finally {
      backend.close();
    }
  });
}
