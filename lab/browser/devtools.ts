/** The Chrome DevTools protocol over one WebSocket: calls that are answered, and events. */

/** Something that the browser did not do; its message is the browser's and may quote a page. */
export class DevtoolsError extends Error {
  override name = "DevtoolsError";
}

/** A method's parameters, result or event: JSON, whose form the method decides. */
export type Json = Readonly<Record<string, unknown>>;

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly sessionId?: string;
  readonly params?: Json;
  readonly result?: Json;
  readonly error?: { readonly message: string };
}

interface Call {
  readonly sessionId?: string;
  readonly resolve: (result: Json) => void;
  readonly reject: (error: DevtoolsError) => void;
}

export type Listener = (params: Json) => void;

export class Devtools {
  readonly #socket: WebSocket;
  readonly #calls = new Map<number, Call>();
  readonly #listeners = new Map<string, Set<Listener>>();
  #nextId = 1;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.onmessage = ({ data }) => this.#take(JSON.parse(data));
    socket.onclose = () => this.#fail(() => true, "the browser is gone");
  }

  /** @throws DevtoolsError where nobody answers there */
  static connect(address: string): Promise<Devtools> {
    const socket = new WebSocket(address);
    return new Promise((resolve, reject) => {
      socket.onopen = () => resolve(new Devtools(socket));
      socket.onerror = () => reject(new DevtoolsError("the browser cannot be spoken to"));
    });
  }

  /**
   * Calls a method, of the browser or of the page with that session.
   * @throws DevtoolsError where the browser refuses, or is gone before it answers
   */
  call(method: string, params: Json = {}, sessionId?: string): Promise<Json> {
    if (this.#socket.readyState !== WebSocket.OPEN) {
      return Promise.reject(new DevtoolsError("the browser is gone"));
    }
    const id = this.#nextId++;
    this.#socket.send(JSON.stringify({ id, method, params, sessionId }));
    return new Promise((resolve, reject) => this.#calls.set(id, { sessionId, resolve, reject }));
  }

  /** Hears every `method` event of a session until that is forgotten. */
  on(sessionId: string, method: string, listener: Listener): void {
    const key = `${sessionId} ${method}`;
    const listeners = this.#listeners.get(key) ?? new Set();
    this.#listeners.set(key, listeners.add(listener));
  }

  /** Ends what waits for a session, whose page is gone for the reason `why`. */
  forget(sessionId: string, why: string): void {
    for (const key of this.#listeners.keys()) {
      if (key.startsWith(`${sessionId} `)) this.#listeners.delete(key);
    }
    this.#fail((call) => call.sessionId === sessionId, why);
  }

  close(): Promise<void> {
    if (this.#socket.readyState === WebSocket.CLOSED) return Promise.resolve();
    return new Promise((resolve) => {
      this.#socket.addEventListener("close", () => resolve());
      this.#socket.close();
    });
  }

  #take({ id, method, sessionId, params = {}, result = {}, error }: Message): void {
    if (id === undefined) {
      this.#listeners.get(`${sessionId} ${method}`)?.forEach((listener) => listener(params));
      return;
    }
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    if (error === undefined) call?.resolve(result);
    else call?.reject(new DevtoolsError(error.message));
  }

  #fail(which: (call: Call) => boolean, why: string): void {
    for (const [id, call] of this.#calls) {
      if (!which(call)) continue;
      this.#calls.delete(id);
      call.reject(new DevtoolsError(why));
    }
  }
}
