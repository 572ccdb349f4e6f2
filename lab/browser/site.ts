/** A server on 127.0.0.1: pages of the lab, artifacts that they are asked about, a socket to them. */
import type { Artifact } from "../testee/testee.ts";

export interface Page {
  readonly type: "text/html" | "text/javascript";
  readonly text: string;
}

export class Site {
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #artifacts = new Map<string, Artifact>();
  #next = 1;
  #connected = Promise.withResolvers<WebSocket>();

  /** @param pages by path, such as `/` */
  constructor(pages: Readonly<Record<string, Page>>) {
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      async (request) => {
        const { pathname } = new URL(request.url);
        if (pathname === "/socket") return this.#connect(request);
        const artifact = this.#artifacts.get(pathname);
        if (artifact !== undefined) return await send(artifact);
        const page = Object.hasOwn(pages, pathname) ? pages[pathname] : undefined;
        if (page === undefined) return new Response(null, { status: 404 });
        return new Response(page.text, {
          headers: { "content-type": `${page.type}; charset=utf-8` },
        });
      },
    );
  }

  /** The next socket that a page opens to `/socket`. */
  socket(): Promise<WebSocket> {
    this.#connected = Promise.withResolvers();
    return this.#connected.promise;
  }

  get address(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  /** Puts an artifact up, until it is withdrawn. @returns its path here */
  offer(artifact: Artifact): string {
    const path = `/artifact/${this.#next++}`;
    this.#artifacts.set(path, artifact);
    return path;
  }

  withdraw(path: string): void {
    this.#artifacts.delete(path);
  }

  #connect(request: Request): Response {
    const { socket, response } = Deno.upgradeWebSocket(request, { idleTimeout: 0 });
    const { resolve } = this.#connected;
    socket.onopen = () => resolve(socket);
    return response;
  }

  close(): Promise<void> {
    return this.#server.shutdown();
  }
}

/** What is no regular file, or cannot be opened, is not there. */
async function send(artifact: Artifact): Promise<Response> {
  const headers = { "cache-control": "no-store" };
  if ("bytes" in artifact) {
    return new Response(artifact.bytes as Uint8Array<ArrayBuffer>, { headers });
  }
  try {
    // not opened unless it is a file: opening a pipe would wait for its writer
    if (!(await Deno.stat(artifact.path)).isFile) return new Response(null, { status: 404 });
    return new Response((await Deno.open(artifact.path)).readable, { headers });
  } catch {
    return new Response(null, { status: 404 });
  }
}
