/**
 * Messages between a process and its child over pipes: four bytes of length (little-endian), then a
 * value as V8 serialises it. The child's side blocks: it has nothing else to do.
 */
import { deserialize, serialize } from "node:v8";

const HEAD = 4;

/** A message as bytes. */
export function frame(value: unknown): Uint8Array {
  const body = serialize(value);
  const bytes = new Uint8Array(HEAD + body.length);
  new DataView(bytes.buffer).setUint32(0, body.length, true);
  bytes.set(body, HEAD);
  return bytes;
}

/** Messages out of the chunks in which a pipe gives them. */
export class Unframer {
  #bytes = new Uint8Array(1 << 16);
  #used = 0;

  /** @returns the messages that `chunk` completes */
  push(chunk: Uint8Array): unknown[] {
    if (this.#used + chunk.length > this.#bytes.length) {
      const larger = new Uint8Array(2 * (this.#used + chunk.length));
      larger.set(this.#bytes.subarray(0, this.#used));
      this.#bytes = larger;
    }
    this.#bytes.set(chunk, this.#used);
    this.#used += chunk.length;
    const messages: unknown[] = [];
    const view = new DataView(this.#bytes.buffer);
    let at = 0;
    while (this.#used - at >= HEAD) {
      const end = at + HEAD + view.getUint32(at, true);
      if (end > this.#used) break;
      messages.push(deserialize(this.#bytes.slice(at + HEAD, end)));
      at = end;
    }
    this.#bytes.copyWithin(0, at, this.#used);
    this.#used -= at;
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
