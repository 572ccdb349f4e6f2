/** A testee over one of our readers in a worker of headless Chromium. */
import { bundle } from "../browser/bundle.ts";
import { Chromium, findChromium } from "../browser/chromium.ts";
import { DevtoolsError } from "../browser/devtools.ts";
import { Site } from "../browser/site.ts";
import { PageError, type Tab } from "../browser/tab.ts";
import { UsageError } from "../exit.ts";
import { mapArtifacts } from "./artifacts.ts";
import { isObject, type JsonObject } from "./line.ts";
import type { Ask, Fault, Outcome, Testee, TesteeInfo } from "./testee.ts";
import { answerOf, HELLO, infoOf, requestLine } from "./wire.ts";

/** A fresh page compiles the reader before it greets. */
const HELLO_MS = 30_000;

/**
 * Starts Chromium with `reader`, `cursor` or `table`, in a worker.
 * @throws UsageError where there is no Chromium, or it does not start
 */
export async function startInChromium(
  reader: string,
  limits: { readonly milliseconds: number },
): Promise<Testee> {
  const path = findChromium();
  if (path === null) {
    throw new UsageError("no Chromium here: install it, or name it in SLMLAB_CHROMIUM");
  }
  const [page, worker] = await Promise.all(
    ["testee_page", "testee_worker"].map((name) =>
      bundle(new URL(`../browser/page/${name}.ts`, import.meta.url))
    ),
  );
  const site = new Site({
    "/": { type: "text/html", text: `<!doctype html><script>${page}</script>` },
    "/worker.js": { type: "text/javascript", text: worker },
  });
  try {
    const chromium = await Chromium.launch(path);
    const testee = new InChromium(chromium, site, reader, limits);
    await testee.greet();
    return testee;
  } catch (error) {
    await site.close();
    if (error instanceof DevtoolsError) throw new UsageError(error.message);
    throw error;
  }
}

class InChromium implements Testee {
  info!: TesteeInfo;
  readonly notes: readonly string[];
  #tab: Tab | null = null;
  #nextId = 1;

  constructor(
    private readonly chromium: Chromium,
    private readonly site: Site,
    private readonly reader: string,
    private readonly limits: { readonly milliseconds: number },
  ) {
    this.notes = [`runs in a worker of ${chromium.version}: memory is not watched`];
  }

  async greet(): Promise<void> {
    const greeting = await this.#exchange(HELLO, HELLO_MS);
    const info = "verdict" in greeting ? { fault: greeting.why } : infoOf(greeting.line);
    if ("fault" in info) {
      await this.chromium.close();
      throw new DevtoolsError(`no reader in Chromium: ${info.fault}`);
    }
    this.info = { ...info.value, name: `${info.value.name}@chromium` };
  }

  async ask(ask: Ask): Promise<Outcome> {
    const offered: string[] = [];
    const served = mapArtifacts(ask, (artifact) => {
      const path = this.site.offer(artifact);
      offered.push(path);
      return { path };
    });
    const id = this.#nextId++;
    const said = await this.#exchange(requestLine(id, served), this.limits.milliseconds);
    offered.forEach((path) => this.site.withdraw(path));
    if ("verdict" in said) return said;
    const answer = answerOf(said.line, id, ask.op);
    if ("value" in answer) return answer.value;
    return { verdict: "protocol", why: answer.fault, stderr: "" };
  }

  async close(): Promise<string | null> {
    await this.chromium.close();
    await this.site.close();
    return null;
  }

  /** One line to the worker and back. After a fault the page is closed, the next ask opens another. */
  async #exchange(
    line: JsonObject,
    milliseconds: number,
  ): Promise<{ readonly line: JsonObject } | Fault> {
    let late = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      const tab = this.#tab ??= await this.chromium.tab(`${this.site.address}/#${this.reader}`);
      timer = setTimeout(() => {
        late = true;
        tab.close();
      }, milliseconds);
      const answer = await tab.evaluate(`ask(${JSON.stringify(line)})`);
      if (isObject(answer)) return { line: answer };
      throw new PageError("the page gave no object");
    } catch (error) {
      if (!(error instanceof PageError || error instanceof DevtoolsError)) throw error;
      if (!late) await this.#tab?.close();
      this.#tab = null;
      const why = late ? `no answer within ${milliseconds / 1000} s` : error.message;
      return { verdict: late ? "hang" : "crash", why, stderr: "" };
    } finally {
      clearTimeout(timer);
    }
  }
}
