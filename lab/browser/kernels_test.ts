/** The Wasm kernels give the same bits in Chromium as in Deno. */
import { assertEquals } from "@std/assert";
import { LAYOUTS } from "../../kernels/quant/format.ts";
import { bundle } from "./bundle.ts";
import { Chromium } from "./chromium.ts";
import { kernelBits } from "./kernel_bits.ts";
import { browserTest } from "./testing.ts";

browserTest("the Wasm kernels in Chromium, bit by bit", async (path) => {
  const script = await bundle(new URL("page/kernels.ts", import.meta.url));
  const chromium = await Chromium.launch(path);
  try {
    const tab = await chromium.tab("about:blank");
    await tab.evaluate(`${script}; null`);
    const here = await kernelBits();
    assertEquals(await tab.evaluate("kernelBits()"), here);
    assertEquals(Object.keys(here).length, 3 * Object.keys(LAYOUTS).length + 7);
  } finally {
    await chromium.close();
  }
});
