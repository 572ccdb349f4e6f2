/** The house's compute backends by name, each loaded only when it is asked for. */
import { tmpdir } from "node:os";
import type { BackendChoice } from "../readers/runtime/mod.ts";
import { UsageError } from "./exit.ts";

const BACKENDS: Record<string, () => Promise<BackendChoice>> = {
  cpu: async () => ({ name: "cpu", open: (await import("../kernels/cpu/backend.ts")).openCpu }),
  wasm: async () => {
    const { openWasm } = await import("../kernels/wasm/backend.ts");
    return { name: "wasm", open: () => openWasm() };
  },
  webgpu: async () => {
    // a driver of Mesa's says on standard error that it lacks this, each time it is opened
    if (!Deno.env.has("XDG_RUNTIME_DIR")) Deno.env.set("XDG_RUNTIME_DIR", tmpdir());
    const { openWebGpu } = await import("../kernels/webgpu/backend.ts");
    return { name: "webgpu", open: () => openWebGpu() };
  },
};

export const BACKEND_NAMES: readonly string[] = Object.keys(BACKENDS);

/** @throws UsageError for a name that is none */
export function loadBackend(name: string): Promise<BackendChoice> {
  const load = Object.hasOwn(BACKENDS, name) ? BACKENDS[name] : undefined;
  if (!load) throw new UsageError(`no backend '${name}'; there are ${BACKEND_NAMES.join(", ")}`);
  return load();
}
