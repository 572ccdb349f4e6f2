/** A testee over one of our readers in a worker of headless Chromium. */
import type { Said } from "../browser/page/testee_worker.ts";
import { bundle } from "../browser/bundle.ts";
import { Chromium, findChromium } from "../browser/chromium.ts";
import { DevtoolsError } from "../browser/devtools.ts";
import { Site } from "../browser/site.ts";
import { PageError, type Tab } from "../browser/tab.ts";
import { UsageError } from "../exit.ts";
import { mapArtifacts } from "./artifacts.ts";
import type { JsonObject } from "./line.ts";
import type { Ask, Fault, Outcome, Testee, TesteeInfo } from "./testee.ts";
import { answerOf, HELLO, infoOf, requestLine } from "./wire.ts";

/** The worker is named after its reader. */
const PAGE = `<!doctype html><script>
new Worker("/worker.js", { name: location.hash.slice(1) });
</script>`;

/** Bytes up to which an artifact goes along with its request; it is fetched else. */
const BY_VALUE = 2 ** 20;

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
  const worker = await bundle(new URL("../browser/page/testee_worker.ts", import.meta.url));
  const site = new Site({
    "/": { type: "text/html", text: PAGE },
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
  #socket: WebSocket | null = null;
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
      if ("bytes" in artifact && artifact.bytes.length <= BY_VALUE) return artifact;
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
    const fault = (verdict: Fault["verdict"], why: string) => ({ verdict, why, stderr: "" });
    let said: { readonly line: JsonObject } | Fault;
    try {
      const socket = this.#socket ??= await this.#open();
      said = await within(milliseconds, answerTo(line, socket)) ??
        fault("hang", `no answer within ${milliseconds / 1000} s`);
    } catch (error) {
      if (!(error instanceof PageError || error instanceof DevtoolsError)) throw error;
      said = fault("crash", error.message);
    }
    if ("verdict" in said) await this.#drop();
    return said;
  }

  async #open(): Promise<WebSocket> {
    const connected = this.site.socket();
    this.#tab = await this.chromium.tab(`${this.site.address}/#${this.reader}`);
    const socket = await within(HELLO_MS, connected);
    if (socket === null) throw new DevtoolsError("the worker does not start");
    return socket;
  }

  async #drop(): Promise<void> {
    await this.#tab?.close();
    this.#tab = null;
    this.#socket = null;
  }
}

/** What the worker says to a line. @throws PageError for what its reader threw, or its end */
function answerTo(line: JsonObject, socket: WebSocket): Promise<{ readonly line: JsonObject }> {
  return new Promise((resolve, reject) => {
    const ended = () => reject(new PageError("the worker ended without an answer"));
    if (socket.readyState !== WebSocket.OPEN) return ended();
    socket.onclose = ended;
    socket.onmessage = ({ data }) => {
      const said: Said = JSON.parse(data);
      if ("answer" in said) resolve({ line: said.answer });
      else reject(new PageError(said.thrown));
    };
    socket.send(JSON.stringify(line));
  });
}

/** What `work` comes to, or null where that takes longer. */
async function within<T>(milliseconds: number, work: Promise<T>): Promise<T | null> {
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(() => late.resolve(null), milliseconds);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
