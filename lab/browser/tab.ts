/** One page in Chromium: what it computes, what it looks like, files given to it. */
import { type Devtools, DevtoolsError, type Json } from "./devtools.ts";

/** A throw in a page, with its stack. */
export class PageError extends Error {
  override name = "PageError";
}

export class Tab {
  private constructor(
    private readonly devtools: Devtools,
    private readonly target: string,
    private readonly session: string,
  ) {}

  /** Opens a page; its `load` event has passed when this returns. */
  static async open(devtools: Devtools, address: string): Promise<Tab> {
    const { targetId } = await devtools.call("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await devtools.call("Target.attachToTarget", { targetId, flatten: true });
    const tab = new Tab(devtools, targetId as string, sessionId as string);
    const loaded = new Promise<void>((resolve) => tab.on("Page.loadEventFired", () => resolve()));
    tab.on("Inspector.targetCrashed", () => devtools.forget(tab.session, "the page crashed"));
    for (const domain of ["Inspector", "Page", "Runtime"]) await tab.call(`${domain}.enable`);
    const { errorText } = await tab.call("Page.navigate", { url: address });
    if (errorText) throw new DevtoolsError(`${address} does not load: ${errorText}`);
    await loaded;
    return tab;
  }

  /** A method of the protocol on this page. */
  call(method: string, params: Json = {}): Promise<Json> {
    return this.devtools.call(method, params, this.session);
  }

  on(method: string, listener: (params: Json) => void): void {
    this.devtools.on(this.session, method, listener);
  }

  /**
   * The value of an expression, awaited. It must be one that JSON can carry.
   * @throws PageError for a throw of the page, DevtoolsError where the page is gone
   */
  async evaluate<T>(expression: string): Promise<T> {
    const { result, exceptionDetails } = await this.call("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
    }) as {
      result: { value: T };
      exceptionDetails?: { text: string; exception?: { description?: string } };
    };
    if (exceptionDetails === undefined) return result.value;
    throw new PageError(exceptionDetails.exception?.description ?? exceptionDetails.text);
  }

  /** Gives files to the file input that `selector` finds, as a person would choose them. */
  async chooseFiles(selector: string, paths: readonly string[]): Promise<void> {
    const { root } = await this.call("DOM.getDocument") as { root: { nodeId: number } };
    const { nodeId } = await this.call("DOM.querySelector", { nodeId: root.nodeId, selector });
    await this.call("DOM.setFileInputFiles", { nodeId, files: paths });
  }

  /** Sizes the window in CSS pixels and sets which colour scheme the page is told. */
  async look(width: number, height: number, scheme: "light" | "dark"): Promise<void> {
    await this.call("Emulation.setDeviceMetricsOverride", {
      width,
      height,
      deviceScaleFactor: 1,
      mobile: false,
    });
    await this.call("Emulation.setEmulatedMedia", {
      features: [{ name: "prefers-color-scheme", value: scheme }],
    });
  }

  /** The whole page as PNG. */
  async screenshot(): Promise<Uint8Array<ArrayBuffer>> {
    const { data } = await this.call("Page.captureScreenshot", { captureBeyondViewport: true });
    return Uint8Array.fromBase64(data as string);
  }

  /** Closes it; what waits for it ends with `why`. */
  async close(why = "the page was closed"): Promise<void> {
    this.devtools.forget(this.session, why);
    await this.devtools.call("Target.closeTarget", { targetId: this.target }).catch(() => {});
  }
}
