/**
 * Messages between a process and its child over pipes: four bytes of length (little-endian), then a
 * value as V8 serialises it. The child's side blocks: it has nothing else to do.
 */
import { deserialize, serialize } from "node:v8";

const HEAD = 4;

/**
 * Makes this process a child: its output is for messages, and what interrupts its terminal is for its
 * parent to hear, which lets it end what is under way.
 */
export function beChild(): void {
  console.log = console.error;
  if (Deno.build.os === "windows") return;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    Deno.addSignalListener(signal, () => {});
  }
}

/** A message as bytes. */
export function frame(value: unknown): Uint8Array {
  const body = serialize(value);
  const bytes = new Uint8Array(HEAD + body.length);
  new DataView(bytes.buffer).setUint32(0, body.length, true);
  bytes.set(body, HEAD);
  return bytes;
}

/** Messages out of the chunks in which a pipe gives them; of a message it holds only its own bytes. */
export class Unframer {
  readonly #head = new Uint8Array(HEAD);
  /** of the message under way; null while its length is not known */
  #body: Uint8Array | null = null;
  #used = 0;

  /** @returns the messages that `chunk` completes */
  push(chunk: Uint8Array): unknown[] {
    const messages: unknown[] = [];
    for (let at = 0; at < chunk.length;) {
      const into: Uint8Array = this.#body ?? this.#head;
      const part = chunk.subarray(at, at + into.length - this.#used);
      into.set(part, this.#used);
      at += part.length;
      this.#used += part.length;
      if (this.#used < into.length) break;
      this.#used = 0;
      if (this.#body === null) {
        this.#body = new Uint8Array(new DataView(this.#head.buffer).getUint32(0, true));
      } else {
        this.#body = null;
        messages.push(deserialize(into));
      }
    }
    return messages;
  }
}

/** In a child: the messages of its parent, until that closes the pipe or ends. */
export function* received(): Generator<unknown, void> {
  const unframer = new Unframer();
  const chunk = new Uint8Array(1 << 16);
  for (let n = Deno.stdin.readSync(chunk); n !== null; n = Deno.stdin.readSync(chunk)) {
    yield* unframer.push(chunk.subarray(0, n));
  }
}

/** In a child: tells its parent. */
export function send(value: unknown): void {
  const bytes = frame(value);
  for (let sent = 0; sent < bytes.length;) sent += Deno.stdout.writeSync(bytes.subarray(sent));
}
